-- facts_known
-- Whom sets of attributes of one size single out.
--
-- definition: as in uniqueness; of a sample of people those alone are looked at who are like somebody in it
-- portable: no
--
-- parameter places: integers, the places of the attributes of the sets, one set after another
-- parameter size: integer, how many attributes each set has
-- parameter by_record: integer, 1 where each record is a person
-- parameter sampled: integer, 1 where fact_sample holds the records of the people who are looked at
-- parameter missing: integers, the places of the attributes of which a missing cell singles nobody out
{% for start in range(0, places | length, size) %}
{% set facts = places[start:start + size] %}
{% if start %}
UNION ALL
{% endif %}
SELECT
    {{ start // size }} AS number,
    COUNT(*) AS classes,
{% if by_record %}
    COUNT(CASE WHEN records = 1 THEN 1 END) AS people,
    COUNT(CASE WHEN records = 1 THEN 1 END) AS records
{% else %}
    COUNT(DISTINCT CASE WHEN first = last THEN first END) AS people,
    CAST(COALESCE(SUM(CASE WHEN first = last THEN records END), 0) AS BIGINT) AS records
{% endif %}
FROM (
    SELECT {% if not by_record %}MIN(person) AS first, MAX(person) AS last, {% endif %}COUNT(*) AS records
    FROM fact_values AS known
{% if sampled %}
    SEMI JOIN fact_sample AS sample ON {% for place in facts %}sample.h{{ place }} = known.h{{ place }}{% if not loop.last %} AND {% endif %}{% endfor %}

{% endif %}
    WHERE TRUE{% for place in facts %}{% if place in missing %} AND known.h{{ place }} <> hash(NULL){% endif %}{% endfor %}

    GROUP BY {% for place in facts %}known.h{{ place }}{% if not loop.last %}, {% endif %}{% endfor %}

) AS classes
{% endfor %}
ORDER BY number
