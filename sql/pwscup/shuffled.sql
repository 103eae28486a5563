-- shuffled
-- What records are ordered by so that their order tells nothing, and is the same for the same seed.
--
-- definition: the MD5 sum of the seed and the number of the record, from 1
-- source: the shuffling of the contest of 2017
-- missing: every record has a number
-- portable: yes
--
-- parameter seed: integer, of the order
MD5('release {{ seed }} ' || CAST(record + 1 AS VARCHAR)), record
