-- compared_sets
-- The sets of attributes that are compared, with the bits of their fields.

{% if replace %}
CREATE OR REPLACE TEMP TABLE covered_combinations AS
{% else %}
INSERT INTO covered_combinations BY NAME
{% endif %}
WITH sets AS (
    SELECT
        UNNEST(CAST({{ false_masks | literal }} AS BIGINT[])) AS false_mask,
        UNNEST(CAST({{ once_masks | literal }} AS BIGINT[])) AS once_mask,
{% for word in words %}
        UNNEST(CAST({{ fields[loop.index0] | literal }} AS BIGINT[])) AS fields{{ word }},
        UNNEST(CAST({{ compared[loop.index0] | literal }} AS BIGINT[])) AS compared{{ word }},
{% endfor %}
{% for i in sizes %}
        UNNEST([{% for set in sets %}{{ 1 if i in set else 0 }}{{ loop | between(", ") }}{% endfor %}]) AS has{{ i }},
{% endfor %}
        UNNEST(RANGE({{ first_set }}, {{ first_set + sets | length }})) AS number
),
