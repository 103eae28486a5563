-- classes_of_pairs
-- The classes of pairs of patterns, over the attributes that both have.

{% for place in range(attributes) %}
        class_codes.k{{ place }} & pairs.m{{ place }} AS k{{ place }},
{% endfor %}
        class_codes.records,
        class_codes.weight,
        class_codes.people
    FROM class_codes
    JOIN pairs ON pairs.held = class_codes.pattern
),
-- Unused rows, most of the table, are dropped first.
