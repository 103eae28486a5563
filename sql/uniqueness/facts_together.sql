-- facts_together
-- How many people are alike on all attributes together, by bands of their number.
--
-- definition: a class is the people who have a record with the same values of all attributes, a missing cell being a value;
--   somebody with several records is in several classes, and counts in the smallest of them. The chance of error is
--   that of two different cells of an attribute, people or records with one number of 64 bits, at most
-- portable: no
--
-- parameter attributes: integer, how many attributes there are
-- parameter by_record: integer, 1 where each record is a person
-- parameter bounds: integers, the least size of each band
-- parameter all_people: integer, the people behind the records
-- parameter all_records: integer, the records that have a person
WITH {% if not by_record %}alike AS MATERIALIZED (
    SELECT person, hash({% for place in range(attributes) %}h{{ place }}{% if not loop.last %}, {% endif %}{% endfor %}) AS class, COUNT(*) AS records
    FROM fact_values
    GROUP BY person, class
),
{% endif %}
classes AS (
{% if by_record %}
    SELECT hash({% for place in range(attributes) %}h{{ place }}{% if not loop.last %}, {% endif %}{% endfor %}) AS class, COUNT(*) AS class_size, COUNT(*) AS records
    FROM fact_values
{% else %}
    SELECT class, COUNT(*) AS class_size, SUM(records) AS records
    FROM alike
{% endif %}
    GROUP BY class
),
sizes AS (
    SELECT class_size, COUNT(*) AS classes, SUM(records) AS records, {% if by_record %}SUM(class_size){% else %}0{% endif %} AS people
    FROM classes
    GROUP BY class_size
{% if not by_record %}
    UNION ALL
    SELECT class_size, 0 AS classes, 0 AS records, COUNT(*) AS people
    FROM (
        SELECT alike.person, MIN(classes.class_size) AS class_size
        FROM alike
        JOIN classes ON classes.class = alike.class
        GROUP BY alike.person
    ) AS smallest
    GROUP BY class_size
{% endif %}
),
bands AS (
    SELECT least, LEAD(least) OVER (ORDER BY least) - 1 AS most
    FROM (SELECT UNNEST({{ bounds | literal }}) AS least) AS starts
)
SELECT
    bands.least,
    bands.most,
    CAST(SUM(sizes.classes) AS BIGINT) AS classes,
    CAST(SUM(sizes.people) AS BIGINT) AS people,
    SUM(sizes.people) / CAST({{ all_people | literal }} AS DOUBLE) AS share,
    CAST(SUM(sizes.records) AS BIGINT) AS records,
    SUM(sizes.records) / CAST({{ all_records | literal }} AS DOUBLE) AS share_of_records,
    MIN(sizes.class_size) AS smallest_class,
    LEAST(1, CAST({{ attributes + 2 }} AS DOUBLE) * {{ all_records | literal }} * {{ all_records | literal }} / POWER(2, 65)) AS chance_of_error
FROM bands
JOIN sizes ON sizes.class_size >= bands.least AND (bands.most IS NULL OR sizes.class_size <= bands.most)
GROUP BY bands.least, bands.most
ORDER BY bands.least
