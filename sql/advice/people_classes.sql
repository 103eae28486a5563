-- people_classes
-- Who is alone, and who is among few, by all that is published of a record together.
--
-- definition: a class is the people who have a record with the same published cells, a missing cell being a value; "bits"
--   is the sum over records of log2 of the people in their class
-- portable: no
--
-- parameter source: relation, the records as they are to be published
-- parameter user: integer, 1 where records have a person, 0 where each is one
-- parameter least: integer, classes of fewer people are small
WITH classes AS (
{% if user %}
    SELECT class, COUNT(*) AS people, SUM(records) AS records, MIN(person) AS first
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
    CAST(COALESCE(MIN(people), 0) AS BIGINT) AS smallest,
    CAST(COALESCE(SUM(CASE WHEN people < {{ least }} THEN records END), 0) AS BIGINT) AS small,
    COUNT(DISTINCT CASE WHEN people = 1 THEN first END) AS alone,
    CAST(COALESCE(SUM(CASE WHEN people = 1 THEN records END), 0) AS BIGINT) AS alone_records,
    COALESCE(CAST(SUM(CAST(records * LOG2(people) AS DECIMAL(38, 12))) AS DOUBLE), 0) AS bits
FROM classes
