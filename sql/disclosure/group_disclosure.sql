-- group_disclosure
-- What groups tell of a sensitive attribute, where they overlap or their members have several values: as attribute_disclosure.
--
-- definition: of the n members of all groups with a value (records or users) n_v hold the value v; of the n_g of a group
--   n_gv do. alpha, the betas, beyond_enhanced and delta are of p = n_gv / n_g and q = n_v / n, which add up to more
--   than 1 where members hold several values. A group is homogeneous where some value has p = 1. The other measures
--   take the set of its values as the value of a member; a homogeneous group counts as one of one set in distinct_l,
--   entropy_l and recursive_c. k counts all members, with a value or not.
-- missing: as in told_values
-- portable: no
--
-- parameter pairs: relation, who (theirs) is in which group (mine)
-- parameter several: integer, 1 where members have several values
-- parameter ordered: integer, 1 where ordered_t is computed: the values have an order, and members have one each
WITH wholes AS (
{% if several %}
    SELECT member, LIST(value ORDER BY value NULLS LAST) AS value, MAX(n) AS n
    FROM told_values
    GROUP BY member
{% else %}
    SELECT member, value, n
    FROM told_values
{% endif %}
),
whole_cells AS (
    SELECT pairs.mine AS class, wholes.value, CAST(SUM(wholes.n) AS HUGEINT) AS n
    FROM {{ pairs | relation }} AS pairs
    JOIN wholes ON wholes.member = pairs.theirs
    GROUP BY pairs.mine, wholes.value
),
whole_counts AS (
    SELECT value, CAST(SUM(n) AS HUGEINT) AS n
    FROM wholes
    GROUP BY value
),
totals AS (
    SELECT CAST(SUM(n) AS HUGEINT) AS n, COUNT(*) AS different
    FROM whole_counts
),
held AS (
    SELECT pairs.mine AS class, told_values.value, CAST(SUM(told_values.n) AS HUGEINT) AS n
    FROM {{ pairs | relation }} AS pairs
    JOIN told_values ON told_values.member = pairs.theirs
    GROUP BY pairs.mine, told_values.value
),
held_counts AS (
    SELECT value, CAST(SUM(n) AS HUGEINT) AS n
    FROM told_values
    GROUP BY value
),
sizes AS (
    SELECT pairs.mine AS class, SUM(told_members.n) AS size
    FROM {{ pairs | relation }} AS pairs
    JOIN told_members ON told_members.member = pairs.theirs
    GROUP BY pairs.mine
),
views AS (
    SELECT class, CAST(SUM(n) AS BIGINT) AS own
    FROM told_members
    GROUP BY class
),
known AS (
    SELECT class, SUM(n) AS n, COUNT(*) AS different
    FROM whole_cells
    GROUP BY class
),
gains AS (
    SELECT
        held.class,
        MAX(held.n) AS largest,
        MAX(CAST(held.n AS DOUBLE) * totals.n / (known.n * held_counts.n)) AS most,
        MIN(CAST(held.n AS DOUBLE) * totals.n / (known.n * held_counts.n)) AS least,
        SUM(CASE
            WHEN CAST(held.n AS DOUBLE) * totals.n / (known.n * held_counts.n) - 1 > LN(CAST(totals.n AS DOUBLE) / held_counts.n) THEN 1
            ELSE 0
        END) AS beyond
    FROM held
    JOIN known ON known.class = held.class
    JOIN held_counts ON (held_counts.value IS NOT DISTINCT FROM held.value)
    CROSS JOIN totals
    GROUP BY held.class
),
groups AS (
    SELECT
        known.class,
        known.n,
        gains.most,
        gains.least,
        gains.beyond,
        CAST(gains.largest AS DOUBLE) / known.n AS alpha,
        gains.largest = known.n AS homogeneous,
        CASE WHEN gains.largest = known.n THEN 1 ELSE known.different END AS l
    FROM known
    JOIN gains ON gains.class = known.class
),
fewest AS (
    SELECT MIN(l) AS l
    FROM groups
),
ranked AS (
    SELECT
        whole_cells.class,
        whole_cells.n,
        whole_counts.n AS value_n,
        ROW_NUMBER() OVER (PARTITION BY whole_cells.class ORDER BY whole_cells.n DESC) AS rank
    FROM whole_cells
    JOIN whole_counts ON (whole_counts.value IS NOT DISTINCT FROM whole_cells.value)
),
diversities AS (
    SELECT
        ranked.class,
        MAX(ranked.n) AS largest,
        SUM(CASE WHEN ranked.rank >= fewest.l THEN ranked.n ELSE 0 END) AS tail,
        SUM(CAST(ranked.n * LN(ranked.n) AS DECIMAL(38, 15))) AS logarithms,
        SUM(GREATEST(ranked.n * totals.n - ranked.value_n * groups.n, 0)) AS excess
    FROM ranked
    JOIN groups ON groups.class = ranked.class
    CROSS JOIN totals
    CROSS JOIN fewest
    GROUP BY ranked.class
),
{% if ordered %}
places AS (
    SELECT value, SUM(n) OVER (ORDER BY value NULLS LAST) AS so_far
    FROM whole_counts
),
climbing AS (
    SELECT
        groups.class,
        groups.n,
        places.so_far,
        SUM(COALESCE(whole_cells.n, 0)) OVER (PARTITION BY groups.class ORDER BY places.so_far) AS class_so_far
    FROM groups
    CROSS JOIN places
    LEFT JOIN whole_cells ON whole_cells.class = groups.class AND (whole_cells.value IS NOT DISTINCT FROM places.value)
),
distances AS (
    SELECT climbing.class, CAST(SUM(ABS(climbing.class_so_far * totals.n - climbing.so_far * climbing.n)) AS DOUBLE) / climbing.n AS distance
    FROM climbing
    CROSS JOIN totals
    GROUP BY climbing.class, climbing.n
),
{% endif %}
worst AS (
    SELECT
        MAX(groups.alpha) AS alpha,
        MIN(groups.l) AS distinct_l,
        MIN(CASE
            WHEN groups.homogeneous THEN 1
            ELSE GREATEST(EXP(LN(groups.n) - CAST(diversities.logarithms AS DOUBLE) / groups.n), 1)
        END) AS entropy_l,
        MAX(CASE WHEN groups.homogeneous THEN 1 ELSE CAST(diversities.largest AS DOUBLE) / NULLIF(diversities.tail, 0) END) AS recursive_c,
        MAX(CAST(diversities.excess AS DOUBLE) / groups.n) AS excess,
        MAX(groups.most) AS most,
        MIN(groups.least) AS least,
        CAST(SUM(groups.beyond) AS BIGINT) AS beyond,
        COUNT(CASE WHEN groups.homogeneous THEN 1 END) AS homogeneous_classes,
        CAST(COALESCE(SUM(CASE WHEN groups.homogeneous THEN views.own END), 0) AS BIGINT) AS homogeneous_records
    FROM groups
    JOIN diversities ON diversities.class = groups.class
    JOIN views ON views.class = groups.class
)
SELECT
    (SELECT CAST(COALESCE(SUM(own), 0) AS BIGINT) FROM views) AS records,
    (SELECT COUNT(*) FROM views) AS classes,
    (SELECT COUNT(*) FROM held_counts) AS distinct_values,
    (SELECT CAST(MIN(size) AS BIGINT) FROM sizes) AS k,
    worst.alpha,
    CAST(worst.distinct_l AS BIGINT) AS distinct_l,
    worst.entropy_l,
    CAST(fewest.l AS BIGINT) AS recursive_l,
    worst.recursive_c,
    worst.excess / totals.n AS equal_t,
{% if ordered %}
    CASE WHEN totals.different = 1 THEN 0 ELSE (SELECT MAX(distance) FROM distances) / totals.n / (totals.different - 1) END AS ordered_t,
{% else %}
    CAST(NULL AS DOUBLE) AS ordered_t,
{% endif %}
    worst.most - 1 AS basic_beta,
    LEAST(worst.most - 1, (SELECT MAX(LN(CAST(totals.n AS DOUBLE) / held_counts.n)) FROM held_counts)) AS enhanced_beta,
    COALESCE(worst.beyond, 0) AS beyond_enhanced,
    GREATEST(LN(worst.most), -LN(worst.least)) AS delta,
    worst.homogeneous_classes,
    worst.homogeneous_records,
    CAST(worst.homogeneous_records AS DOUBLE) / NULLIF((SELECT SUM(own) FROM views), 0) AS share_homogeneous
FROM worst
CROSS JOIN totals
CROSS JOIN fewest
