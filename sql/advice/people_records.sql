-- people_records
-- Gives the person behind each record and each of its cells a number of 64 bits.
--
-- definition: the number is a hash; two values that differ have the same one with a probability of 2^-64. A missing cell
--   has 0, which no value has.
-- missing: records without a user are left out
-- portable: no
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter attributes: attributes, the columns as they are
CREATE OR REPLACE TEMP TABLE people_records AS
WITH known AS MATERIALIZED (
    SELECT
        {% if user %}hash({{ user | person }}){% else %}CAST(0 AS UBIGINT){% endif %} AS person
{% for attribute in attributes %}
        , hash({{ attribute | value }}) AS h{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }}
{% if user %}
    WHERE {{ user | person }} IS NOT NULL
{% endif %}
)
SELECT
    person
{% for attribute in attributes %}
    , CASE WHEN h{{ loop.index0 }} = hash(NULL) THEN CAST(0 AS UBIGINT) ELSE GREATEST(h{{ loop.index0 }}, 1) END AS h{{ loop.index0 }}
{% endfor %}
FROM known
