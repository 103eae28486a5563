-- sets_that_differ
-- The sets of low attributes, as bits, that hold one in which two groups differ.

        {% for field in fields %}(
        CASE WHEN (xor(one.low, other.low) & {{ field }})
        <> 0{% if ignore_missing %} OR (one.low & {{ field }}) = 0{% endif %}
        THEN CAST({{ holding[loop.index0] }} AS UBIGINT) ELSE CAST(0 AS UBIGINT) END)
        | {% endfor %}CAST(0 AS UBIGINT)
