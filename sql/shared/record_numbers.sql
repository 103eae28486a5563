-- record_numbers
-- A number for each record and for its person.

WITH known AS (
    SELECT
        {{ user | person }} AS person{% for column in columns %},
        {{ column | identifier }} AS v{{ loop.index0 }}{% endfor %}

    FROM {{ source | relation }}
),
records AS (
    SELECT
        {{ "person" | number }} AS person,
        HASH(0{% for column in columns %}, {{ ("v" ~ loop.index0) | number }}{% endfor %}) AS record
    FROM known
    WHERE person IS NOT NULL
),
