-- read_json
-- The records of JSON files as a relation.
--
-- portable: no
--
-- parameter paths: texts, the files, glob characters escaped
-- parameter arguments: options, the reader's named arguments
read_json({{ paths | literal }}{{ arguments | options }})
