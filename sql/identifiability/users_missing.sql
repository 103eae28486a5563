-- users_missing
-- The users and the attributes that none of their records has.
--
-- portable: no
--
-- parameter source: relation, the records
-- parameter user: column, the user of a record
-- parameter attributes: attributes, in the order of their bits
CREATE OR REPLACE TEMP TABLE users_missing AS
WITH records AS (
    SELECT
        {{ user | identifier }} AS person
{% for attribute in attributes %}
        , {{ attribute | value }} AS v{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }}
)
SELECT
    persons.code AS id,
    BIT_AND(
        {% for attribute in attributes %}(CASE WHEN v{{ loop.index0 }} IS NULL THEN CAST({{ 2 ** loop.index0 }} AS BIGINT) ELSE 0 END){% if not loop.last %} | {% endif %}{% endfor %}

    ) AS missing
FROM records
JOIN persons ON persons.value = records.person
GROUP BY persons.code
