-- combinations
-- The combinations of the records' values, packed into words of 60 bits: the different ones, or one a record.
--
-- definition: each attribute has a field of bits that holds its value's number, 0 where it is missing; the
--   records of a class of an attribute set agree in the bits of its fields. "id" is the person whom alone
--   a combination belongs to, by number: nobody where several share it; where there is one a record, it is the
--   record, and who shares theirs is found later. "missing" has a bit for each attribute that is missing.
-- portable: no
--
-- parameter source: relation, the records
-- parameter attributes: attributes, in the order of their bits
-- parameter tables: texts, the tables with the numbered values of the first attributes; of the others only
--   whether they are missing counts
-- parameter words: integers, the word that holds the field of each attribute
-- parameter shifts: integers, where in its word a field begins
-- parameter masks: integers, the bits of each field in its word
-- parameter user: column or none, the user of a record; none takes each record as a person
-- parameter persons: column, the table with the numbered users, where there are any
-- parameter id_bits: integer, bits of the number of a person
-- parameter set_bits: integer, bits of an attribute set
-- parameter collapsed: integer, 1 for the different combinations, 0 for one a record, in the order of the records:
--   combinations that follow one another then have values in common, and groups are found where they were just read
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT
        {% if user %}{{ user | identifier }}{% else %}ROW_NUMBER() OVER (){% endif %} AS person
{% for attribute in attributes %}
        , {{ attribute | value }} AS v{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }}
),
packed AS (
    SELECT
        {% if user %}persons.code{% else %}records.person{% endif %} AS person
{% for word in range(words | max + 1) %}
        , {% for i in range(attributes | length) if words[i] == word %}{% if i < tables | length %}(COALESCE(c{{ i }}.code, 0) << {{ shifts[i] }}){% else %}(CASE WHEN v{{ i }} IS NULL THEN CAST(0 AS BIGINT) ELSE {{ 2 ** shifts[i] }} END){% endif %}{% if not loop.last %} | {% endif %}{% endfor %} AS p{{ word }}
{% endfor %}
    FROM records
{% if user %}
    JOIN {{ persons | identifier }} AS persons ON persons.value = records.person
{% endif %}
{% for i in range(tables | length) %}
    LEFT JOIN {{ tables[i] | identifier }} AS c{{ i }} ON c{{ i }}.value = records.v{{ i }}
{% endfor %}
),
collapsed AS (
    SELECT
{% for word in range(words | max + 1) %}
        p{{ word }},
{% endfor %}
{% if not collapsed %}
        CAST(person AS {{ id_bits | integer_type }}) AS id,
        CAST(1 AS UINTEGER) AS records
    FROM packed
{% else %}
{% if user %}
        CAST(CASE WHEN MIN(person) = MAX(person) THEN MIN(person) END AS {{ id_bits | integer_type }}) AS id,
{% else %}
        CAST(CASE WHEN COUNT(*) = 1 THEN ANY_VALUE(person) END AS {{ id_bits | integer_type }}) AS id,
{% endif %}
        CAST(COUNT(*) AS UINTEGER) AS records
    FROM packed
    GROUP BY {% for word in range(words | max + 1) %}p{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}

{% endif %}
)
SELECT
    *,
    CAST({% for i in range(attributes | length) %}(CASE WHEN (p{{ words[i] }} & {{ masks[i] }}) = 0 THEN CAST({{ 2 ** i }} AS BIGINT) ELSE 0 END){% if not loop.last %} | {% endif %}{% endfor %} AS {{ set_bits | integer_type }}) AS missing
FROM collapsed
