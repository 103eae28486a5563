-- settle
-- Books the persons whom tiers singled out: no set with a greater ease does.
--
-- definition: of equally easy sets the first is the one that is smallest as a binary number, the first
--   attribute being its lowest bit
-- portable: no
--
-- parameter tier: integer or none, the tier whose persons are booked; none books those of all tiers
-- parameter low: integer or none, the first of the numbers of persons that are looked at; none looks at all of them
-- parameter high: integer or none, the last
-- parameter several: integer, 1 where a person can have several combinations, else 0
-- parameter persons: column, the table with the persons' missing values, and only with those who are to be booked
INSERT INTO settled BY NAME
WITH booked AS (
    SELECT
        id,
        {% if tier is none %}MIN(tier){% else %}{{ tier | literal }}{% endif %} AS tier,
        MIN(mask) AS first_mask, BIT_OR(mask) AS any_mask, BIT_AND(mask) AS every_mask
    FROM best
    WHERE TRUE
{% if tier is not none %}
        AND tier = {{ tier | literal }}
{% endif %}
{% if low is not none %}
        AND id BETWEEN {{ low | literal }} AND {{ high | literal }}
{% endif %}
    GROUP BY id
)
{% if several %}
SELECT *, 0 AS missing FROM booked
{% else %}
SELECT booked.*, missing
FROM booked
JOIN {{ persons | identifier }} AS persons USING (id)
{% if low is not none %}
WHERE persons.id BETWEEN {{ low | literal }} AND {{ high | literal }}
{% endif %}
{% endif %}
