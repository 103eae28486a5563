-- box_with_tuple
-- A box that takes a tuple in: the set b or the ends l and h of each quasi-identifier.

{% for is_set in sets %}
{% set i = loop.index0 %}
{% if is_set %}
    , boxes.b{{ i }} | (CAST(1 AS HUGEINT) << added.a{{ i }}) AS b{{ i }}
{% else %}
    , LEAST(boxes.l{{ i }}, added.p{{ i }}) AS l{{ i }}
    , GREATEST(boxes.h{{ i }}, added.p{{ i }}) AS h{{ i }}
{% endif %}
{% endfor %}
