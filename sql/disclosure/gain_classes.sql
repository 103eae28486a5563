-- gain_classes
-- The gain of a cell of each class that holds a value of the attribute.
--
-- definition: as in information_gain: of the shares of values among who agrees from those among all who hold a value
-- portable: no
--
-- parameter own: integer, the place of the attribute
INSERT INTO class_gains
WITH priors AS (
    SELECT k{{ own }} AS value, CAST(SUM(records) AS DOUBLE) / SUM(SUM(records)) OVER () AS share
    FROM class_codes
    WHERE k{{ own }} > 0
    GROUP BY k{{ own }}
),
held AS (
    SELECT combination, value, CAST(SUM(records) AS BIGINT) AS records
    FROM gain_cells
    GROUP BY combination, value
),
sizes AS (
    SELECT combination, CAST(SUM(records) AS DOUBLE) AS records
    FROM held
    GROUP BY combination
),
gains AS (
    SELECT
        held.combination,
        SUM(CAST(held.records / sizes.records * LOG2(held.records / sizes.records / priors.share) AS DECIMAL(38, 18))) AS gain
    FROM held
    JOIN sizes ON sizes.combination = held.combination
    JOIN priors ON priors.value = held.value
    GROUP BY held.combination
)
SELECT {{ own }} AS place, UNNEST(gain_asked.classes) AS class, CAST(gains.gain AS DECIMAL(38, 18)) AS gain
FROM gains
JOIN gain_asked ON gain_asked.combination = gains.combination
