-- evidence_matches
-- Which pseudonyms of its period have a record that agrees with a known record, for each of several sets of columns.
--
-- definition: "share" is the share of the period's pseudonyms, and one more, that agree on the set; values that more than
--   a few pseudonyms have tell little and are left out
-- missing: what is missing agrees with nothing
-- portable: no
--
-- parameter table: column, the table that is made
-- parameter known: column, the known records as they are compared
-- parameter released: column, the released ones
-- parameter pseudonyms: column, the pseudonyms and their numbers
-- parameter keys: columns, for each set its columns
-- parameter most: integer, a set of values that more pseudonyms of a period have is left out
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH sizes AS (
    SELECT period, MIN(pseudonyms) AS pseudonyms
    FROM {{ pseudonyms | identifier }}
    GROUP BY period
),
{% for key in keys %}
held{{ loop.index0 }} AS (
    SELECT period, {% for column in key %}{{ column | identifier }}, {% endfor %}LIST(person) AS persons
    FROM (
        SELECT DISTINCT period, {% for column in key %}{{ column | identifier }}, {% endfor %}person
        FROM {{ released | identifier }}
    ) AS holders
    GROUP BY period{% for column in key %}, {{ column | identifier }}{% endfor %}

    HAVING COUNT(*) <= {{ most }}
),
{% endfor %}
found AS (
    SELECT known.record, known.person, known.period, [known.person] AS persons, CAST(0 AS TINYINT) AS key
    FROM {{ known | identifier }} AS known
    WHERE FALSE
{% for key in keys %}
    UNION ALL
    SELECT known.record, known.person, known.period, held.persons, CAST({{ loop.index0 }} AS TINYINT) AS key
    FROM {{ known | identifier }} AS known
    JOIN held{{ loop.index0 }} AS held
        ON held.period = known.period{% for column in key %} AND held.{{ column | identifier }} = known.{{ column | identifier }}{% endfor %}

{% endfor %}
)
SELECT
    found.record
    , found.person AS user_number
    , found.key
    , LENGTH(found.persons) / (sizes.pseudonyms + 1) AS share
    , UNNEST(found.persons) AS pseudonym_number
FROM found
JOIN sizes ON sizes.period = found.period
