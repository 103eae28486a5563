-- box_of_members
-- The box of the tuples of a group: the set b or the ends l and h of each quasi-identifier.

{% for is_set in sets %}
{% set i = loop.index0 %}
{% if is_set %}
    , BIT_OR(CAST(1 AS HUGEINT) << a{{ i }}) AS b{{ i }}
{% else %}
    , MIN(p{{ i }}) AS l{{ i }}
    , MAX(p{{ i }}) AS h{{ i }}
{% endif %}
{% endfor %}
