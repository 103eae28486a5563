-- json_keys
-- The keys of the objects in JSON files, as they are written.
--
-- portable: no
--
-- parameter paths: texts, the files, glob characters escaped
-- parameter arguments: options, the reader's named arguments
SELECT DISTINCT key
FROM (
    SELECT UNNEST(json_keys(json)) AS key
    FROM read_json_objects({{ paths | literal }}{{ arguments | options }})
)
ORDER BY key
