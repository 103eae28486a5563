-- class_profiles
-- Counts the classes of users with the same profile: the same records on the quasi-identifiers, each as often.
--
-- missing: a missing cell is a value of its own
-- portable: no
--
-- parameter source: relation, the records
-- parameter user: column, of the record
-- parameter attributes: attributes, the quasi-identifiers, their tokens being missing cells
INSERT INTO class_frequencies
WITH records AS (
    SELECT
        class_twins.person,
        class_twins.records,
{% for attribute in attributes %}
        known.v{{ loop.index0 }}{% if not loop.last %},{% endif %}

{% endfor %}
    FROM (
        SELECT
            {{ user | identifier }} AS person,
{% for attribute in attributes %}
            {{ attribute | value }} AS v{{ loop.index0 }}{% if not loop.last %},{% endif %}

{% endfor %}
        FROM {{ source | relation }}
    ) AS known
    JOIN class_twins ON class_twins.person = known.person
),
profiles AS (
    SELECT
        person,
        LIST(
            ROW({% for attribute in attributes %}v{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %})
            ORDER BY {% for attribute in attributes %}v{{ loop.index0 }} NULLS LAST{% if not loop.last %}, {% endif %}{% endfor %}

        ) AS profile
    FROM records
    WHERE records > 1
    GROUP BY person
),
sizes AS (
    SELECT COUNT(*) AS class_size
    FROM profiles
    GROUP BY profile
    UNION ALL
    SELECT COUNT(*) AS class_size
    FROM records
    WHERE records = 1
    GROUP BY {% for attribute in attributes %}v{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %}

    UNION ALL
    SELECT 1 AS class_size
    FROM class_users
    ANTI JOIN class_twins USING (person)
)
SELECT
    'value' AS missing,
    'user' AS unit,
    class_size,
    COUNT(*) AS classes,
    CAST(SUM(class_size) AS BIGINT) AS records,
    0 AS incomplete
FROM sizes
GROUP BY class_size
