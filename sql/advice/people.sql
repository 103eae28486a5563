-- people
-- Uniqueness of records, and small classes, by the published form of each column.
--
-- idea: each value of a column is a number of 64 bits that no other column shares, and the published values of a record
--   are the exclusive or of their numbers: a change of one column is one join. Two records that differ have the same
--   number with a probability of 2^-64, so that of n records any two do with n^2 / 2^65 at most.
-- source: tables of random numbers by column: Zobrist, A New Hashing Method with Application for Game Playing, 1970;
--   the share that three records single out: de Montjoye, Hidalgo, Verleysen and Blondel, 2013
-- runs: finish
-- makes: people_records
--
-- parameter source: column, the table of the records
-- parameter by_user: flag, records belong to users; else each record is a person
-- parameter table: column, the table that is made
-- parameter columns: integer, number of columns
-- parameter place: integer, the index of the column
-- parameter spread: number, log2 of all combinations of values

-- name: people_count
-- Counts the people behind the records.
--
-- takes: source, by_user
SELECT {% if by_user %}COUNT(DISTINCT person){% else %}COUNT(*){% endif %} AS people
FROM {{ source | identifier }} AS records

-- name: people_records
-- The person behind each record, and a hash of 64 bits of each of its values.
--
-- definition: the number of a value is a hash of its cell_number and the MD5 of its column's index. The two hashes
--   differ, so that value and column cannot be exchanged, and equal values of two columns do not cancel. A missing
--   value has 0, which no other value has.
-- missing: a record without a user stays, with NULL for its person: nobody's class grows by it, yet it is published
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter attributes: attributes, the columns as they are
CREATE OR REPLACE TEMP TABLE people_records AS
WITH known AS MATERIALIZED (
    SELECT
        {% if user %}CASE WHEN person IS NOT NULL
            THEN {{ "person" | number }} END{% else %}CAST(0 AS UBIGINT){% endif %} AS person
{% for attribute in attributes %}
        , {{ ("v" ~ loop.index0) | number }} AS h{{ loop.index0 }}
{% endfor %}
    FROM (
        -- A value is written once: to plan it as often as its number names it takes as long as that.
        SELECT
            {% if user %}{{ user | person }}{% else %}NULL{% endif %} AS person
{% for attribute in attributes %}
            , {{ attribute | value }} AS v{{ loop.index0 }}
{% endfor %}
        FROM {{ source | relation }}
    ) AS shown
)
SELECT
    person
{% for attribute in attributes %}
    , CASE WHEN h{{ loop.index0 }} = hash(NULL) THEN CAST(0 AS UBIGINT)
        ELSE GREATEST(hash(xor(h{{ loop.index0 }}, md5_number_lower('{{ loop.index0 }}'))), 1) END AS h{{ loop.index0 }}
{% endfor %}
FROM known

-- name: people_values
-- The distinct values of a column with their hashes, and the records of each.
--
-- definition: numbers as in people_records
--
-- takes: table, place
-- parameter source: relation, the records
-- parameter attribute: attribute, the column as it is
-- parameter cell: column, the column itself
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT
    {{ cell | identifier }} AS value,
    CASE WHEN {{ attribute | value }} IS NULL THEN CAST(0 AS UBIGINT)
        ELSE GREATEST(hash(xor({{ attribute | number }}, md5_number_lower('{{ place }}'))), 1) END AS h,
    COUNT(*) AS records
FROM {{ source | relation }}
GROUP BY ALL

-- name: people_form_entropy
-- The number of distinct values of each form of a column, and their entropy.
--
-- definition: H = sum over values x of Pr(x) log2(1 / Pr(x))
-- source: Shannon, A Mathematical Theory of Communication, 1948, section 6
--
-- parameter tables: texts, the tables of forms or of values
-- parameter columns: texts, the counted expression of each
{% for table in tables %}
{% if loop.index0 %}
UNION ALL
{% endif %}
SELECT
    {{ loop.index0 }} AS number,
    COUNT(*) AS cells,
    CAST(SUM(CAST(part * -LOG2(part) AS DECIMAL(38, 18))) AS DOUBLE) AS bits
FROM (
    SELECT SUM(records) / SUM(SUM(records)) OVER () AS part
    FROM {{ table | identifier }} AS different
    GROUP BY {{ columns[loop.index0] | identifier }}
) AS parts
{% endfor %}
ORDER BY number

-- name: people_form
-- The published value for each value of a column, in one form of the column.
--
-- definition: "published" is the hash of the published value as in people_records, "leaves" the number of values it
--   covers, "k" the hash of each attribute known of it, 0 if missing
--
-- takes: table, place
-- parameter values: column, the table with the values
-- parameter cell: attribute or none, the published form of a value; none publishes it unchanged
-- parameter known: attributes, the attributes known of a value
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH made AS (
    SELECT
        h,
        MIN({% if cell %}CASE WHEN h = 0 THEN h
            ELSE GREATEST(hash(xor({{ cell | number }}, md5_number_lower('{{ place }}'))), 1) END{% else %}h{% endif %})
            AS published,
        SUM(records) AS records
{% for attribute in known %}
        , MIN(CASE WHEN {{ attribute | value }} IS NULL THEN CAST(0 AS UBIGINT)
            ELSE GREATEST({{ attribute | number }}, 1) END) AS k{{ loop.index0 }}
{% endfor %}
    FROM {{ values | identifier }} AS different
    GROUP BY h
)
SELECT *, COUNT(*) OVER (PARTITION BY published) AS leaves
FROM made

-- name: people_facts
-- The probability that one known fact identifies a person, for attributes in their published form.
--
-- definition: the mean of attribute_risk
-- source: Ito, definitions 2.1 to 2.5
-- missing: a record without a value or without a user is left out
--
-- takes: source, by_user
-- parameter places: integers, the indexes of the columns
-- parameter forms: texts, the tables of their forms; empty where values are known as they are
-- parameter known: integers, the number of the known attribute there
{% for place in places %}
{% set form = forms[loop.index0] %}
{% if loop.index0 %}
UNION ALL
{% endif %}
SELECT
    {{ loop.index0 }} AS number,
    CAST(SUM(CAST(CAST(records AS DOUBLE) / people AS DECIMAL(38, 18))) AS DOUBLE) / SUM(records) AS risk
FROM (
{% if by_user %}
    SELECT fact, COUNT(*) AS people, SUM(records) AS records
    FROM (
        SELECT {% if form %}form.k{{ known[loop.index0] }}{% else %}records.h{{ place }}{% endif %} AS fact, person,
            COUNT(*) AS records
        FROM {{ source | identifier }} AS records
{% if form %}
        JOIN {{ form | identifier }} AS form ON form.h = records.h{{ place }}
{% endif %}
        WHERE person IS NOT NULL
        GROUP BY fact, person
    ) AS people
{% else %}
    SELECT {% if form %}form.k{{ known[loop.index0] }}{% else %}records.h{{ place }}{% endif %} AS fact,
        COUNT(*) AS people, COUNT(*) AS records
    FROM {{ source | identifier }} AS records
{% if form %}
    JOIN {{ form | identifier }} AS form ON form.h = records.h{{ place }}
{% endif %}
{% endif %}
    GROUP BY fact
) AS facts
WHERE fact <> 0
{% endfor %}
ORDER BY number

-- name: people_three
-- The share of people singled out by some of their records, with one attribute known of each.
--
-- definition: unicity. A sample of people is drawn by hash, with a number of records of each; a person is singled out
--   if nobody else has a record with each of their known values.
-- source: de Montjoye, Hidalgo, Verleysen and Blondel, Unique in the crowd, 2013
-- missing: a record without a value or without a user is left out
--
-- takes: source, place
-- parameter form: column or none, the table of its form; none where values are known as they are
-- parameter known: integer, the number of the known attribute there
-- parameter records: integer, number of known records
-- parameter people: integer, largest number of people drawn
WITH facts AS MATERIALIZED (
    SELECT person, {% if form %}form.k{{ known }}{% else %}records.h{{ place }}{% endif %} AS fact, COUNT(*) AS times
    FROM {{ source | identifier }} AS records
{% if form %}
    JOIN {{ form | identifier }} AS form ON form.h = records.h{{ place }}
{% endif %}
    WHERE person IS NOT NULL
    GROUP BY person, fact
),
present AS MATERIALIZED (
    SELECT * FROM facts WHERE fact <> 0
),
chosen AS (
    SELECT person
    FROM (SELECT DISTINCT person FROM present) AS everybody
    ORDER BY hash(person)
    LIMIT {{ people }}
),
records AS (
    SELECT person, fact, UNNEST(RANGE(CAST(times AS BIGINT))) AS time
    FROM present
    SEMI JOIN chosen USING (person)
),
drawn AS MATERIALIZED (
    SELECT person, fact
    FROM (
        SELECT person, fact, ROW_NUMBER() OVER (PARTITION BY person ORDER BY hash(fact, person, time)) AS turn
        FROM records
    ) AS turns
    WHERE turn <= {{ records }}
    GROUP BY person, fact
),
-- Equal rows are looked up once: with an attribute of few values all people are alike.
histories AS MATERIALIZED (
    SELECT ROW_NUMBER() OVER () AS number, shown, COUNT(*) AS people
    FROM (SELECT LIST(fact ORDER BY fact) AS shown FROM drawn GROUP BY person) AS persons
    GROUP BY shown
),
needed AS (
    SELECT number, people, LEN(shown) AS facts, UNNEST(shown) AS fact
    FROM histories
),
fitting AS (
    SELECT needed.number, ANY_VALUE(needed.people) AS people
    FROM needed
    JOIN present ON present.fact = needed.fact
    GROUP BY needed.number, present.person
    HAVING COUNT(*) = ANY_VALUE(needed.facts)
),
counted AS (
    SELECT ANY_VALUE(people) AS people, COUNT(*) AS fitting
    FROM fitting
    GROUP BY number
)
SELECT SUM(CASE WHEN fitting = 1 THEN people ELSE 0 END) / SUM(people) AS share
FROM counted

-- name: people_start
-- The records with their published values: every column unchanged, or no column.
--
-- definition: "class" is one hash of all published values, "spread" log2 of the number of combinations they cover
--
-- takes: columns, spread, table
-- parameter unchanged: flag, start with every column unchanged; else with no column
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
{% if unchanged and columns %}
SELECT
    * EXCLUDE ({{ range(0, columns, 64) | each("x{i}") }}),
    {% for start in range(0, columns, 64) %}{% if loop.index0 %}xor(
        {% endif %}{% endfor %}x0{% for start in range(0, columns, 64) %}{% if loop.index0 %},
        x{{ loop.index0 }}){% endif %}{% endfor %} AS class,
    CAST(0 AS DOUBLE) AS spread
FROM (
    SELECT
        *
{% for start in range(0, columns, 64) %}
        , {% for place in range(start, [start + 64, columns] | min) %}{% if loop.index0 %}xor(
            {% endif %}{% endfor %}h{{ start }}{% for place in range(start + 1, [start + 64, columns] | min) %},
            h{{ place }}){% endfor %} AS x{{ loop.index0 }}
{% endfor %}
    FROM people_records
) AS parts
{% else %}
SELECT *, CAST(0 AS UBIGINT) AS class, CAST({{ spread | literal }} AS DOUBLE) AS spread
FROM people_records
{% endif %}

-- name: people_changed
-- The records with one column published in another form.
-- takes: columns, place
-- parameter source: column, the table of the records as they are published
-- parameter before: column or none, the table of its form until now; none for one without
-- parameter after: column or none, the table of its form from now on
-- parameter unchanged_before: flag, the column was published unchanged before the step
-- parameter unchanged_after: flag, the column is published unchanged after the step
-- parameter leaves: number, log2 of the number of values of the column
(
    SELECT
        records.person,
{% for other in range(columns) %}
        records.h{{ other }},
{% endfor %}
        xor(records.class,
            xor({% if before %}before.published{% elif unchanged_before %}records.h{{ place }}{% else %}CAST(0
            AS UBIGINT){% endif %},
            {% if after %}after.published{% elif unchanged_after %}records.h{{ place }}{% else %}CAST(0
            AS UBIGINT){% endif %})) AS class,
        records.spread
            - {% if before %}LOG2(before.leaves){% elif unchanged_before %}0{% else %}{{ leaves | literal }}{% endif %}
            + {% if after %}LOG2(after.leaves){% elif unchanged_after %}0{% else %}{{ leaves | literal }}{% endif %}
            AS spread
    FROM {{ source | identifier }} AS records
{% if before %}
    JOIN {{ before | identifier }} AS before ON before.h = records.h{{ place }}
{% endif %}
{% if after %}
    JOIN {{ after | identifier }} AS after ON after.h = records.h{{ place }}
{% endif %}
)

-- name: people_keep
-- Stores the records as they are published now, without small classes if requested.
-- takes: by_user, table
-- parameter source: relation, the records as they are to be published
-- parameter least: integer, classes of fewer people are left out
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT records.*
FROM {{ source | relation }} AS records
{% if least > 1 %}
SEMI JOIN (
    SELECT class
    FROM {{ source | relation }} AS classes
    GROUP BY class
    HAVING {% if by_user %}COUNT(DISTINCT person){% else %}COUNT(*){% endif %} >= {{ least }}
) AS large ON large.class = records.class
{% endif %}

-- name: people_classes
-- The unique people and those in small classes, by all published values together.
--
-- definition: a class is the people with a record of the same published values, a missing value being a value; "bits"
--   is the sum over records of log2 of the people in their class
-- missing: a record without a user is one of its class's records, and no person of it; classes without people are small
--
-- takes: by_user
-- parameter source: relation, the records as they are to be published
-- parameter least: integer, classes of fewer people are small
WITH classes AS (
{% if by_user %}
    SELECT class, COUNT(person) AS people, SUM(records) AS records, MIN(person) AS first
    FROM (
        SELECT class, person, COUNT(*) AS records
        FROM {{ source | relation }} AS published
        GROUP BY class, person
    ) AS people
    GROUP BY class
{% else %}
    SELECT class, COUNT(*) AS people, COUNT(*) AS records, class AS first
    FROM {{ source | relation }} AS published
    GROUP BY class
{% endif %}
)
SELECT
    COUNT(*) AS classes,
    CAST(COALESCE(SUM(records), 0) AS BIGINT) AS records,
    CAST(COALESCE(MIN(NULLIF(people, 0)), 0) AS BIGINT) AS smallest,
    CAST(COALESCE(SUM(CASE WHEN people < {{ least }} THEN records END), 0) AS BIGINT) AS small,
    COUNT(DISTINCT CASE WHEN people = 1 THEN first END) AS alone,
    COALESCE(CAST(SUM(CAST(records * LOG2(GREATEST(people, 1)) AS DECIMAL(38, 12))) AS DOUBLE), 0) AS bits
FROM classes

-- name: people_information
-- The information left of the records.
--
-- definition: as in treated_information; the records of small classes are deleted
-- source: Yamaoka and Itoh, section 5 (information U); a deleted record counts as suppressed in every attribute
--
-- takes: by_user, spread
-- parameter source: relation, the records as they are to be published
-- parameter least: integer, classes of fewer people are deleted
-- parameter told: number or none, the sum of t log2 t of the original table; none if this is the table
WITH classes AS (
    SELECT
        CAST(COUNT(*) AS DOUBLE) AS t,
        CASE WHEN {% if by_user and least > 1 %}COUNT(DISTINCT person){% else %}COUNT(*){% endif %} < {{ least }}
            THEN CAST(0 AS DOUBLE) ELSE CAST(COUNT(*) AS DOUBLE) END AS m,
        MIN(spread) AS spread
    FROM {{ source | relation }} AS published
    GROUP BY class
),
totals AS (
    SELECT SUM(t) AS n, SUM(t - m) AS d FROM classes
),
published AS (
    SELECT
        SUM(CAST(t * (CASE
            WHEN m = 0 THEN LOG2(d) - {{ spread | literal }}
            WHEN d = 0 THEN LOG2(m) - spread
            ELSE LOG2(m + d * POWER(2, GREATEST(spread - {{ spread | literal }}, -1000))) - spread
        END) AS DECIMAL(38, 12))) AS told
    FROM classes, totals
),
divergences AS (
    SELECT
        CAST(told AS DOUBLE) AS told,
        {% if told is none %}CAST(told AS DOUBLE){% else %}{{ told | literal }}{% endif %} / n - CAST(told AS DOUBLE)
            / n AS kl,
        {% if told is none %}CAST(told AS DOUBLE){% else %}{{ told | literal }}{% endif %} / n - LOG2(n)
            + {{ spread | literal }} AS kl0
    FROM published, totals
)
SELECT told, CASE WHEN kl0 < 1e-9 THEN CAST(1 AS DOUBLE) ELSE ROUND(1 - kl / kl0, 9) + 0 END AS information
FROM divergences
