-- places_of_cells
-- The place of a cell, its number in each dimension or 0 for a total, and its labels; reads v and t of each dimension.

    [
{% for dimension in dimensions %}
        CASE
            WHEN t{{ loop.index0 }} THEN 0
            ELSE DENSE_RANK() OVER (PARTITION BY t{{ loop.index0 }} ORDER BY v{{ loop.index0 }} NULLS LAST)
        END{{ loop | between }}

{% endfor %}
    ] AS places,
    [
{% for dimension in dimensions %}
        CASE
            WHEN t{{ loop.index0 }} THEN 't'
            ELSE COALESCE('v' || CAST(v{{ loop.index0 }} AS VARCHAR), 'n')
        END{{ loop | between }}

{% endfor %}
    ] AS keys,
