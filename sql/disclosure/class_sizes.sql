-- class_sizes
-- The sizes of the equivalence classes of records, and the records lost if a minimum size is required.
--
-- source: Sweeney, k-anonymity, 2002; El Emam, Guide to the de-identification of personal health information, 2013
-- runs: finish
-- reads: class_frequencies

-- name: class_sizes
-- The sizes of the equivalence classes of records, and the records lost if a minimum size is required.
--
-- definition: a class is the records that agree on all the columns; k is the size of the smallest one. Requiring k
--   and dropping all else loses the records in classes smaller than k.
-- source: Sweeney, k-anonymity, 2002; El Emam, Guide to the de-identification of personal health information, 2013
-- missing: a missing value is a value like another; duckrisk assess has the other rules
-- read: the first row is the smallest class: k. share_below is the share of records that is lost if class_size is
--   demanded of all; records in classes of size 1 are alone.
-- instead: class_frequencies_of
--
-- parameter source: relation, the records
-- parameter columns: columns, the quasi-identifiers
--
-- column class_size: BIGINT, records, in each of these classes
-- column classes: BIGINT, classes, of this size
-- column records: BIGINT, records, in classes of this size
-- column records_below: BIGINT, records, in smaller classes
-- column share_below: DOUBLE, share of records, records_below of all records
WITH records AS (
    SELECT {% for column in columns %}{{ column | identifier }} AS a{{ loop.index }}, {% endfor %}1 AS one
    FROM {{ source | relation }}
),
classes AS (
    SELECT COUNT(*) AS class_size
    FROM records
    GROUP BY one{% for column in columns %}, a{{ loop.index }}{% endfor %}

),
-- include: class_size_table

-- name: class_frequencies_of
-- The class sizes of one unit under one rule for missing values, as in class_sizes.
-- parameter missing: text, the rule for missing values
-- parameter unit: text, record or user
-- parameter fraction: number or none, the share of the population; with it population_size estimates the people
(
    SELECT
        class_size,
        CAST(SUM(classes) AS BIGINT) AS classes,
        CAST(SUM(records) AS BIGINT) AS records
{% if fraction is not none %}
        , class_size / CAST({{ fraction | literal }} AS DOUBLE) AS population_size
{% endif %}
    FROM class_frequencies
    WHERE missing = {{ missing | literal }} AND unit = {{ unit | literal }}
    GROUP BY class_size
)

-- name: class_thresholds
-- The records in classes below each of some sizes.
--
-- definition: a size is compared with a size, never a risk with a threshold: 1 / 11 is above 0.09
--
-- parameter sizes: relation, class sizes with their records
-- parameter column: column, the size that is compared
-- parameter thresholds: integers, the sizes
WITH given AS (
    SELECT {{ column | identifier }} AS class_size, records
    FROM {{ sizes | relation }}
)
SELECT
    threshold,
    CAST(COALESCE(SUM(CASE WHEN class_size < threshold THEN records ELSE 0 END), 0) AS BIGINT) AS records,
    CAST(SUM(CASE WHEN class_size < threshold THEN records ELSE 0 END) AS DOUBLE)
        / CAST(NULLIF(SUM(records), 0) AS DOUBLE) AS share
FROM (SELECT UNNEST({{ thresholds | literal }}) AS threshold) AS wanted
LEFT JOIN given ON TRUE
GROUP BY threshold
ORDER BY threshold

-- name: class_bands
-- The records by size of their class.
-- parameter sizes: relation, class sizes as class_sizes gives them
-- parameter bounds: integers, the least size of each band
WITH bands AS (
    SELECT least, LEAD(least) OVER (ORDER BY least) - 1 AS most
    FROM (SELECT UNNEST({{ bounds | literal }}) AS least) AS starts
),
given AS (
    SELECT class_size, classes, records, SUM(records) OVER () AS all_records
    FROM {{ sizes | relation }}
)
SELECT
    bands.least,
    CASE WHEN bands.most IS NULL THEN MAX(given.class_size) ELSE bands.most END AS most,
    CAST(SUM(given.classes) AS BIGINT) AS classes,
    CAST(SUM(given.records) AS BIGINT) AS records,
    CAST(SUM(given.records) AS DOUBLE) / CAST(MIN(given.all_records) AS DOUBLE) AS share
FROM bands
JOIN given ON given.class_size >= bands.least AND (bands.most IS NULL OR given.class_size <= bands.most)
WHERE given.records > 0
GROUP BY bands.least, bands.most
ORDER BY bands.least
