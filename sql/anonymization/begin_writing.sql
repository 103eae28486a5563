-- begin_writing
-- Begins the transaction that a table is made in.
--
-- portable: no
BEGIN TRANSACTION
