-- state_facts
-- What a file of the state of an annealing says of itself, as JSON; nothing of another file.
--
-- portable: no
--
-- parameter path: text, the file
SELECT DECODE(value) AS facts
FROM PARQUET_KV_METADATA({{ path | literal }})
WHERE DECODE(key) = 'duckrisk'
