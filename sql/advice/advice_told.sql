-- advice_told
-- What the combinations of values tell: the sum of t log2 t, t being the records of each, and all records.
--
-- source: Yamaoka and Itoh, section 5 (information U)
-- portable: no
--
-- parameter columns: integers, those of the columns with numbered values that are information
CREATE OR REPLACE TEMP TABLE advice_told AS
SELECT SUM(CAST(t * LOG2(t) AS DECIMAL(38, 12))) AS told, CAST(SUM(t) AS BIGINT) AS records
FROM (
    SELECT SUM(records) AS t
    FROM advice_tuples
    GROUP BY {% for i in columns %}c{{ i }}{% if not loop.last %}, {% endif %}{% endfor %}

) AS combined
