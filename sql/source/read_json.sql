-- read_json
-- The records of JSON files as a relation.
--
-- portable: no
--
-- parameter paths: texts, the files, glob characters escaped
-- parameter hive: text, whether the folders name columns (key=value)
read_json({{ paths | literal }}, hive_partitioning = {{ hive | literal }})
