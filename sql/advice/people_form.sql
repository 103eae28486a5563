-- people_form
-- What becomes of each value of a column that is published in some form.
--
-- definition: "cell" is the number of the published cell, "leaves" how many values it covers, "k" the number of what is
--   known of it by each of its attributes, 0 where that is missing
-- portable: no
--
-- parameter values: column, the table with the values
-- parameter place: integer, the place of the column, which its numbers depend on
-- parameter cell: attribute or none, the published cell of a value; none publishes it as it is
-- parameter known: attributes, what is known of a value
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH made AS (
    SELECT
        h,
        MIN(CASE WHEN h = 0 THEN h ELSE {% if cell %}hash({{ cell | value }}){% else %}h{% endif %} END) AS published,
        SUM(records) AS records
{% for attribute in known %}
        , MIN(CASE WHEN {{ attribute | value }} IS NULL THEN CAST(0 AS UBIGINT) ELSE GREATEST(hash({{ attribute | value }}), 1) END) AS k{{ loop.index0 }}
{% endfor %}
    FROM {{ values | identifier }} AS different
    GROUP BY h
)
SELECT *, hash(xor(published, hash({{ place }}))) AS cell, COUNT(*) OVER (PARTITION BY published) AS leaves
FROM made
