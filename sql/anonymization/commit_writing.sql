-- commit_writing
-- Ends the transaction that a table was made in.
--
-- portable: yes
COMMIT
