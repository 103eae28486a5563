-- information_gain
-- How many bits each cell of a record tells to whoever knows all its other cells, and all cells of it together.
--
-- definition: of a cell of attribute a the gain is sum over values v of p_v log2(p_v / q_v), p the shares of the values
--   of a among the records that agree on all other attributes, q those among all records. The gain of a record is
--   the sum over its cells. A percentile is the smallest gain that so many in 100 records have at most.
-- source: Personal Information Factor, as the tool piflib computes it: cell and row information gain
-- missing: a missing cell is a value of its own; duckrisk assess has the other rules. By both a missing cell gains 0, and
--   who lacks a takes no part in p and q. Who agrees holds all that is known of the record beside a (none), or is equal
--   in all that neither misses (wildcard).
-- read: an attribute with a mean gain of 0 is no better known from all others than from nothing; the most that a
--   cell can tell is -log2 of the share of its value. The line of place 0 is about whole records.
-- portable: no
--
-- parameter source: relation, the records
-- parameter columns: columns, the attributes
--
-- column place: INTEGER, place, of the attribute in the list, from 1; 0 is the whole record
-- column records: BIGINT, records, all of them
-- column entropy: DOUBLE, bits, that a value tells by itself on average; none for the whole record
-- column mean_gain: DOUBLE, bits, on average over records
-- column median_gain: DOUBLE, bits, of the 50th percentile
-- column high_gain: DOUBLE, bits, of the 95th percentile
-- column highest_gain: DOUBLE, bits, of the record that tells most
WITH known AS (
    SELECT {% for name in columns %}{{ name | identifier }} AS a{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}

    FROM {{ source | relation }}
),
combinations AS (
    SELECT
        {% for _ in columns %}a{{ loop.index }}, {% endfor %}

        STRUCT_PACK({% for _ in columns %}a{{ loop.index }} := a{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}) AS whole,
        COUNT(*) AS records
    FROM known
    GROUP BY {% for _ in columns %}a{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %}

),
totals AS (
    SELECT CAST(SUM(records) AS BIGINT) AS records
    FROM combinations
),
-- Each attribute's windows have a constant of their own: DuckDB 1.5.0 takes changes of different fields to one value for the same.
shares AS (
    SELECT
{% for _ in columns %}
        CAST(records AS DOUBLE) / SUM(records) OVER (
            PARTITION BY STRUCT_UPDATE(whole, a{{ loop.index }} := {{ loop.index }})
        ) AS p{{ loop.index }},
        CAST(SUM(records) OVER (PARTITION BY a{{ loop.index }}) AS DOUBLE) / SUM(records) OVER () AS q{{ loop.index }},
{% endfor %}
        whole,
        records
    FROM combinations
),
gains AS (
    SELECT
{% for _ in columns %}
        CAST(SUM(CAST(p{{ loop.index }} * LOG2(p{{ loop.index }} / q{{ loop.index }}) AS DECIMAL(38, 18))) OVER (
            PARTITION BY STRUCT_UPDATE(whole, a{{ loop.index }} := {{ loop.index }})
        ) AS DECIMAL(38, 18)) AS g{{ loop.index }},
        CAST(-LOG2(q{{ loop.index }}) AS DECIMAL(38, 18)) AS e{{ loop.index }},
{% endfor %}
        records
    FROM shares
),
lines AS (
    SELECT 0 AS place, {% for _ in columns %}g{{ loop.index }}{% if not loop.last %} + {% endif %}{% endfor %} AS gain, NULL AS surprise, records
    FROM gains
{% for _ in columns %}
    UNION ALL
    SELECT {{ loop.index }} AS place, g{{ loop.index }} AS gain, e{{ loop.index }} AS surprise, records
    FROM gains
{% endfor %}
),
alike AS (
    SELECT place, gain, CAST(SUM(records) AS BIGINT) AS records, SUM(CAST(surprise * records AS DECIMAL(38, 18))) AS surprise
    FROM lines
    GROUP BY place, gain
),
climbing AS (
    SELECT place, gain, records, surprise, SUM(records) OVER (PARTITION BY place ORDER BY gain) AS so_far
    FROM alike
)
SELECT
    CAST(climbing.place AS INTEGER) AS place,
    totals.records,
    CAST(SUM(climbing.surprise) AS DOUBLE) / totals.records AS entropy,
    CAST(SUM(CAST(climbing.gain * climbing.records AS DECIMAL(38, 18))) AS DOUBLE) / totals.records AS mean_gain,
    CAST(MIN(CASE WHEN 2 * climbing.so_far >= totals.records THEN climbing.gain END) AS DOUBLE) AS median_gain,
    CAST(MIN(CASE WHEN 20 * climbing.so_far >= 19 * totals.records THEN climbing.gain END) AS DOUBLE) AS high_gain,
    CAST(MAX(climbing.gain) AS DOUBLE) AS highest_gain
FROM climbing
CROSS JOIN totals
GROUP BY climbing.place, totals.records
ORDER BY climbing.place
