-- contest_header
-- Whether a file of the contest opens with names of columns, which it must not.
--
-- definition: the first line has all of these columns, and none of them holds what it should
-- missing: a line that is too short is no header
-- portable: no
--
-- parameter source: relation, the lines
-- parameter columns: columns, that tell names from values
-- parameter patterns: texts, what each of them should be
SELECT COUNT(*) > 0 AS found
FROM {{ source | relation }} AS lines
WHERE record = 1 AND c0 <> 'DEL'
{% for column in columns %}
    AND {{ column | identifier }} IS NOT NULL
    AND NOT REGEXP_FULL_MATCH({{ column | identifier }}, {{ patterns[loop.index0] | literal }})
{% endfor %}
