-- settle
-- Books the persons whom the tier singled out: no set with a greater ease does.
--
-- definition: of equally easy sets the first is the one that is smallest as a binary number, the first
--   attribute being its lowest bit
-- portable: no
--
-- parameter best: column, the table of persons and sets
-- parameter tier: integer, the number of the tier
-- parameter several: integer, 1 where a person can have several combinations, else 0
INSERT INTO settled BY NAME
SELECT
    id,
    {{ tier | literal }} AS tier,
    MIN(mask) AS first_mask,
    BIT_OR(mask) AS any_mask,
    BIT_AND(mask) AS every_mask,
{% if several %}
    0 AS missing
{% else %}
    ANY_VALUE(missing) AS missing
{% endif %}
FROM {{ best | identifier }} AS best
{% if not several %}
JOIN open_persons USING (id)
{% endif %}
GROUP BY id
