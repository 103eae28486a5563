-- known_tuples
-- The different combinations of the attributes' values, with their records.
--
-- portable: no
--
-- parameter source: relation, the records
-- parameter columns: columns, the columns of the attributes
CREATE OR REPLACE TEMP TABLE known_tuples AS
SELECT {% for column in columns %}{{ column | identifier }}, {% endfor %}COUNT(*) AS records
FROM {{ source | relation }}
GROUP BY {% for column in columns %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}

