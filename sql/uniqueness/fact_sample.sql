-- fact_sample
-- Keeps the records by which a sample of people is singled out, of those whom all attributes together single out.
--
-- definition: nobody else is singled out by fewer attributes. The sample is drawn by hashes: of the person, and where each
--   record is one of its values.
-- portable: no
--
-- parameter attributes: integer, how many attributes there are
-- parameter by_record: integer, 1 where each record is a person
-- parameter one_in: integer, of so many people one is drawn
{% set places = range(attributes) %}
CREATE OR REPLACE TEMP TABLE fact_sample AS
SELECT MIN(person) AS person, COUNT(*) AS records{% for place in places %}, MIN(h{{ place }}) AS h{{ place }}{% endfor %}

FROM fact_values
{% if by_record %}
WHERE hash({% for place in places %}h{{ place }}{% if not loop.last %}, {% endif %}{% endfor %}) % {{ one_in }} = 0
{% else %}
WHERE hash({% for place in places %}h{{ place }}{% if not loop.last %}, {% endif %}{% endfor %}) IN (
    SELECT hash({% for place in places %}h{{ place }}{% if not loop.last %}, {% endif %}{% endfor %})
    FROM fact_values
    WHERE person % {{ one_in }} = 0
)
{% endif %}
GROUP BY hash({% for place in places %}h{{ place }}{% if not loop.last %}, {% endif %}{% endfor %})
HAVING {% if by_record %}COUNT(*) = 1{% else %}MIN(person) = MAX(person) AND MIN(person) % {{ one_in }} = 0{% endif %}

