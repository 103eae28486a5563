-- class_owners
-- How many records of which class each user has.
--
-- portable: no
--
-- parameter source: relation, the records
-- parameter user: column, of the record
-- parameter attributes: attributes, the quasi-identifiers, their tokens being missing cells
CREATE OR REPLACE TEMP TABLE class_owners AS
WITH records AS (
    SELECT
        {{ user | identifier }} AS person,
        {% for attribute in attributes %}{{ attribute | value }} AS v{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %}

    FROM {{ source | relation }}
)
SELECT records.person, CAST(known_classes.rowid AS BIGINT) AS class, COUNT(*) AS n
FROM records
JOIN known_classes
    ON {% for attribute in attributes %}(known_classes.v{{ loop.index0 }} IS NOT DISTINCT FROM records.v{{ loop.index0 }}){% if not loop.last %} AND {% endif %}{% endfor %}

WHERE records.person IS NOT NULL
GROUP BY records.person, known_classes.rowid
