-- looked_up_pseudonym
-- The pseudonym that was looked up for a record.
--
-- definition: the place of the user and the period in a random order
-- source: pseudonyms that last for a period (PWS Cup 2017)
-- missing: a missing user has none
-- portable: yes
looked_up.pseudonym
