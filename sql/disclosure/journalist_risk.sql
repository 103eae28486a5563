-- journalist_risk
-- Journalist and marketer risk, k-map and delta-presence, by the sizes of classes in a population.
--
-- source: El Emam, Guide to the de-identification of personal health information, 2013
-- runs: finish
-- reads: class_matches

-- name: journalist_risk
-- Journalist and marketer risk, k-map and delta-presence: an attacker looks for records in a population.
--
-- definition: with f records and F people in a class, over the classes with a record: highest = 1 / min F; marketer =
--   the mean over the records of 1 / F; average = the larger of the marketer risk and classes / sum F. k_map = min F.
--   delta = f / F over the classes of the population, its smallest and its largest: the certainty that a member of
--   the population is in the table. If F is below f, the records are not of this population, and f replaces F.
-- source: El Emam, Guide to the de-identification of personal health information, 2013; Sweeney, k-anonymity, 2002
--   (k-map); Nergiz et al., Hiding the presence of individuals from shared databases, SIGMOD 2007
-- missing: as in the sizes that are given
-- read: records_beyond above 0 means that people of the table are missing in the population
--
-- parameter sizes: relation, sizes as population_sizes gives them: columns class_size, population_size, classes,
--   records
--
-- column records: BIGINT, records, all of them: the denominator
-- column classes: BIGINT, classes, with a record
-- column people: DOUBLE, people, of the population in all classes
-- column k_map: DOUBLE, people, of the population in the smallest class that has a record
-- column highest_risk: DOUBLE, probability, of the record that is found most easily
-- column average_risk: DOUBLE, probability, journalist risk on average
-- column marketer_risk: DOUBLE, probability, mean over the records
-- column delta_min: DOUBLE, share of people, that are in the table, of the class with the fewest
-- column delta_max: DOUBLE, share of people, that are in the table, of the class with the most
-- column records_beyond: BIGINT, records, that their class has more than the population has people
WITH given AS (
    SELECT
        class_size AS f,
        CASE WHEN population_size < class_size THEN class_size ELSE population_size END AS people,
        population_size AS known,
        classes AS c,
        records AS n
    FROM {{ sizes | relation }}
)
SELECT
    CAST(COALESCE(SUM(n), 0) AS BIGINT) AS records,
    CAST(COALESCE(SUM(CASE WHEN n > 0 THEN c ELSE 0 END), 0) AS BIGINT) AS classes,
    CAST(SUM(CAST(known AS DECIMAL(38, 12)) * c) AS DOUBLE) AS people,
    CAST(MIN(CASE WHEN n > 0 THEN people END) AS DOUBLE) AS k_map,
    1 / CAST(MIN(CASE WHEN n > 0 THEN people END) AS DOUBLE) AS highest_risk,
    GREATEST(
        CAST(SUM(CASE WHEN n > 0 THEN c ELSE 0 END) AS DOUBLE)
            / NULLIF(CAST(SUM(CASE WHEN n > 0 THEN CAST(people AS DECIMAL(38, 12)) * c END) AS DOUBLE), 0),
        CAST(SUM(CASE WHEN n > 0 THEN CAST(CAST(n AS DOUBLE) / people AS DECIMAL(38, 18)) END) AS DOUBLE)
            / CAST(NULLIF(SUM(n), 0) AS DOUBLE)
    ) AS average_risk,
    CAST(SUM(CASE WHEN n > 0 THEN CAST(CAST(n AS DOUBLE) / people AS DECIMAL(38, 18)) END) AS DOUBLE)
        / CAST(NULLIF(SUM(n), 0) AS DOUBLE) AS marketer_risk,
    MIN(CASE WHEN people > 0 THEN CAST(f AS DOUBLE) / people END) AS delta_min,
    MAX(CASE WHEN people > 0 THEN CAST(f AS DOUBLE) / people END) AS delta_max,
    CAST(COALESCE(SUM(CASE WHEN known < f AND n > 0 THEN n * (f - known) / f ELSE 0 END), 0) AS BIGINT)
        AS records_beyond
FROM given

-- name: class_pairs
-- The sizes of the classes among the records and in the population, as in population_sizes and weighted_sizes.
-- parameter missing: text, the rule for missing values
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
