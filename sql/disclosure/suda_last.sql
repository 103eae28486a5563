-- suda_last
-- Adds the minimal uniques of sets of high attributes that are as large as a set may be.
--
-- definition: no low attribute is added, so who is unique is minimally so, unless known from a smaller set
-- portable: no
--
-- parameter words: integer, words of high attributes
-- parameter several: integer, 1 where a person can have several combinations, else 0
-- parameter missing: integer, 1 where missing values tell nothing
INSERT INTO suda_uniques
WITH single AS (
    SELECT part.number, {% if several %}UNNEST(LIST(rows.member)){% else %}ANY_VALUE(rows.member){% endif %} AS member
    FROM lattice_rows AS rows, lattice_part AS part
{% if missing %}
    WHERE (rows.missing & part.high) = 0
{% endif %}
    GROUP BY part.number{% for word in range(words) %}, rows.h{{ word }} & part.f{{ word }}{% endfor %}

    HAVING {% if several %}COUNT(rows.id) = COUNT(*) AND MIN(rows.id) = MAX(rows.id){% else %}COUNT(*) = 1 AND COUNT(rows.id) = 1{% endif %}

)
SELECT single.member, part.high AS mask
FROM single
JOIN lattice_part AS part ON part.number = single.number
LEFT JOIN suda_known AS known ON known.high = part.high AND known.member = single.member
WHERE known.bits IS NULL OR (known.bits & 1) = 0
