-- suda_scores
-- The score of each combination that has a minimal unique, and the part of it that each attribute has.
--
-- definition: a minimal unique of k of m attributes scores (m - k) (m - k - 1) ... (m - M), where M is the largest size that
--   is looked for, m - 1 at most; these are added up. The part of an attribute is that of the minimal uniques that hold it.
--   In the variant of the IHSN it scores (2 ^ (m - k) - 1) / C(m, k): the larger sets but by the number of sets of its size.
-- source: Elliot, Manning and Ford, A computational algorithm for handling the special uniques problem, 2002; sdcMicro, whose
--   first program was the IHSN's
-- portable: no
--
-- parameter weights: integers, the score of a minimal unique by its size, from 1 on; a multiple of it where it is no whole number
-- parameter bits: integers, the bit of each attribute
-- parameter columns: columns, the words with the fields of the attributes
CREATE OR REPLACE TEMP TABLE suda_scores AS
WITH weighed AS (
    SELECT member, mask, CAST({{ weights | literal }} AS {% if weights | max < 2 ** 62 %}BIGINT{% else %}HUGEINT{% endif %}[])[CAST(BIT_COUNT(mask) AS INTEGER)] AS weight
    FROM suda_uniques
),
summed AS (
    SELECT
        member,
        COUNT(*) AS uniques,
        SUM(weight) AS score
{% for bit in bits %}
        , SUM(CASE WHEN (mask & {{ bit }}) <> 0 THEN weight ELSE 0 END) AS s{{ loop.index0 }}
        , COUNT(CASE WHEN (mask & {{ bit }}) <> 0 THEN 1 END) AS n{{ loop.index0 }}
{% endfor %}
    FROM weighed
    GROUP BY member
)
SELECT rows.id, rows.records{% for column in columns %}, rows.{{ column | identifier }}{% endfor %}, summed.*
FROM summed
JOIN lattice_rows AS rows ON rows.member = summed.member
