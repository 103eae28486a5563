-- is_complete
-- Whether a record of a history has a user, a date and an item.
--
-- definition: none of them is missing or empty, and the user is not DEL
-- missing: a record that misses one is none of the history
-- portable: yes
--
-- parameter user: column, the user of a record
-- parameter date: column, its date
-- parameter item: column, its item
(COALESCE(CAST({{ user | identifier }} AS VARCHAR), '') NOT IN ('', 'DEL')
    AND COALESCE(CAST({{ date | identifier }} AS VARCHAR), '') <> ''
    AND COALESCE(CAST({{ item | identifier }} AS VARCHAR), '') <> '')
