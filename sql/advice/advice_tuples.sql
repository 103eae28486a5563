-- advice_tuples
-- Numbers the different combinations of values, whoever has them.
--
-- portable: no
--
-- parameter columns: integer, how many columns have numbered values
CREATE OR REPLACE TEMP TABLE advice_tuples AS
SELECT *, ROW_NUMBER() OVER () AS tuple
FROM (
    SELECT
{% for i in range(columns) %}
        c{{ i }},
{% endfor %}
        present,
        CAST(SUM(records) AS BIGINT) AS records
    FROM advice_records
    GROUP BY {% for i in range(columns) %}c{{ i }}, {% endfor %}present
) AS combined
