-- attribute_disclosure
-- What the classes of a quasi-identifier tell of a sensitive attribute: l-diversity, t-closeness and their kin.
--
-- definition: of n records, n_v hold the value v; of the n_c records of a class c, n_cv do; p = n_cv / n_c, q = n_v / n.
--   k = min n_c; alpha = max p; distinct_l = the fewest values in a class; entropy_l = min over classes of
--   exp(-sum p ln p). recursive_c = max over classes of r_1 / (r_l + ... + r_m), r the counts of a class from the
--   largest down and l = recursive_l: the table is recursively (c, l)-diverse for every c above it.
--   equal_t = max over classes of sum |p - q| / 2; ordered_t = max of the sum over the values but the last, in their
--   order, of |sum of p so far - sum of q so far|, divided by the values less one. basic_beta = max (p - q) / q;
--   enhanced_beta = the smaller of basic_beta and max(-ln q); delta = max |ln(p / q)| over the values in a class.
-- source: Machanavajjhala et al., l-diversity, TKDD 2007; Li et al., t-closeness, ICDE 2007; Wong et al., (alpha, k)-anonymity,
--   KDD 2006; Cao and Karras, beta-likeness, PVLDB 2012; Brickell and Shmatikov, delta-disclosure, KDD 2008
-- missing: a missing cell is a value of its own, in the quasi-identifier and in the sensitive attribute, there the last
--   one of the order.
-- read: distinct_l 1 means that there is a class all of whose records share one value: who is known to be in it has
--   that value. equal_t 0 means that every class looks like the whole table. beyond_enhanced other than 0 means that
--   no beta makes the table enhanced beta-like. The order means something for numbers and dates only.
-- portable: no
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
-- column ordered_t: DOUBLE, distance, between 0 and 1, values as far from each other as their places in the order
-- column basic_beta: DOUBLE, relative gain, of the share of a value
-- column enhanced_beta: DOUBLE, relative gain, bounded by what is frequent
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
    GROUP BY {% for _ in columns %}a{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}

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
-- From the largest count of a class down, and from the smallest place up.
ranked AS (
    SELECT
        class, class_records, class_values, place, records,
        ROW_NUMBER() OVER (PARTITION BY class ORDER BY records DESC, place) AS rank,
        CAST(SUM(records) OVER (PARTITION BY class ORDER BY place) AS HUGEINT) AS class_so_far,
        LEAD(place) OVER (PARTITION BY class ORDER BY place) AS next_place
    FROM opened
),
-- Between two values of a class its own sum stands still while that of the table climbs past it at turn: so all
-- values that the class lacks need no row.
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
