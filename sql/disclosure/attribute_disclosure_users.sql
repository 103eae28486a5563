-- attribute_disclosure_users
-- Attribute disclosure by classes of users with the same history: as attribute_disclosure, for users.
--
-- definition: a class is the users with the same records on the quasi-identifiers, equally often; a user holds every
--   value of the own records. Of n users n_v hold v; of the n_c of a class n_cv do. alpha, the betas, beyond_enhanced
--   and delta use p = n_cv / n_c and q = n_v / n, which add up to more than 1 if users hold several values. A class
--   is homogeneous if some value has p = 1. The other measures take the set of its values as the value of a user; a
--   homogeneous class counts as one of one set in distinct_l, entropy_l and recursive_c, and recursive_l is
--   distinct_l. If users hold one value each, these are the measures of attribute_disclosure.
-- source: as attribute_disclosure, with users in place of records
-- missing: a missing value is a value of its own; duckrisk assess has the other rules. Records without a user are
--   left out.
-- read: a user known to be in a homogeneous class has the value that all its members have; distinct_l 1 means that
--   such a class exists
-- instead: group_disclosure
-- runs: finish
--
-- parameter source: relation, the records
-- parameter user: column, of the record
-- parameter columns: columns, the quasi-identifiers
-- parameter column: column, the sensitive attribute
--
-- column records: BIGINT, users, n: all of them
-- column classes: BIGINT, classes, of users with the same history
-- column distinct_values: BIGINT, values, of the sensitive attribute
-- column k: BIGINT, users, in the smallest class
-- column alpha: DOUBLE, share of a class, that holds one value at most
-- column distinct_l: BIGINT, sets of values, in the class with the fewest
-- column entropy_l: DOUBLE, sets of values, equally frequent ones that would be as uncertain
-- column recursive_l: BIGINT, sets of values, the l that recursive_c goes with
-- column recursive_c: DOUBLE, ratio, of the commonest set to those from the l-th on at most
-- column equal_t: DOUBLE, distance, between 0 and 1, all sets equally far from each other
-- column ordered_t: DOUBLE, distance, by the order; none where users hold several values, or classes times values are
--   above 20 million
-- column basic_beta: DOUBLE, relative gain, of the share of a value
-- column enhanced_beta: DOUBLE, relative gain, bounded for frequent values
-- column beyond_enhanced: BIGINT, class and value pairs, whose gain is above -ln q
-- column delta: DOUBLE, natural logarithm, of the largest ratio of shares either way
-- column homogeneous_classes: BIGINT, classes, all of whose users hold one value
-- column homogeneous_records: BIGINT, users, in them
-- column share_homogeneous: DOUBLE, share of users, homogeneous_records / records
WITH known AS (
    SELECT
        {{ user | identifier }} AS person,
        ROW({{ columns | identifiers }}) AS record,
        {{ column | identifier }} AS value
    FROM {{ source | relation }}
),
profiles AS (
    SELECT person, LIST(record ORDER BY record) AS profile
    FROM known
    WHERE person IS NOT NULL
    GROUP BY person
),
classes AS MATERIALIZED (
    SELECT ROW_NUMBER() OVER () AS class, people
    FROM (SELECT LIST(person) AS people FROM profiles GROUP BY profile) AS alike
),
members AS MATERIALIZED (
    SELECT class, UNNEST(people) AS person
    FROM classes
),
sizes AS (
    SELECT class, COUNT(*) AS n
    FROM members
    GROUP BY class
),
held AS MATERIALIZED (
    SELECT members.class, told.person, told.value
    FROM (SELECT DISTINCT person, value FROM known WHERE person IS NOT NULL) AS told
    JOIN members ON members.person = told.person
),
wholes AS MATERIALIZED (
    SELECT class, person, LIST(value ORDER BY value NULLS LAST) AS value
    FROM held
    GROUP BY class, person
),
totals AS (
    SELECT
        CAST(COUNT(*) AS HUGEINT) AS n,
        COUNT(DISTINCT value) AS different,
        MAX(LEN(value)) AS most_values
    FROM wholes
),
value_counts AS (
    SELECT value, CAST(COUNT(*) AS HUGEINT) AS n
    FROM held
    GROUP BY value
),
cells AS (
    SELECT held.class, held.value, CAST(COUNT(*) AS HUGEINT) AS n
    FROM held
    GROUP BY held.class, held.value
),
ratios AS (
    SELECT
        cells.class,
        cells.n,
        CAST(cells.n AS DOUBLE) * totals.n / (sizes.n * value_counts.n) AS ratio,
        LN(CAST(totals.n AS DOUBLE) / value_counts.n) AS surprise
    FROM cells
    JOIN sizes ON sizes.class = cells.class
    JOIN value_counts ON (value_counts.value IS NOT DISTINCT FROM cells.value)
    CROSS JOIN totals
),
gains AS (
    SELECT
        class,
        MAX(n) AS largest,
        MAX(ratio) AS most,
        MIN(ratio) AS least,
        SUM(CASE WHEN ratio - 1 > surprise THEN 1 ELSE 0 END) AS beyond
    FROM ratios
    GROUP BY class
),
set_counts AS (
    SELECT value, CAST(COUNT(*) AS HUGEINT) AS n
    FROM wholes
    GROUP BY value
),
set_cells AS (
    SELECT class, value, CAST(COUNT(*) AS HUGEINT) AS n
    FROM wholes
    GROUP BY class, value
),
groups AS (
    SELECT
        gains.class,
        sizes.n,
        gains.most,
        gains.least,
        gains.beyond,
        CAST(gains.largest AS DOUBLE) / sizes.n AS alpha,
        gains.largest = sizes.n AS homogeneous,
        CASE WHEN gains.largest = sizes.n THEN 1 ELSE different.n END AS l
    FROM gains
    JOIN sizes ON sizes.class = gains.class
    JOIN (SELECT class, COUNT(*) AS n FROM set_cells GROUP BY class) AS different ON different.class = gains.class
),
fewest AS (
    SELECT MIN(l) AS l
    FROM groups
),
ranked AS (
    SELECT
        set_cells.class,
        set_cells.n,
        set_counts.n AS set_n,
        ROW_NUMBER() OVER (PARTITION BY set_cells.class ORDER BY set_cells.n DESC) AS rank
    FROM set_cells
    JOIN set_counts ON set_counts.value = set_cells.value
),
diversities AS (
    SELECT
        ranked.class,
        MAX(ranked.n) AS largest,
        SUM(CASE WHEN ranked.rank >= fewest.l THEN ranked.n ELSE 0 END) AS tail,
        SUM(CAST(ranked.n * LN(ranked.n) AS DECIMAL(38, 15))) AS logarithms,
        SUM(GREATEST(ranked.n * totals.n - ranked.set_n * groups.n, 0)) AS excess
    FROM ranked
    JOIN groups ON groups.class = ranked.class
    CROSS JOIN totals
    CROSS JOIN fewest
    GROUP BY ranked.class
),
places AS MATERIALIZED (
    SELECT value, SUM(n) OVER (ORDER BY value[1] NULLS LAST) AS so_far
    FROM set_counts
    WHERE (SELECT most_values FROM totals) = 1
        AND (SELECT COUNT(*) FROM classes) * (SELECT different FROM totals) <= 20000000
),
climbing AS (
    SELECT
        groups.class,
        groups.n,
        places.so_far,
        SUM(COALESCE(set_cells.n, 0)) OVER (PARTITION BY groups.class ORDER BY places.so_far) AS class_so_far
    FROM groups
    CROSS JOIN places
    LEFT JOIN set_cells ON set_cells.class = groups.class AND set_cells.value = places.value
),
distances AS (
    SELECT
        climbing.class,
        CAST(SUM(ABS(climbing.class_so_far * totals.n - climbing.so_far * climbing.n)) AS DOUBLE)
            / climbing.n AS distance
    FROM climbing
    CROSS JOIN totals
    GROUP BY climbing.class, climbing.n
),
worst AS (
    SELECT
        MIN(groups.n) AS k,
        MAX(groups.alpha) AS alpha,
        MIN(groups.l) AS distinct_l,
-- include: worst_groups
        CAST(COALESCE(SUM(CASE WHEN groups.homogeneous THEN groups.n END), 0) AS BIGINT) AS homogeneous_records
    FROM groups
    JOIN diversities ON diversities.class = groups.class
)
SELECT
    CAST(totals.n AS BIGINT) AS records,
    (SELECT COUNT(*) FROM classes) AS classes,
    (SELECT COUNT(*) FROM value_counts) AS distinct_values,
    CAST(worst.k AS BIGINT) AS k,
    worst.alpha,
    CAST(worst.distinct_l AS BIGINT) AS distinct_l,
    worst.entropy_l,
    CAST(worst.distinct_l AS BIGINT) AS recursive_l,
    worst.recursive_c,
    worst.excess / totals.n AS equal_t,
    CASE
        WHEN totals.most_values > 1 THEN NULL
        WHEN totals.different = 1 THEN 0
        ELSE (SELECT MAX(distance) FROM distances) / totals.n / (totals.different - 1)
    END AS ordered_t,
    worst.most - 1 AS basic_beta,
    LEAST(worst.most - 1, (SELECT MAX(surprise) FROM ratios)) AS enhanced_beta,
    COALESCE(worst.beyond, 0) AS beyond_enhanced,
    GREATEST(LN(worst.most), -LN(worst.least)) AS delta,
    worst.homogeneous_classes,
    worst.homogeneous_records,
    CAST(worst.homogeneous_records AS DOUBLE) / NULLIF(totals.n, 0) AS share_homogeneous
FROM worst
CROSS JOIN totals
