-- parquet_layouts
-- The different layouts (columns with their types) among Parquet files.
--
-- portable: no
--
-- parameter paths: texts, the files, glob characters escaped
SELECT layout, MIN(file_name) AS first_file, COUNT(*) AS files
FROM (
    SELECT
        file_name,
        LIST(
            STRUCT_PACK(name, num_children, type, type_length, converted_type, scale, precision, logical_type)
            ORDER BY position
        ) AS layout
    FROM (
        SELECT *, ROW_NUMBER() OVER () AS position
        FROM parquet_schema({{ paths | literal }})
    )
    GROUP BY file_name
)
GROUP BY layout
ORDER BY files DESC, first_file
