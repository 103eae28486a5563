-- typical_share
-- The mean share that attribute sets of one size single out, from those that were drawn, and that of the worst.
--
-- definition: the sets are cut into strata h by how many values their attributes have, N_h sets each, of which n_h are drawn
--   at random: mean = sum W_h mean_h with W_h = N_h / sum N_h, and its variance is sum W_h^2 (1 - n_h / N_h) s_h^2 / n_h.
--   Where the strata are themselves a random part of all sets, 1 of "one_in", the variance of the shares among these many
--   is added, and of a random part of the people that of a share. The interval is the mean and so many deviations as
--   Student's t has at 95 % with (sum v_h)^2 / sum v_h^2 degrees of freedom, v_h being the strata's parts of the variance.
-- source: Cochran, Sampling Techniques, 1977, sections 5.3 and 12.2; degrees of freedom: Satterthwaite, 1946
-- missing: as in uniqueness
-- read: of a stratum that is drawn whole nothing is uncertain
-- portable: no
--
-- parameter strata: integers, the number of each drawn set's stratum
-- parameter sizes: integers, how many sets that stratum has
-- parameter people: integers, whom each drawn set singles out
-- parameter records: integers, the records that do it
-- parameter worst_people: integer, whom the worst set singles out
-- parameter worst_records: integer, the records that do it
-- parameter all_people: integer, the people who were looked at
-- parameter all_records: integer, the records by which they can be singled out
-- parameter share_of_people: number, the share of all people who can be singled out if the people were drawn, else 1
-- parameter share_of_records: number, the same of the records
-- parameter undrawn: number, the share of all sets that are in no stratum
-- parameter unseen: number, the share of the people who could be singled out and were not looked at
WITH drawn AS (
    SELECT
        UNNEST({{ strata | literal }}) AS stratum,
        CAST(UNNEST({{ sizes | literal }}) AS DOUBLE) AS size,
        UNNEST({{ people | literal }}) / CAST({{ all_people | literal }} AS DOUBLE) AS people,
        UNNEST({{ records | literal }}) / CAST({{ all_records | literal }} AS DOUBLE) AS records
),
strata AS (
    SELECT
        stratum,
        MIN(size) AS size,
        COUNT(*) AS drawn,
        AVG(people) AS people,
        AVG(people * people) AS squares,
        AVG(records) AS records,
        COALESCE(VAR_SAMP(people), 0) AS variance
    FROM drawn
    GROUP BY stratum
),
weighted AS (
    SELECT *, size / SUM(size) OVER () AS weight
    FROM strata
),
parts AS (
    SELECT *, weight * weight * (1 - drawn / size) * variance / drawn AS part
    FROM weighted
),
sums AS (
    SELECT
        SUM(CAST(weight * people AS DECIMAL(38, 18))) AS people,
        SUM(CAST(weight * squares AS DECIMAL(38, 18))) AS squares,
        SUM(CAST(weight * records AS DECIMAL(38, 18))) AS records,
        SUM(CAST(part AS DECIMAL(38, 30))) AS variance,
        SUM(CAST(part * part AS DECIMAL(38, 37))) AS fourth,
        SUM(size) AS sets
    FROM parts
),
moments AS (
    SELECT
        CAST(people AS DOUBLE) AS people,
        CAST(records AS DOUBLE) AS records,
        CAST(variance AS DOUBLE) AS drawing,
        CAST(variance AS DOUBLE)
            + {{ undrawn | literal }} * GREATEST(0, CAST(squares AS DOUBLE) - CAST(people AS DOUBLE) * CAST(people AS DOUBLE)) / sets
            + {{ unseen | literal }} * CAST(people AS DOUBLE) * (1 - CAST(people AS DOUBLE)) / {{ all_people | literal }} AS variance,
        CASE WHEN fourth > 0 THEN CAST(variance AS DOUBLE) * CAST(variance AS DOUBLE) / CAST(fourth AS DOUBLE) END AS freedom
    FROM sums
),
student AS (
    SELECT
        *,
        CASE
            WHEN freedom IS NULL OR freedom >= 120 THEN 1.98
            WHEN freedom >= 60 THEN 2.0003
            WHEN freedom >= 30 THEN 2.0423
            WHEN freedom >= 20 THEN 2.0860
            WHEN freedom >= 15 THEN 2.1315
            WHEN freedom >= 10 THEN 2.2282
            WHEN freedom >= 8 THEN 2.3060
            WHEN freedom >= 6 THEN 2.4470
            WHEN freedom >= 5 THEN 2.5706
            WHEN freedom >= 4 THEN 2.7765
            WHEN freedom >= 3 THEN 3.1825
            WHEN freedom >= 2 THEN 4.3027
            ELSE 12.7063
        END * SQRT(GREATEST(variance, 0)) AS half_width
    FROM moments
)
SELECT
    LEAST(1, people * {{ share_of_people | literal }}) AS typical,
    GREATEST(0, people - half_width) * {{ share_of_people | literal }} AS typical_lower,
    LEAST(1, people + half_width) * {{ share_of_people | literal }} AS typical_upper,
    LEAST(1, records * {{ share_of_records | literal }}) AS typical_of_records,
    {{ worst_people | literal }} / CAST({{ all_people | literal }} AS DOUBLE) * {{ share_of_people | literal }} AS worst,
    {{ worst_records | literal }} / CAST({{ all_records | literal }} AS DOUBLE) * {{ share_of_records | literal }} AS worst_of_records
FROM student
