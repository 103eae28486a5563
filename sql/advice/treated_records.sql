-- treated_records
-- What an attacker can know of each record of a treated table, packed into words of 60 bits.
--
-- portable: no
--
-- parameter forms: texts, the tables with the forms of the columns that are published
-- parameter columns: integers, the numbers of these columns
-- parameter fields: integers, for each attribute the place of its column among these and its number among the column's
--   attributes; for one of which only counts whether it is there, -1 and its bit
-- parameter searched: integer, how many attributes make the sets
-- parameter words: integers, the word that holds the field of each attribute
-- parameter shifts: integers, where in its word a field begins
-- parameter masks: integers, the bits of each field in its word
-- parameter deleted: integer, 1 where records are deleted
-- parameter several: integer, 1 where the persons are pseudonyms, else 0
-- parameter period: expression or none, the first day of a pseudonym's period, from the day
-- parameter set_bits: integer, bits of an attribute set
CREATE OR REPLACE TEMP TABLE treated_records AS
WITH packed AS (
    SELECT
        treated_cells.tuple
{% for word in range(words | max + 1) %}
        , CAST(0 AS BIGINT){% for i in range(fields | length) if words[i] == word %} | {% if fields[i][0] < 0 %}(CASE WHEN (treated_cells.present & {{ fields[i][1] }}) = 0 THEN CAST(0 AS BIGINT) ELSE {{ 2 ** shifts[i] }} END){% elif i < searched %}(CAST(f{{ fields[i][0] }}.k{{ fields[i][1] }} AS BIGINT) << {{ shifts[i] }}){% else %}(CASE WHEN f{{ fields[i][0] }}.k{{ fields[i][1] }} = 0 THEN CAST(0 AS BIGINT) ELSE {{ 2 ** shifts[i] }} END){% endif %}{% endfor %} AS p{{ word }}
{% endfor %}
        , treated_cells.records
    FROM treated_cells
{% for form in forms %}
    JOIN {{ form | identifier }} AS f{{ loop.index0 }} ON f{{ loop.index0 }}.code = treated_cells.c{{ columns[loop.index0] }}
{% endfor %}
{% if deleted %}
    WHERE NOT EXISTS (SELECT 1 FROM treated_deletions WHERE treated_deletions.tuple = treated_cells.tuple)
{% endif %}
)
SELECT
{% for word in range(words | max + 1) %}
    p{{ word }},
{% endfor %}
    CAST({% for i in range(fields | length) %}(CASE WHEN (p{{ words[i] }} & {{ masks[i] }}) = 0 THEN CAST({{ 2 ** i }} AS BIGINT) ELSE 0 END){% if not loop.last %} | {% endif %}{% endfor %} AS {{ set_bits | integer_type }}) AS missing,
{% if several %}
    persons.code AS person,
    advice_people.records
FROM packed
JOIN advice_people ON advice_people.tuple = packed.tuple
JOIN persons
    ON persons.person = advice_people.person
    AND (persons.period IS NOT DISTINCT FROM {% if period is not none %}{{ period | expression }}{% else %}CAST(NULL AS DATE){% endif %})
{% else %}
    packed.tuple AS person,
    packed.records
FROM packed
{% endif %}
