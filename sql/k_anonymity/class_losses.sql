-- class_losses
-- The penalty of all classes, and which quasi-identifiers changed anywhere.
--
-- definition: ncp = the sum over records and quasi-identifiers of the share of all values that a cell covers, 0 where it
--   is one value; gcp = ncp / (records * quasi-identifiers)
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006; Ghinita et al., Fast data
--   anonymization with low information loss, VLDB 2007
-- portable: no
--
-- parameter columns: columns, the quasi-identifiers
WITH totals AS (
    SELECT
        SUM(n) AS records,
        SUM(n * CAST({% for column in columns %}loss{{ loop.index0 }}{% if not loop.last %} + {% endif %}{% endfor %} AS DECIMAL(18, 15))) AS ncp,
        [{% for column in columns %}BOOL_OR(changed{{ loop.index0 }}){% if not loop.last %}, {% endif %}{% endfor %}] AS changed
    FROM quasi_cells
)
SELECT
    CAST(ncp AS DOUBLE) AS ncp,
    CAST(ncp AS DOUBLE) / (records * {{ columns | length }}) AS gcp,
    changed
FROM totals
