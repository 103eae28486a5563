-- class_profiles
-- How many users have the same profile as each one: the same records on the quasi-identifiers, each as often.
--
-- definition: "class" is one of these users, the same for all of them
-- missing: a missing cell is a value of its own
-- portable: no
--
-- parameter source: relation, the records
-- parameter user: column, of the record
-- parameter attributes: attributes, the quasi-identifiers, their tokens being missing cells
CREATE OR REPLACE TEMP TABLE class_profiles AS
WITH records AS (
    SELECT
        users_in_shared_classes.person,
        users_in_shared_classes.records,
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
    JOIN users_in_shared_classes ON users_in_shared_classes.person = known.person
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
alike AS (
    SELECT LIST(person) AS people
    FROM profiles
    GROUP BY profile
    UNION ALL
    SELECT LIST(person) AS people
    FROM records
    WHERE records = 1
    GROUP BY {% for attribute in attributes %}v{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %}

)
SELECT UNNEST(people) AS person, people[1] AS class, LEN(people) AS class_size
FROM alike
UNION ALL
SELECT person, person AS class, 1 AS class_size
FROM class_users
ANTI JOIN users_in_shared_classes USING (person)
