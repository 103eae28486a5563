-- linkage
-- The share of a sample of records that rank-based record linkage links correctly.
--
-- idea: for a sample of records, ranks in each attribute are looked up in both tables, and each record is linked to
--   the nearest one, as in record_linkage for all records.
-- source: Domingo-Ferrer, Ricci and Soria-Comas, Disclosure risk assessment via record linkage by a maximum-knowledge
--   attacker, 2015
-- runs: finish
--
-- parameter table: column, the table that is made

-- name: linkage_sample
-- Draws the sample of records, among those that both tables have.
--
-- definition: by the order of a hash of the seed and the record, so the same seed draws the same records
--
-- takes: table
-- parameter original: relation, the original
-- parameter release: relation, the release
-- parameter original_key: column or none, the key of a record; none takes the order of the records
-- parameter release_key: column or none, the same in the release
-- parameter seed: integer, of the draw
-- parameter max_records: integer, largest number of sampled records
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH originals AS (
    SELECT {% if original_key %}CAST({{ original_key | identifier }} AS VARCHAR){% else %}ROW_NUMBER()
        OVER (){% endif %} AS record
    FROM {{ original | relation }}
),
releases AS (
    SELECT {% if release_key %}CAST({{ release_key | identifier }} AS VARCHAR){% else %}ROW_NUMBER() OVER (){% endif %}
        AS record
    FROM {{ release | relation }}
)
SELECT originals.record,
    ROW_NUMBER() OVER (ORDER BY MD5({{ seed | literal }} || ' ' || originals.record), originals.record) AS number
FROM originals
JOIN releases ON releases.record = originals.record
ORDER BY MD5({{ seed | literal }} || ' ' || originals.record), originals.record
LIMIT {{ max_records | literal }}

-- name: record_ranks
-- The rank of the sampled records in each attribute.
--
-- definition: the average rank among all records of the table, doubled to be an integer, and multiplied by the
--   records of the other table, so that ranks of two tables compare. A generalised value has the middle of what it
--   covers; a value that the original lacks lies between its neighbours
-- missing: a missing value comes last, as in the order of the original
--
-- takes: table
-- parameter source: relation, the table
-- parameter key: column or none, the key of a record; none takes the order of the records
-- parameter columns: columns, the attributes
-- parameter tables: texts, for each attribute the table with the coverage of its values, or with its numbered values
-- parameter are_cells: flag, rank cells of a release; else values
-- parameter scale: integer, factor of the ranks
-- parameter sample: column, the records that are wanted
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH records AS (
    SELECT
        {% if key %}CAST({{ key | identifier }} AS VARCHAR){% else %}ROW_NUMBER() OVER (){% endif %} AS record
{% for column in columns %}
        , {{ column | identifier }} AS v{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }}
),
{% for name in tables %}
ranks{{ loop.index0 }} AS (
    SELECT
        value,
        (2 * SUM(records) OVER (ORDER BY place, sort_value) - SUM(records) OVER (PARTITION BY place, sort_value) + 1)
            * {{ scale }} AS rank
    FROM (
        SELECT value, records,
            {% if are_cells %}middle AS place, sort_value{% else %}2 * code AS place, NULL AS sort_value{% endif %}

        FROM {{ name | identifier }}
        WHERE records > 0
    ) AS placed
),
{% endfor %}
chosen AS (
    SELECT sample.number, records.*
    FROM records
    JOIN {{ sample | identifier }} AS sample ON sample.record = records.record
)
SELECT
    chosen.number
{% for name in tables %}
    , CAST(ranks{{ loop.index0 }}.rank AS BIGINT) AS r{{ loop.index0 }}
{% endfor %}
FROM chosen
{% for name in tables %}
JOIN ranks{{ loop.index0 }} ON (ranks{{ loop.index0 }}.value IS NOT DISTINCT FROM chosen.v{{ loop.index0 }})
{% endfor %}

-- name: linkage
-- The share of records that an attacker with the original and the release links correctly.
--
-- definition: a record of the original is linked to the nearest one of the release; the distance of two records is
--   the largest difference of their ranks in an attribute; ties are shared equally. Releases with independently
--   shuffled columns give the rate of a blind link.
-- source: Domingo-Ferrer, Ricci and Soria-Comas, Disclosure risk assessment via record linkage by a maximum-knowledge
--   attacker, 2015
--
-- parameter original: column, the ranks of the drawn records
-- parameter release: column, the same in the release
-- parameter attributes: integer, number of attributes
-- parameter permutations: integer, how often columns are shuffled
-- parameter seed: integer, of the shuffling
WITH originals AS (
    SELECT * FROM {{ original | identifier }}
),
releases AS (
    SELECT * FROM {{ release | identifier }}
),
{% for i in range(attributes) %}
shuffled{{ i }} AS (
    SELECT shuffle,
        ROW_NUMBER() OVER (
        PARTITION BY shuffle ORDER BY MD5({{ seed | literal }} || ' {{ i }} ' || shuffle || ' ' || number), number)
        AS place, r{{ i }}
    FROM releases, RANGE(1, {{ permutations + 1 }}) AS shuffles(shuffle)
),
{% endfor %}
ordered AS (
    SELECT number, ROW_NUMBER() OVER (ORDER BY number) AS place FROM releases
),
candidates AS (
    SELECT 0 AS shuffle, number{% for i in range(attributes) %}, r{{ i }}{% endfor %} FROM releases
    UNION ALL
    SELECT shuffled0.shuffle, ordered.number{% for i in range(attributes) %}, shuffled{{ i }}.r{{ i }}{% endfor %}

    FROM shuffled0
    JOIN ordered ON ordered.place = shuffled0.place
{% for i in range(1, attributes) %}
    JOIN shuffled{{ i }} ON shuffled{{ i }}.shuffle = shuffled0.shuffle AND shuffled{{ i }}.place = shuffled0.place
{% endfor %}
),
nearest AS (
    SELECT
        candidates.shuffle,
        originals.number,
        MIN(GREATEST({{ range(attributes) | each("ABS(originals.r{x} - candidates.r{x})") }})) AS least,
        MIN(CASE WHEN candidates.number = originals.number
            THEN GREATEST({{ range(attributes) | each("ABS(originals.r{x} - candidates.r{x})") }}) END) AS own
    FROM originals, candidates
    GROUP BY candidates.shuffle, originals.number
),
ties AS (
    SELECT nearest.shuffle, nearest.number, COUNT(*) AS ties
    FROM nearest
    JOIN candidates ON candidates.shuffle = nearest.shuffle
    JOIN originals ON originals.number = nearest.number
    WHERE nearest.own = nearest.least
        AND GREATEST({{ range(attributes) | each("ABS(originals.r{x} - candidates.r{x})") }}) = nearest.least
    GROUP BY nearest.shuffle, nearest.number
),
-- include: linkage_rates
    CAST(SUM(CAST(CASE WHEN shuffle > 0 THEN rate ELSE 0 END AS DECIMAL(38, 18))) AS DOUBLE)
        / {{ permutations }} AS blind_rate,
    (1 + COUNT(CASE WHEN shuffle > 0 AND rate >= (SELECT rate FROM rates WHERE shuffle = 0) THEN 1 END))
        / CAST({{ permutations + 1 }} AS DOUBLE) AS p_value
FROM rates
