-- predicate_values
-- Makes the table of the values that predicates are made of: those of the release, and how many records have each.
--
-- definition: above says whether a number is above the median; upto counts the records with a value up to this one
-- source: Anonymeter, singling out
-- missing: the code 0 stands for a missing value, which is counted in records and in upto
-- portable: yes
--
-- parameter name: column, the table
-- parameter different: relation, the records of the release that differ
-- parameter columns: columns, their codes
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH counted AS (
{% for column in columns %}
{% if not loop.first %}
    UNION ALL
{% endif %}
    SELECT {{ loop.index0 }} AS place, {{ column | identifier }} AS code, COUNT(*) AS records
    FROM {{ different | relation }} AS different
    GROUP BY {{ column | identifier }}
{% endfor %}
),
added AS (
    SELECT
        place,
        code,
        records,
        ROW_NUMBER() OVER (PARTITION BY place ORDER BY code) - 1 AS number,
        COUNT(*) OVER (PARTITION BY place) AS codes,
        SUM(records) OVER (PARTITION BY place ORDER BY code ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS upto,
        SUM(records) OVER (PARTITION BY place) AS total,
        SUM(CASE WHEN code = 0 THEN records ELSE 0 END) OVER (PARTITION BY place) AS missing
    FROM counted
),
-- The lower one of the two values in the middle: what is above it is above their mean.
middles AS (
    SELECT place, MIN(code) AS middle
    FROM added
    WHERE code > 0 AND 2 * (upto - missing) >= total - missing
    GROUP BY place
)
SELECT
    added.place,
    added.code,
    CAST(added.number AS BIGINT) AS number,
    CAST(added.codes AS BIGINT) AS codes,
    CAST(added.records AS BIGINT) AS records,
    CAST(added.upto AS BIGINT) AS upto,
    CAST(added.total AS BIGINT) AS total,
    CAST(added.missing AS BIGINT) AS missing,
    COALESCE(added.code > middles.middle, FALSE) AS above
FROM added
LEFT JOIN middles ON middles.place = added.place
