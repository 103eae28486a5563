-- key_check
-- Looks for combinations that an attribute set does not tell apart, and in which attributes these differ.
--
-- portable: no
--
-- parameter words: integers, the words that hold fields of the set
-- parameter fields: integers, the bits of these fields
-- parameter all_words: integers, the word that holds the field of each attribute
-- parameter all_fields: integers, the bits of the field of each attribute
-- parameter several: integer, 1 where a person can have several combinations, else 0
-- parameter most: integer, look at so many pairs at most
WITH pairs AS (
{% if several %}
    SELECT ARG_MIN(rowid, id) AS one, ARG_MAX(rowid, id) AS other
{% else %}
    SELECT MIN(rowid) AS one, MAX(rowid) AS other
{% endif %}
    FROM combinations
    GROUP BY {% for word in words %}p{{ word }} & {{ fields[loop.index0] }}{% if not loop.last %}, {% endif %}{% else %}id IS NULL{% endfor %}

    HAVING {% if several %}MIN(id) <> MAX(id){% else %}COUNT(*) > 1{% endif %}

    LIMIT {{ most | literal }}
)
SELECT DISTINCT
    CAST({% for word in all_words %}(CASE WHEN (xor(a.p{{ word }}, b.p{{ word }}) & {{ all_fields[loop.index0] }}) <> 0 THEN CAST({{ 2 ** loop.index0 }} AS BIGINT) ELSE 0 END) | {% endfor %}0 AS BIGINT) AS mask
FROM pairs
JOIN combinations AS a ON a.rowid = pairs.one
JOIN combinations AS b ON b.rowid = pairs.other
