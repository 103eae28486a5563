-- cost_of_box
-- The cost of a box for each of its records, by the set b or the ends l and h of each quasi-identifier.

{% for weight in weights %}
{% set i = loop.index0 %}
{% if not loop.first %}+ {% endif %}{{ weight | literal }} *
{% if sets[i] %}
    CASE WHEN BIT_COUNT(b{{ i }}) = 1 THEN 0
        WHEN b{{ i }} & 1 = 1{% if leaves[i] > most %} OR BIT_COUNT(b{{ i }}) > {{ most }}{% endif %} THEN 1
        ELSE BIT_COUNT(b{{ i }}) / CAST({{ leaves[i] }} AS DOUBLE) END
{% else %}
    LEAST(1, h{{ i }} - l{{ i }})
{% endif %}
{% endfor %}
