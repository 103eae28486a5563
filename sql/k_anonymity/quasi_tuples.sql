-- quasi_tuples
-- The different tuples of quasi-identifiers, numbered in the order of their values, with how many records have each.
--
-- portable: no
--
-- parameter columns: columns, the quasi-identifiers
CREATE OR REPLACE TEMP TABLE quasi_tuples AS
WITH different AS (
    SELECT {% for column in columns %}a{{ loop.index0 }}, {% endfor %}COUNT(*) AS n
    FROM quasi_records
    GROUP BY {% for column in columns %}a{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %}

)
SELECT
    ROW_NUMBER() OVER (ORDER BY {% for column in columns %}a{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %}) AS tuple,
    n
{% for column in columns %}
    , a{{ loop.index0 }}
{% endfor %}
FROM different
