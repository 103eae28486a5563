-- people_three
-- The share of people whom some of their records single out, of each of which one attribute is known.
--
-- definition: unicity. Of at most so many people, drawn by hash, as many of their records are drawn; a person is singled out
--   where nobody else has a record with each of the values that these have.
-- source: de Montjoye, Hidalgo, Verleysen and Blondel, Unique in the crowd, 2013
-- missing: a record without a value is left out
-- portable: no
--
-- parameter source: column, the table of the records
-- parameter place: integer, the place of the column
-- parameter form: column or none, the table of its form; none where values are known as they are
-- parameter known: integer, the number of what is known there
-- parameter records: integer, how many records are known
-- parameter people: integer, how many people are drawn
WITH facts AS MATERIALIZED (
    SELECT person, {% if form %}form.k{{ known }}{% else %}records.h{{ place }}{% endif %} AS fact, COUNT(*) AS times
    FROM {{ source | identifier }} AS records
{% if form %}
    JOIN {{ form | identifier }} AS form ON form.h = records.h{{ place }}
{% endif %}
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
        SELECT person, fact, ROW_NUMBER() OVER (PARTITION BY person ORDER BY hash(xor(xor(fact, person), hash(time)))) AS turn
        FROM records
    ) AS turns
    WHERE turn <= {{ records }}
    GROUP BY person, fact
),
needed AS (
    SELECT person, COUNT(*) AS facts
    FROM drawn
    GROUP BY person
),
alike AS (
    SELECT drawn.person, present.person AS other, COUNT(*) AS facts
    FROM drawn
    JOIN present ON present.fact = drawn.fact
    GROUP BY drawn.person, present.person
),
fitting AS (
    SELECT needed.person, COUNT(*) AS people
    FROM needed
    JOIN alike ON alike.person = needed.person AND alike.facts = needed.facts
    GROUP BY needed.person
)
SELECT AVG(CASE WHEN people = 1 THEN 1.0 ELSE 0.0 END) AS share
FROM fitting
