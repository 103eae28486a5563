-- gain_figures
-- The figures of information_gain by the gains of classes, where a missing cell is no value.
--
-- definition: a missing cell gains 0; the gain of a record is the sum over its cells, and means are over all records
-- missing: it tells nothing by itself either
-- portable: no
--
-- parameter attributes: integer, how many there are
WITH totals AS (
    SELECT CAST(SUM(records) AS BIGINT) AS records
    FROM class_codes
),
wholes AS (
    SELECT class, SUM(gain) AS gain
    FROM class_gains
    GROUP BY class
),
lines AS (
    SELECT 0 AS place, COALESCE(wholes.gain, 0) AS gain, class_codes.records
    FROM class_codes
    LEFT JOIN wholes ON wholes.class = class_codes.class
    UNION ALL
    SELECT class_gains.place + 1 AS place, class_gains.gain, class_codes.records
    FROM class_gains
    JOIN class_codes ON class_codes.class = class_gains.class
{% for place in range(attributes) %}
    UNION ALL
    SELECT {{ place + 1 }} AS place, 0 AS gain, records
    FROM class_codes
    WHERE k{{ place }} = 0
{% endfor %}
),
alike AS (
    SELECT place, gain, CAST(SUM(records) AS BIGINT) AS records
    FROM lines
    GROUP BY place, gain
),
climbing AS (
    SELECT place, gain, records, SUM(records) OVER (PARTITION BY place ORDER BY gain) AS so_far
    FROM alike
),
held AS (
{% for place in range(attributes) %}
    SELECT {{ place + 1 }} AS place, k{{ place }} AS value, CAST(SUM(records) AS BIGINT) AS records
    FROM class_codes
    WHERE k{{ place }} > 0
    GROUP BY k{{ place }}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
),
sizes AS (
    SELECT place, CAST(SUM(records) AS DOUBLE) AS records
    FROM held
    GROUP BY place
),
surprises AS (
    SELECT held.place, SUM(CAST(-LOG2(held.records / sizes.records) * held.records AS DECIMAL(38, 18))) AS surprise
    FROM held
    JOIN sizes ON sizes.place = held.place
    GROUP BY held.place
)
SELECT
    CAST(climbing.place AS INTEGER) AS place,
    totals.records,
    CASE WHEN climbing.place > 0 THEN CAST(COALESCE(MAX(surprises.surprise), 0) AS DOUBLE) / totals.records END AS entropy,
    CAST(SUM(CAST(climbing.gain * climbing.records AS DECIMAL(38, 18))) AS DOUBLE) / totals.records AS mean_gain,
    CAST(MIN(CASE WHEN 2 * climbing.so_far >= totals.records THEN climbing.gain END) AS DOUBLE) AS median_gain,
    CAST(MIN(CASE WHEN 20 * climbing.so_far >= 19 * totals.records THEN climbing.gain END) AS DOUBLE) AS high_gain,
    CAST(MAX(climbing.gain) AS DOUBLE) AS highest_gain
FROM climbing
CROSS JOIN totals
LEFT JOIN surprises ON surprises.place = climbing.place
GROUP BY climbing.place, totals.records
ORDER BY climbing.place
