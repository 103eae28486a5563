-- read_parquet
-- The records of Parquet files as a relation.
--
-- portable: no
--
-- parameter paths: texts, the files, glob characters escaped
-- parameter hive: text, whether the folders name columns (key=value)
read_parquet({{ paths | literal }}, hive_partitioning = {{ hive | literal }})
