-- side_of_cut
-- Whether a tuple is on the low side of a cut: in its set, or not above its value.

CASE best.attribute
{% for is_set in sets %}
    WHEN {{ loop.index0 }} THEN
{% if is_set %}
        (best.bits >> work.a{{ loop.index0 }}) & 1 = 1
{% else %}
        work.a{{ loop.index0 }} <= best.cut
{% endif %}
{% endfor %}
END
