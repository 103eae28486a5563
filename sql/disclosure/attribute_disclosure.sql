-- attribute_disclosure
-- Attribute disclosure by the classes of a quasi-identifier, under every rule for missing values.
--
-- idea: where a missing value is a value, the metric's own statement suffices. Under the other rules groups overlap:
--   agreeing classes, or users with agreeing histories, are listed, and group_disclosure computes the same figures
--   for groups with common members.
-- source: as attribute_disclosure
-- runs: finish
-- reads: class_fitting, class_histories, class_profiles, known_classes
-- makes: sensitive_members, group_pairs, sensitive_values
--
-- parameter source: relation, the records
-- parameter columns: columns, the quasi-identifiers
-- parameter column: column, the sensitive attribute
-- parameter fitted: flag, users with missing values are grouped with the users who fit them

-- name: attribute_disclosure
-- Attribute disclosure by the classes of a quasi-identifier: l-diversity, t-closeness and related measures.
--
-- definition: of n records, n_v hold the value v; of the n_c records of a class c, n_cv do; p = n_cv / n_c, q = n_v /
--   n. k = min n_c; alpha = max p; distinct_l = the fewest values in a class; entropy_l = min over classes of
--   exp(-sum p ln p). recursive_c = max over classes of r_1 / (r_l + ... + r_m), r the counts of a class from the
--   largest down and l = recursive_l: the table is recursively (c, l)-diverse for every c above it. equal_t = max
--   over classes of sum |p - q| / 2; ordered_t = max of the sum over the values but the last, in their order, of |sum
--   of p so far - sum of q so far|, divided by the values less one. basic_beta = max (p - q) / q; enhanced_beta = the
--   smaller of basic_beta and max(-ln q); delta = max |ln(p / q)| over the values in a class.
-- source: Machanavajjhala et al., l-diversity, TKDD 2007; Li et al., t-closeness, ICDE 2007; Wong et al., (alpha,
--   k)-anonymity, KDD 2006; Cao and Karras, beta-likeness, PVLDB 2012; Brickell and Shmatikov, delta-disclosure, KDD
--   2008
-- missing: a missing value is a value of its own, in the quasi-identifier and in the sensitive attribute, where it is
--   last in the order.
-- read: distinct_l 1 means that all records of a class share one value: a person known to be in it has that value.
--   equal_t 0 means that every class has the distribution of the whole table. beyond_enhanced above 0 means that no
--   beta makes the table enhanced beta-like. The order is meaningful for numbers and dates only.
--
-- parameter source: relation, the records
-- parameter columns: columns, the quasi-identifiers
-- parameter column: column, the sensitive attribute
-- parameter l: integer or none, the l of recursive_c; none takes distinct_l
--
-- column records: BIGINT, records, n: all of them
-- column classes: BIGINT, classes, of records that agree on the quasi-identifiers
-- column distinct_values: BIGINT, values, of the sensitive attribute
-- column k: BIGINT, records, in the smallest class
-- column alpha: DOUBLE, share of a class, that its commonest value has at most
-- column distinct_l: BIGINT, values, in the class with the fewest
-- column entropy_l: DOUBLE, values, equally frequent ones that would be as uncertain
-- column recursive_l: BIGINT, values, the l that recursive_c goes with
-- column recursive_c: DOUBLE, ratio, none where a class has fewer than recursive_l values
-- column equal_t: DOUBLE, distance, between 0 and 1, all values equally far from each other
-- column ordered_t: DOUBLE, distance, between 0 and 1, where the distance of values is the difference of their ranks
-- column basic_beta: DOUBLE, relative gain, of the share of a value
-- column enhanced_beta: DOUBLE, relative gain, bounded for frequent values
-- column beyond_enhanced: BIGINT, class and value pairs, whose gain is above -ln q
-- column delta: DOUBLE, natural logarithm, of the largest ratio of shares either way
-- column homogeneous_classes: BIGINT, classes, all of whose records share one value
-- column homogeneous_records: BIGINT, records, in them
-- column share_homogeneous: DOUBLE, share of records, homogeneous_records / records
WITH known AS (
    SELECT
        {% for name in columns %}{{ name | identifier }} AS a{{ loop.index }}, {% endfor %}

        {{ column | identifier }} AS value
    FROM {{ source | relation }}
),
cells AS (
    SELECT {% for _ in columns %}a{{ loop.index }}, {% endfor %}value, COUNT(*) AS records
    FROM known
    GROUP BY {% for _ in columns %}a{{ loop.index }}, {% endfor %}value
),
counts AS (
    SELECT value, CAST(SUM(records) AS BIGINT) AS records
    FROM cells
    GROUP BY value
),
places AS (
    SELECT
        value,
        records,
        ROW_NUMBER() OVER (ORDER BY value NULLS LAST) AS place,
        CAST(SUM(records) OVER (ORDER BY value NULLS LAST) AS BIGINT) AS so_far
    FROM counts
),
domain AS (
    SELECT value, records, place, so_far, CAST(SUM(so_far) OVER (ORDER BY place) AS HUGEINT) AS area
    FROM places
),
totals AS (
    SELECT CAST(SUM(records) AS HUGEINT) AS records, COUNT(*) AS distinct_values, MIN(records) AS rarest
    FROM domain
),
held AS (
    SELECT {% for _ in columns %}cells.a{{ loop.index }}, {% endfor %}domain.place, cells.records
    FROM cells
    INNER JOIN domain ON (cells.value IS NOT DISTINCT FROM domain.value)
),
class_lists AS (
    SELECT
        CAST(SUM(records) AS BIGINT) AS class_records,
        COUNT(*) AS class_values,
        LIST({'place': place, 'records': records}) AS class_cells
    FROM held
    GROUP BY {{ columns | each("a{n}") }}

),
classes AS (
    SELECT ROW_NUMBER() OVER () AS class, class_records, class_values, UNNEST(class_cells) AS cell
    FROM class_lists
),
opened AS (
    SELECT
        class, CAST(class_records AS HUGEINT) AS class_records, class_values,
        cell.place AS place, cell.records AS records
    FROM classes
),
fewest AS (
    SELECT {% if l is none %}MIN(class_values){% else %}MAX({{ l | literal }}){% endif %} AS l
    FROM class_lists
),
-- From the largest count of a class down, and from the smallest index up.
ranked AS (
    SELECT
        class, class_records, class_values, place, records,
        ROW_NUMBER() OVER (PARTITION BY class ORDER BY records DESC, place) AS rank,
        CAST(SUM(records) OVER (PARTITION BY class ORDER BY place) AS HUGEINT) AS class_so_far,
        LEAD(place) OVER (PARTITION BY class ORDER BY place) AS next_place
    FROM opened
),
-- Between two values of a class its own sum is constant while that of the table exceeds it at a turning point, so
-- values missing in the class need no row.
steps AS (
    SELECT
        ranked.class,
        ranked.class_records,
        ranked.class_values,
        ranked.records,
        ranked.rank,
        domain.records AS value_records,
        ranked.place,
        COALESCE(ranked.next_place, totals.distinct_values) AS until,
        ranked.class_so_far * totals.records AS height,
        ranked.class_so_far * totals.records // ranked.class_records AS turning,
        domain.area - domain.so_far AS area_before,
        ROW_NUMBER() OVER (PARTITION BY ranked.class ORDER BY ranked.place) AS step
    FROM ranked
    INNER JOIN domain ON ranked.place = domain.place
    CROSS JOIN totals
),
turned AS (
    SELECT
        steps.class,
        steps.class_records,
        steps.class_values,
        steps.records,
        steps.rank,
        steps.value_records,
        steps.step,
        steps.place,
        steps.until,
        steps.height,
        steps.area_before,
        GREATEST(LEAST(COALESCE(domain.place, 0), steps.until - 1), steps.place - 1) AS turn
    FROM steps
    ASOF LEFT JOIN domain ON steps.turning >= domain.so_far
),
gaps AS (
    SELECT
        turned.class,
        turned.class_records,
        turned.class_values,
        turned.records,
        turned.rank,
        turned.value_records,
        CASE WHEN turned.step = 1 THEN turned.class_records * turned.area_before ELSE 0 END
        + turned.height * (2 * turned.turn - turned.place - turned.until + 2)
        + turned.class_records * (
            turned.area_before + ending.area
            - 2 * CASE WHEN turned.turn = turned.place - 1 THEN turned.area_before ELSE turning.area END
        ) AS distance
    FROM turned
    LEFT JOIN domain AS turning ON turned.turn = turning.place
    INNER JOIN (
        SELECT place + 1 AS until, area FROM domain
        UNION ALL
        SELECT 1 AS until, 0 AS area
    ) AS ending ON turned.until = ending.until
),
measured AS (
    SELECT
        gaps.class,
        gaps.class_records,
        gaps.class_values,
        MAX(gaps.records) AS largest,
        CAST(SUM(CASE WHEN gaps.rank >= fewest.l THEN gaps.records ELSE 0 END) AS BIGINT) AS tail,
        SUM(CAST(gaps.records * LN(gaps.records) AS DECIMAL(38, 15))) AS logarithms,
        SUM(GREATEST(gaps.records * totals.records - gaps.value_records * gaps.class_records, 0)) AS excess,
        SUM(gaps.distance) AS distance,
        MAX(CAST(gaps.records AS DOUBLE) * totals.records / (gaps.class_records * gaps.value_records)) AS most,
        MIN(CAST(gaps.records AS DOUBLE) * totals.records / (gaps.class_records * gaps.value_records)) AS least,
        SUM(CASE
            WHEN CAST(gaps.records AS DOUBLE) * totals.records / (gaps.class_records * gaps.value_records) - 1
                > LN(CAST(totals.records AS DOUBLE) / gaps.value_records) THEN 1
            ELSE 0
        END) AS beyond
    FROM gaps
    CROSS JOIN totals
    CROSS JOIN fewest
    GROUP BY gaps.class, gaps.class_records, gaps.class_values
),
worst AS (
    SELECT
        COUNT(*) AS classes,
        MIN(class_records) AS k,
        MAX(CAST(largest AS DOUBLE) / class_records) AS alpha,
        MIN(class_values) AS distinct_l,
        GREATEST(MIN(EXP(LN(class_records) - CAST(logarithms AS DOUBLE) / class_records)), 1) AS entropy_l,
        MAX(CAST(largest AS DOUBLE) / NULLIF(tail, 0)) AS recursive_c,
        SUM(CASE WHEN tail = 0 THEN 1 ELSE 0 END) AS without_tail,
        MAX(CAST(excess AS DOUBLE) / class_records) AS excess,
        MAX(CAST(distance AS DOUBLE) / class_records) AS distance,
        MAX(most) AS most,
        MIN(least) AS least,
        CAST(SUM(beyond) AS BIGINT) AS beyond,
        CAST(SUM(CASE WHEN class_values = 1 THEN 1 ELSE 0 END) AS BIGINT) AS homogeneous_classes,
        CAST(SUM(CASE WHEN class_values = 1 THEN class_records ELSE 0 END) AS BIGINT) AS homogeneous_records
    FROM measured
)
SELECT
    CAST(COALESCE(totals.records, 0) AS BIGINT) AS records,
    worst.classes,
    totals.distinct_values,
    CAST(worst.k AS BIGINT) AS k,
    worst.alpha,
    worst.distinct_l,
    worst.entropy_l,
    CAST(fewest.l AS BIGINT) AS recursive_l,
    CASE WHEN worst.without_tail = 0 THEN worst.recursive_c END AS recursive_c,
    worst.excess / totals.records AS equal_t,
    CASE
        WHEN totals.distinct_values = 1 THEN 0
        ELSE worst.distance / totals.records / (totals.distinct_values - 1)
    END AS ordered_t,
    worst.most - 1 AS basic_beta,
    LEAST(worst.most - 1, LN(CAST(totals.records AS DOUBLE) / totals.rarest)) AS enhanced_beta,
    COALESCE(worst.beyond, 0) AS beyond_enhanced,
    GREATEST(LN(worst.most), -LN(worst.least)) AS delta,
    COALESCE(worst.homogeneous_classes, 0) AS homogeneous_classes,
    COALESCE(worst.homogeneous_records, 0) AS homogeneous_records,
    CAST(worst.homogeneous_records AS DOUBLE) / NULLIF(totals.records, 0) AS share_homogeneous
FROM worst
CROSS JOIN totals
CROSS JOIN fewest

-- name: missing_sensitive_values
-- The number of missing values, in total and in the sensitive attribute.
--
-- runs: wide
--
-- takes: source, columns, column
SELECT
    {% for column in columns %}COUNT(*) - COUNT({{ column | identifier }}) + {% endfor %}COUNT(*)
        - COUNT({{ column | identifier }}) AS cells,
    COUNT(*) - COUNT({{ column | identifier }}) AS sensitive
FROM {{ source | relation }}

-- name: sensitive_classes
-- The classes as groups of members, with their records.
CREATE OR REPLACE TEMP TABLE sensitive_members AS
SELECT CAST(rowid AS BIGINT) AS member, records AS n, CAST(rowid AS BIGINT) AS class
FROM known_classes

-- name: class_sensitive_values
-- The records by class and value of the sensitive attribute.
--
-- missing: a record whose value is missing holds none
--
-- takes: source, columns, column
CREATE OR REPLACE TEMP TABLE sensitive_values AS
WITH cells AS (
    SELECT {% for column in columns %}{{ column | identifier }} AS v{{ loop.index0 }},
        {% endfor %}{{ column | identifier }} AS value
    FROM {{ source | relation }}
),
different AS (
    SELECT {% for _ in columns %}v{{ loop.index0 }}, {% endfor %}value, COUNT(*) AS n
    FROM cells
    WHERE value IS NOT NULL
    GROUP BY {% for _ in columns %}v{{ loop.index0 }}, {% endfor %}value
)
SELECT CAST(known_classes.rowid AS BIGINT) AS member, different.value, different.n
FROM different
JOIN known_classes
    ON {{ columns | each("(known_classes.v{i} IS NOT DISTINCT FROM different.v{i})", between=" AND ") }}

-- name: sensitive_users
-- The users as members of groups, each with the name of the group that contains the user.
--
-- definition: users with the same profile see the same group, unless they miss something
--
-- takes: fitted
CREATE OR REPLACE TEMP TABLE sensitive_members AS
SELECT
    class_profiles.person AS member,
    1 AS n,
{% if fitted %}
    CASE WHEN class_histories.incomplete THEN class_profiles.person ELSE class_profiles.class END AS class
FROM class_profiles
JOIN class_histories ON class_histories.person = class_profiles.person
{% else %}
    class_profiles.class
FROM class_profiles
{% endif %}

-- name: group_pairs
-- The members of each group of users.
--
-- definition: users with the same profile; for users with missing values also those who fit them
--
-- takes: fitted
-- parameter wildcard: flag, a missing value agrees with every value
CREATE OR REPLACE TEMP TABLE group_pairs AS
{% if fitted %}
SELECT sensitive_members.class AS mine, sensitive_members.member AS theirs
FROM sensitive_members
JOIN class_histories ON class_histories.person = sensitive_members.member
WHERE NOT class_histories.incomplete
UNION ALL
SELECT mine, theirs
FROM class_fitting
{% if wildcard %}
UNION ALL
SELECT class_fitting.theirs AS mine, class_fitting.mine AS theirs
FROM class_fitting
JOIN sensitive_members ON sensitive_members.member = class_fitting.theirs
    AND sensitive_members.class = sensitive_members.member
JOIN class_histories ON class_histories.person = class_fitting.theirs
WHERE NOT class_histories.incomplete
{% endif %}
{% else %}
SELECT class AS mine, member AS theirs
FROM sensitive_members
{% endif %}

-- name: user_sensitive_values
-- The distinct values of the sensitive attribute of each user.
--
-- missing: a missing value is a value of its own, or no value where missing values reveal nothing
-- runs: wide
--
-- takes: source, column
-- parameter user: column, of the record
-- parameter ignore_missing: flag, a missing value reveals nothing
CREATE OR REPLACE TEMP TABLE sensitive_values AS
SELECT DISTINCT {{ user | identifier }} AS member, {{ column | identifier }} AS value, 1 AS n
FROM {{ source | relation }}
WHERE {{ user | identifier }} IS NOT NULL{% if ignore_missing %} AND {{ column | identifier }} IS NOT NULL{% endif %}

-- name: users_with_several_values
-- The number of users with more than one value of the sensitive attribute.
SELECT COUNT(*) AS users
FROM (SELECT member FROM sensitive_values GROUP BY member HAVING COUNT(*) > 1) AS several

-- name: group_value_pairs
-- The number of pairs of a group and a value of the table.
SELECT
    (SELECT COUNT(DISTINCT class) FROM sensitive_members)
        * (SELECT COUNT(DISTINCT value) FROM sensitive_values) AS places

-- name: group_disclosure
-- The figures of attribute_disclosure for groups that overlap or members with several values.
--
-- definition: of the n members of all groups with a value (records or users) n_v hold the value v; of the n_g of a
--   group n_gv do. alpha, the betas, beyond_enhanced and delta are of p = n_gv / n_g and q = n_v / n, which add up to
--   more than 1 where members hold several values. A group is homogeneous where some value has p = 1. The other
--   measures take the set of its values as the value of a member; a homogeneous group counts as one of one set in
--   distinct_l, entropy_l and recursive_c. k counts all members, with a value or not.
-- missing: as in sensitive_values
--
-- parameter pairs: relation, the members (theirs) of each group (mine)
-- parameter several_values: flag, members can have several values
-- parameter ordered: flag, compute ordered_t: the values have an order, and each member has one value
WITH wholes AS (
{% if several_values %}
    SELECT member, LIST(value ORDER BY value NULLS LAST) AS value, MAX(n) AS n
    FROM sensitive_values
    GROUP BY member
{% else %}
    SELECT member, value, n
    FROM sensitive_values
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
    SELECT pairs.mine AS class, sensitive_values.value, CAST(SUM(sensitive_values.n) AS HUGEINT) AS n
    FROM {{ pairs | relation }} AS pairs
    JOIN sensitive_values ON sensitive_values.member = pairs.theirs
    GROUP BY pairs.mine, sensitive_values.value
),
held_counts AS (
    SELECT value, CAST(SUM(n) AS HUGEINT) AS n
    FROM sensitive_values
    GROUP BY value
),
sizes AS (
    SELECT pairs.mine AS class, SUM(sensitive_members.n) AS size
    FROM {{ pairs | relation }} AS pairs
    JOIN sensitive_members ON sensitive_members.member = pairs.theirs
    GROUP BY pairs.mine
),
views AS (
    SELECT class, CAST(SUM(n) AS BIGINT) AS own
    FROM sensitive_members
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
            WHEN CAST(held.n AS DOUBLE) * totals.n / (known.n * held_counts.n) - 1
                > LN(CAST(totals.n AS DOUBLE) / held_counts.n) THEN 1
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
    SELECT climbing.class, CAST(SUM(ABS(climbing.class_so_far * totals.n - climbing.so_far * climbing.n)) AS DOUBLE)
        / climbing.n AS distance
    FROM climbing
    CROSS JOIN totals
    GROUP BY climbing.class, climbing.n
),
{% endif %}
worst AS (
    SELECT
        MAX(groups.alpha) AS alpha,
        MIN(groups.l) AS distinct_l,
-- include: worst_groups
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
    CASE WHEN totals.different = 1 THEN 0 ELSE (SELECT MAX(distance) FROM distances) / totals.n
        / (totals.different - 1) END AS ordered_t,
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
