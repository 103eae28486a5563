-- attribute_sets
-- How well each small attribute set tells records apart: its classes, distinction, separation, and whom it singles out.
--
-- definition: records that agree on the set are a class: distinction is classes / records, separation the share of the
--   pairs of records that are in different classes; singled out is who has a class alone. It examines all sets of up to
--   max_size of at most 20 attributes, one by one; duckrisk assess has what shares their work, samples, and users.
-- source: Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers, 2007
-- missing: a missing value is a value like another; duckrisk assess has the other rules
-- read: a distinction of 1 is a key; the sets of each size come with those first that single out most
-- portable: no
--
-- parameter source: relation, the records
-- parameter columns: columns, the attributes an attacker may know
-- parameter max_size: integer, attributes of a set at most
--
-- column attributes: VARCHAR[], names, of the set
-- column classes: BIGINT, classes, of records that agree on the set
-- column distinction: DOUBLE, ratio, classes / records
-- column separation: DOUBLE, share of pairs, in different classes; NULL where there is one record
-- column singled_out: BIGINT, records, alone in their class
-- column share_singled_out: DOUBLE, share of records, singled_out / records
-- column smallest_class: BIGINT, records, in the smallest class
WITH records AS (
    SELECT
        1 AS one
{% for column in columns %}
        , {{ column | identifier }} AS v{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }}
),
{% for column in columns %}
codes{{ loop.index0 }} AS MATERIALIZED (
    SELECT value, ROW_NUMBER() OVER () AS code
    FROM (SELECT DISTINCT v{{ loop.index0 }} AS value FROM records) AS different
    WHERE value IS NOT NULL
),
{% endfor %}
combinations AS MATERIALIZED (
    SELECT
        SUM(one) AS records
{% for column in columns %}
        , COALESCE(codes{{ loop.index0 }}.code, 0) AS c{{ loop.index0 }}
{% endfor %}
    FROM records
{% for column in columns %}
    LEFT JOIN codes{{ loop.index0 }} ON codes{{ loop.index0 }}.value = records.v{{ loop.index0 }}
{% endfor %}
    GROUP BY {% for column in columns %}COALESCE(codes{{ loop.index0 }}.code, 0){% if not loop.last %}, {% endif %}{% endfor %}

),
attributes AS MATERIALIZED (
    SELECT place - 1 AS position, names[place] AS name
    FROM (SELECT [{% for column in columns %}{{ column | literal }}{% if not loop.last %}, {% endif %}{% endfor %}] AS names) AS given
    CROSS JOIN (SELECT UNNEST(RANGE(1, {{ columns | length }} + 1)) AS place) AS places
),
sets AS MATERIALIZED (
    SELECT mask
    FROM (SELECT UNNEST(RANGE(1, 1 << {{ columns | length }})) AS mask) AS masks
    WHERE BIT_COUNT(mask) <= {{ max_size | literal }}
),
classes AS (
    SELECT mask, SUM(records) AS records
    FROM combinations
    CROSS JOIN sets
    GROUP BY mask{% for column in columns %}, CASE WHEN ((mask >> {{ loop.index0 }}) & 1) = 1 THEN c{{ loop.index0 }} END{% endfor %}

),
counted AS (
    SELECT
        mask,
        CAST(SUM(records) AS DOUBLE) AS records,
        COUNT(*) AS classes,
        COUNT(CASE WHEN records = 1 THEN 1 END) AS singled,
        CAST(SUM(CAST(records AS HUGEINT) * records) AS DOUBLE) AS squares,
        CAST(MIN(records) AS BIGINT) AS smallest
    FROM classes
    GROUP BY mask
)
SELECT
    (SELECT LIST(name ORDER BY position) FROM attributes WHERE ((counted.mask >> position) & 1) = 1) AS attributes,
    classes,
    classes / records AS distinction,
    1 - (squares - records) / NULLIF(records * (records - 1), 0) AS separation,
    singled AS singled_out,
    singled / records AS share_singled_out,
    smallest AS smallest_class
FROM counted
ORDER BY BIT_COUNT(mask), singled DESC, classes DESC, mask
