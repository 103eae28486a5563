-- undo_writing
-- Takes back the transaction that a table could not be made in.
--
-- portable: yes
ROLLBACK
