-- record_combinations
-- The combinations of the records' values, packed into words of 60 bits, and dependencies between attributes.
--
-- idea: equal records are one combination. An attribute that another attribute determines adds nothing to a set with
--   that attribute, so sets with both are skipped.
-- source: our own
-- runs: finish
-- makes: combinations, persons, searched_attributes, users_missing
--
-- parameter source: relation, the records
-- parameter table: column, the table that is made
-- parameter attributes: attributes, in the order of their bits
-- parameter masks: integers, the bits of each field in its word
-- parameter set_bits: integer, bits of an attribute set

-- name: value_codes
-- Numbers the distinct values of an attribute from 1; a missing value has no number.
--
-- definition: distinct values and a join cost a twentieth of a ranking window, and far less memory
-- runs: wide
--
-- takes: source, table
-- parameter attribute: attribute, whose values are numbered
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT {{ attribute | value }} AS value FROM {{ source | relation }}
)
SELECT value, ROW_NUMBER() OVER () AS code
FROM (
    SELECT DISTINCT value
    FROM records
    WHERE value IS NOT NULL
)

-- name: value_levels
-- The values of an attribute that have a level of their own, with its number; others have the level of the column.
--
-- definition: a value is listed as its text without blanks around it; by prefix the longest listed text counts that
--   the value begins with
--
-- takes: source, table
-- parameter attribute: attribute, whose values are listed
-- parameter listed: texts, the values or prefixes
-- parameter numbers: integers, the number of the level of each
-- parameter by_prefix: flag, texts are prefixes; else whole values
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH found AS (
    SELECT DISTINCT CAST({{ attribute | value }} AS VARCHAR) AS value FROM {{ source | relation }}
),
listed AS (
    SELECT UNNEST([{{ listed | literals }}]) AS text, UNNEST({{ numbers | literal }}) AS number
),
matched AS (
    SELECT value, ARG_MAX(number, LENGTH(text)) AS number
    FROM found
    JOIN listed ON {% if by_prefix %}STARTS_WITH(TRIM(value), text){% else %}TRIM(value) = text{% endif %}

    GROUP BY value
)
SELECT value, number FROM matched WHERE number <> 0

-- name: at_level
-- A value that has one of the levels of its column; a value of another level is missing.
--
-- definition: number 0 is the level of the column, which values have that are not in the table
--
-- takes: table
-- parameter column: expression, any column
-- parameter argument: integer, the number of the level
CASE WHEN CAST({{ column | expression }} AS VARCHAR) {% if argument == 0 %}NOT {% endif %}IN (
    SELECT value FROM {{ table | identifier }}{% if argument != 0 %} WHERE number = {{ argument | literal }}{% endif %}

) THEN {{ column | expression }} END

-- name: combinations
-- The distinct combinations of the records' values, packed into words of 60 bits.
--
-- definition: each attribute has a field of bits with the number of its value, 0 if it is missing; the records of a
--   class of an attribute set agree in the bits of its fields. "id" is the number of the only person of a
--   combination, or null if several share it. "missing" has a bit for each missing attribute.
-- runs: wide
--
-- takes: source, attributes, masks, set_bits, table
-- parameter id_bits: integer, bits of the number of a person
-- parameter tables: texts, the table with the numbered values of each attribute; of one without only whether it
--   is missing counts
-- parameter own_count: integer, number of attributes whose missing values count; the following ones are coarser forms
--   of these
-- parameter words: integers, the word that holds the field of each attribute
-- parameter shifts: integers, where in its word a field begins
-- parameter user: column or none, the user of a record, who is a person; none takes each record as a person
-- parameter owner: column or none, the user of a record that is a person; "owner" is the only one of a combination
-- parameter persons: column, the table with the numbered users, where there are any
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT
        {% if user %}{{ user | identifier }}{% else %}ROW_NUMBER() OVER (){% endif %} AS person
{% if owner %}
        , {{ owner | identifier }} AS owner
{% endif %}
{% for attribute in attributes %}
        , {{ attribute | value }} AS v{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }}
),
packed AS (
    SELECT
        {% if user %}persons.code{% else %}records.person{% endif %} AS person
{% if owner %}
        , persons.code AS owner
{% endif %}
{% for word in range(words | max + 1) %}
        , {% for i in range(attributes | length) if words[i] == word %}{% if tables[i] %}(
            COALESCE(c{{ i }}.code, 0) << {{ shifts[i] }}){% else %}(
            CASE WHEN v{{ i }} IS NULL THEN CAST(0 AS BIGINT)
            ELSE {{ 2 ** shifts[i] }} END){% endif %}{{ loop | between(" | ") }}{% endfor %} AS p{{ word }}
{% endfor %}
    FROM records
{% if user or owner %}
    JOIN {{ persons | identifier }} AS persons ON persons.value = records.{% if owner %}owner{% else %}person{% endif %}

{% endif %}
{% for i in range(tables | length) if tables[i] %}
    LEFT JOIN {{ tables[i] | identifier }} AS c{{ i }} ON c{{ i }}.value = records.v{{ i }}
{% endfor %}
),
collapsed AS (
    SELECT
{% for word in range(words | max + 1) %}
        p{{ word }},
{% endfor %}
{% if user %}
        CAST(CASE WHEN MIN(person) = MAX(person) THEN MIN(person) END AS {{ id_bits | integer_type }}) AS id,
{% else %}
        CAST(CASE WHEN COUNT(*) = 1 THEN ANY_VALUE(person) END AS {{ id_bits | integer_type }}) AS id,
{% endif %}
{% if owner %}
        CAST(CASE WHEN MIN(owner) = MAX(owner) THEN MIN(owner) END AS {{ id_bits | integer_type }}) AS owner,
{% endif %}
        CAST(COUNT(*) AS UINTEGER) AS records
    FROM packed
    GROUP BY {{ range(words | max + 1) | each("p{x}") }}

)
SELECT
    *,
    CAST({{ range(own_count) | each("(CASE WHEN (p{y} & {z}) = 0 THEN CAST({bit} AS BIGINT) ELSE 0 END)", words, masks,
        between=" | ") }} AS {{ set_bits | integer_type }}) AS missing
FROM collapsed

-- name: rename_column
-- Renames a column: the person of a combination, once its user becomes the person.
-- takes: table
-- parameter column: column, the column
-- parameter name: column, its name from now on
ALTER TABLE {{ table | identifier }} RENAME COLUMN {{ column | identifier }} TO {{ name | identifier }}

-- name: combination_totals
-- Counts the combinations, the records behind them and their missing values.
SELECT
    COUNT(*) AS combinations,
    CAST(COALESCE(SUM(records), 0) AS BIGINT) AS records,
    CAST(COALESCE(SUM(records * BIT_COUNT(missing)), 0) AS BIGINT) AS missing_cells,
    COALESCE(BIT_OR(missing), 0) AS ever_missing
FROM combinations

-- name: users_missing
-- The users and the attributes that are missing in all their records.
--
-- runs: wide
--
-- takes: source, attributes
-- parameter user: column, the user of a record
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
        {{ attributes | each("(CASE WHEN v{i} IS NULL THEN CAST({bit} AS BIGINT) ELSE 0 END)", between=" | ") }}

    ) AS missing
FROM records
JOIN persons ON persons.value = records.person
GROUP BY persons.code

-- name: searched_attributes
-- Lists the attributes of the search with their sensitivity levels and their fields.
-- takes: masks, set_bits
-- parameter economic: integers, the economic level of each attribute
-- parameter psychological: integers, the psychological level of each attribute
-- parameter words: integers, the word that holds the field of each attribute
-- parameter searched: integers, the positions of the attributes that sets are made of
-- parameter separations: integers, how well each attribute separates combinations
CREATE OR REPLACE TEMP TABLE searched_attributes AS
SELECT * FROM (
    VALUES
{% for i in range(economic | length) %}
    (
        {{ i }}, CAST({{ 2 ** i }} AS {{ set_bits | integer_type }}), {{ economic[i] }}, {{ psychological[i] }},
            {{ separations[i] | literal }}, {{ (i in searched) | literal }}
{%- for word in range(words | max + 1) %}, CAST({{ masks[i] if words[i] == word else 0 }} AS BIGINT){% endfor %}

    ){{ loop | between }}
{% endfor %}
) AS listed (
    position, bit, economic, psychological, separation, searched
{%- for word in range(words | max + 1) %}, f{{ word }}{% endfor %})

-- name: determined
-- Whether one attribute's value determines the values of others.
--
-- definition: it does where no class of the one has two values of the other, a missing value being one of them
--
-- parameter table: column, the combinations
-- parameter word: integer, the word that holds the one's field
-- parameter field: integer, the bits of its field
-- parameter bit: integer, its bit in an attribute set
-- parameter words: integers, the words that hold the others' fields
-- parameter fields: integers, the bits of these fields
-- parameter bits: integers, their bits in an attribute set
WITH classes AS (
    SELECT
        p{{ word }} & {{ field }} AS k
{% for other in words %}
        , MIN(p{{ other }} & {{ fields[loop.index0] }})
            = MAX(p{{ other }} & {{ fields[loop.index0] }}) AS one{{ loop.index0 }}
        , BOOL_OR((missing & {{ bit + bits[loop.index0] }}) NOT IN (0, {{ bit + bits[loop.index0] }}))
            AS partly{{ loop.index0 }}
{% endfor %}
    FROM {{ table | identifier }}
    GROUP BY p{{ word }} & {{ field }}
)
SELECT
{% for other in words %}
    BOOL_AND(one{{ loop.index0 }}) AS determined{{ loop.index0 }},
        BOOL_OR(partly{{ loop.index0 }}) AS partly{{ loop.index0 }}{{ loop | between }}
{% endfor %}
FROM classes

-- name: pair_classes
-- Counts the classes of each attribute and of each pair, to find redundant attributes.
--
-- definition: where a pair has as many classes as one of its two, the other depends on that one
--
-- parameter words: integer, words of a combination
-- parameter table: column, the combinations
-- parameter max_combinations: integer, largest number of combinations to examine
WITH single AS (
    SELECT bit AS mask{% for word in range(words) %}, f{{ word }}{% endfor %} FROM searched_attributes WHERE searched
),
wanted AS (
    SELECT ROW_NUMBER() OVER () AS number, *
    FROM (
        SELECT * FROM single
        UNION ALL
        SELECT a.mask | b.mask{% for word in range(words) %}, a.f{{ word }} | b.f{{ word }}{% endfor %}

        FROM single AS a
        JOIN single AS b ON a.mask < b.mask
    ) AS listed
),
combined AS (
    SELECT * FROM {{ table | identifier }} LIMIT {{ max_combinations | literal }}
),
classes AS (
    SELECT wanted.mask
    FROM combined, wanted
    GROUP BY wanted.mask{% for word in range(words) %}, combined.p{{ word }} & wanted.f{{ word }}{% endfor %}

)
SELECT mask, COUNT(*) AS classes
FROM classes
GROUP BY mask
ORDER BY mask

-- name: field_entropy
-- The evenness of the distribution of combinations over the values of each attribute.
--
-- definition: entropy in nats of the shares of combinations that have each value, a missing one being a value
--
-- parameter one_in: integer, 2 takes one of two records that have a combination of their own; 1 takes all combinations
-- parameter words: integers, the word that holds the field of each attribute
-- parameter masks: integers, the bits of each field in its word
WITH counted AS (
{% for word in words %}
    SELECT {{ loop.index0 }} AS position, CAST(COUNT(*) AS DOUBLE) AS n
    FROM combinations
{% if one_in > 1 %}
    WHERE id % {{ one_in | literal }} = 0
{% endif %}
    GROUP BY p{{ word }} & {{ masks[loop.index0] }}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
),
wholes AS (
    SELECT position, SUM(n) AS whole
    FROM counted
    GROUP BY position
)
SELECT position, CAST(SUM(CAST(-n / whole * LN(n / whole) AS DECIMAL(38, 15))) AS DOUBLE) AS entropy
FROM counted
JOIN wholes USING (position)
GROUP BY position
ORDER BY position
