-- class_pairs
-- The sizes of the classes among the records and in the population, as population_sizes and weighted_sizes give them.
--
-- portable: yes
--
-- parameter missing: text, what a missing cell is
-- parameter size: column, of class_matches: the size in the population
(
    SELECT
        class_size,
        {{ size | identifier }} AS population_size,
        COUNT(*) AS classes,
        CAST(SUM(records) AS BIGINT) AS records
    FROM (
        SELECT
            class_size,
            records > 0 AS released,
            records,
            {{ size | identifier }}
        FROM class_matches
        WHERE missing = {{ missing | literal }}
    ) AS matches
    GROUP BY class_size, {{ size | identifier }}, released
)
