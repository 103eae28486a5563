-- release_distance
-- The distance between the distributions of a release and of the original over several attributes.
--
-- idea: the mass of the release on each combination of the original is computed first, over all attributes; the
--   generalised values of some attributes are written out as the values they cover if that pays. Combinations with
--   the same records and the same mass contribute equally to each sum and are added together.
-- source: Kifer and Gehrke, Injecting utility into anonymized datasets, 2006, as used by Yamaoka and Itoh
-- runs: finish
-- reads: classes, covered_combinations, original_rows, originals, release_rows, releases
-- makes: written
--
-- parameter words: integers, the words to compare
-- parameter attributes: integers, the numbers of all attributes
-- parameter records: integer, of the original
-- parameter released: integer, records of the release
-- parameter leaves: integers, number of values of each attribute of the original

-- name: own_cells
-- A lower bound of the distance from matched records: the part of a combination that its release keeps.
--
-- definition: the mass on a combination is at least the mass that the classes of its own records spread on it,
--   ignoring other records; so this KL is at least that of exact containment, and the information at most that.
--   A class counts only where its cells cover the combination, so the bound holds whichever records are matched
-- source: our own
-- missing: a missing value is a value like another
-- read: null where no cell of a record's own covers it; "records" are those that both tables have
--
-- takes: words, attributes, records, released, leaves
-- parameter there: integers, the attributes that the release has
-- parameter cells: texts, for each of these the values of the release with their coverage
-- parameter reach: texts, for each of these the cells of each value, in ways that are no intervals
-- parameter leaf_words: integers, for each of these the word that the number of its value is in
-- parameter leaf_shifts: integers, where it begins there
-- parameter leaf_masks: integers, its bits, shifted to the end
WITH matched AS (
    SELECT
        {{ words | each("original_rows.w{x}") }},
{% for i in there %}
        (original_rows.w{{ leaf_words[loop.index0] }} >> {{ leaf_shifts[loop.index0] }})
            & {{ leaf_masks[loop.index0] }} AS code{{ i }},
        release_rows.cell{{ i }},
{% endfor %}
        COUNT(*) AS records
    FROM original_rows
    JOIN release_rows ON release_rows.record = original_rows.record
    GROUP BY {{ words | each("original_rows.w{x}") }}{% for i in there %}, release_rows.cell{{ i }}{% endfor %}

),
{% for i in there %}
spans{{ i }} AS (
    SELECT cell, code AS first, code AS last
    FROM {{ reach[loop.index0] | identifier }}
    WHERE layer NOT LIKE 'interval %'
    UNION ALL
    SELECT cell, first, last
    FROM {{ cells[loop.index0] | identifier }}
    WHERE layer = 'all' OR layer LIKE 'interval %'
),
{% endfor %}
covered AS (
    SELECT
        {{ words | each("matched.w{x}") }},
        classes.records / ({{ attributes | each("CAST(classes.s{x} AS DOUBLE)", between=" * ") }}) AS mass,
        matched.records
    FROM matched
    JOIN classes
        ON classes.false_cells = 0{% for i in there %} AND classes.cell{{ i }} = matched.cell{{ i }}{% endfor %}

{% for i in there %}
    SEMI JOIN spans{{ i }}
        ON spans{{ i }}.cell = matched.cell{{ i }} AND matched.code{{ i }} BETWEEN spans{{ i }}.first
            AND spans{{ i }}.last
{% endfor %}
),
own AS (
    SELECT {{ words | each("w{x}") }}, SUM(mass ORDER BY mass) AS mass, SUM(records) AS records
    FROM covered
    GROUP BY {{ words | each("w{x}") }}

),
shares AS (
    SELECT
        originals.records,
        own.records AS own_records,
        originals.records / CAST({{ records }} AS DOUBLE) AS p,
        (COALESCE(own.mass, 0)
            + {{ records - released if records > released else 0 }}
                / ({{ leaves | each("CAST({x} AS DOUBLE)", between=" * ") }}))
                / {{ records if records > released else released }} AS whole,
        {{ records }} / ({{ leaves | each("CAST({x} AS DOUBLE)", between=" * ") }}) / {{ records }} AS nothing
    FROM originals
    LEFT JOIN own
        ON {{ words | each("own.w{x} = originals.w{x}", between=" AND ") }}

),
summed AS (
    SELECT
        CAST(SUM(COALESCE(own_records, 0)) AS BIGINT) AS records,
        CAST(SUM(CASE WHEN whole > 0 THEN 0 ELSE records END) AS BIGINT) AS uncovered,
        CAST(SUM(CASE WHEN whole > 0 THEN CAST(p * LOG2(p / whole) AS DECIMAL(38, 18)) ELSE 0 END) AS DOUBLE) AS kl,
        CAST(SUM(CAST(p * LOG2(p / nothing) AS DECIMAL(38, 18))) AS DOUBLE) AS kl_of_nothing
    FROM shares
)
SELECT
    records,
    CASE WHEN uncovered = 0 THEN kl END AS kl,
    CASE
        WHEN uncovered = 0 AND kl_of_nothing > 1e-12 THEN 1 - kl / kl_of_nothing
        WHEN uncovered = 0 AND kl < 1e-12 THEN 1.0
    END AS information
FROM summed

-- name: release_work
-- The cost of looking up the combinations of the original in a release, by the attributes written out.
--
-- definition: a combination is looked up once for each way in which the release generalises whole records; where the
--   cells of attributes are written out there are fewer ways, and more combinations of the release
--
-- takes: words
-- parameter choices: integers, lists of attributes that may be written out
-- parameter kept_bits: integers, for each of these the bits in each word that stay
-- parameter again_masks: integers, for each of these the bits of the attributes that were compared by ranges
WITH patterns AS (
    SELECT
{% for word in words %}
        m{{ word }},
{% endfor %}
{% for mask in again_masks %}
        SUM(CASE WHEN (again & {{ mask }}) = 0
            THEN {% for i in choices[loop.index0] %}CAST(s{{ i }} AS DOUBLE) * {% endfor %}1 ELSE 0 END)
            AS written{{ loop.index0 }}{{ loop | between }}
{% endfor %}
    FROM releases
    WHERE false_cells = 0
    GROUP BY {{ words | each("m{x}") }}

)
{% for bits in kept_bits %}
SELECT
    {{ loop.index0 }} AS choice,
    (SELECT COUNT(*) FROM originals) * COUNT(DISTINCT ({{ words | each("m{x} & {y}", bits) }})) AS probes,
    CAST(LEAST(COALESCE(SUM(written{{ loop.index0 }}), 0), 1e18) AS BIGINT) AS rows
FROM patterns
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
ORDER BY choice

-- name: compared_counts
-- The number of combinations of the original, and of classes of the release that cover something.
SELECT
    (SELECT COUNT(*) FROM originals) AS combinations,
    (SELECT COUNT(*) FROM classes WHERE false_cells = 0) AS classes

-- name: packed_rows
-- The number of rows of the release as packed tuples, where each cell has a row for each run and bucket.
-- parameter ranges: integers, the attributes that are compared by ranges
-- parameter tables: texts, the table with the bits of the cells of each
WITH {% for name in tables %}rows{{ loop.index0 }} AS (
    SELECT cell, COUNT(*) AS rows
    FROM {{ name | identifier }}
    GROUP BY cell
){{ loop | between }}
{% endfor %}

SELECT SUM({{ tables | each("CAST(rows{i}.rows AS DOUBLE)", between=" * ") }}) AS rows
FROM classes
{% for i in ranges %}
JOIN rows{{ loop.index0 }} ON rows{{ loop.index0 }}.cell = classes.cell{{ i }}
{% endfor %}

-- name: covered_bits
-- The powers of two between which the number of combinations of a record of the release lies.
-- takes: attributes
SELECT
    CAST(COALESCE(FLOOR(MIN(bits)), 0) AS BIGINT) AS least,
    CAST(COALESCE(CEIL(MAX(bits)), 0) AS BIGINT) AS most
FROM (
    SELECT {{ attributes | each("LOG2(s{x})", between=" + ") }} AS bits
    FROM classes
    WHERE false_cells = 0
) AS covered

-- name: release_pairs
-- The number of pairs of combinations of the original and of the release that are compared by ranges.
-- takes: words
-- parameter releases: column, the combinations of the release
-- parameter part_word: integer, the word of the value of an attribute whose cells are all values
-- parameter part_bits: integer, the bits of that value by which both tables are taken in parts; 0 for no parts
-- parameter part: integer, the value of these bits in this part
WITH collapsed AS (
    SELECT {% for word in words %}f{{ word }}, m{{ word }}, {% endfor %}COUNT(*) AS cells
    FROM {{ releases | identifier }}
{% if part_bits %}
    WHERE (f{{ part_word }} & {{ part_bits }}) = {{ part }}
{% endif %}
    GROUP BY {{ words | each("f{x}, m{x}") }}

),
patterns AS (
    SELECT DISTINCT {{ words | each("m{x}") }} FROM collapsed
),
probed AS (
    SELECT {{ words | each("originals.w{x} & patterns.m{x} AS f{x}, patterns.m{x}") }}

    FROM originals, patterns
{% if part_bits %}
    WHERE (originals.w{{ part_word }} & {{ part_bits }}) = {{ part }}
{% endif %}
)
SELECT CAST(COALESCE(SUM(cells), 0) AS BIGINT) AS pairs
FROM probed
JOIN collapsed
    ON {{ words | each("collapsed.f{x} = probed.f{x} AND collapsed.m{x} = probed.m{x}", between=" AND ") }}

-- name: written_out
-- The combinations of a release with the generalised values of some attributes replaced by the values they cover.
--
-- definition: a combination then has a row for each, and an even part of its mass. The fewer ways of generalising are
--   left, the fewer look-ups a combination of the original takes
--
-- takes: words, attributes
-- parameter again_mask: integer, the bits of attributes for which only one row of a run of neighbours, by its high
--   bits, is left
-- parameter kept_bits: integers, the bits in each word that stay
-- parameter ranges: integers, those that stay compared by ranges
-- parameter spreads: texts, for each attribute that is written out the table with the values of its cells
-- parameter numbers: integers, the numbers of these attributes
-- parameter ranged: integers, those of them that were compared by ranges
-- parameter parts: integers, for each of them the words that its bits are in
-- parameter masks: integers, for each of them its bits in each of these words
-- parameter leaf_words: integers, the word that the number of its value is in
-- parameter leaf_shifts: integers, where it begins there
-- parameter leaf_masks: integers, its bits there
-- parameter bits: integer or none, masses are whole numbers of two to the minus this; none adds them in their order
CREATE OR REPLACE TEMP TABLE written AS
WITH spread AS (
    SELECT
{% for word in words %}
        (releases.f{{ word }} & {{ kept_bits[loop.index0] }}){% for i in range(spreads | length)
         if leaf_words[i] == word %}
            | (t{{ i }}.code << {{ leaf_shifts[i] }}){% endfor %} AS f{{ word }},
        (releases.m{{ word }} & {{ kept_bits[loop.index0] }}){% for i in range(spreads | length)
         if leaf_words[i] == word %}
            | {{ leaf_masks[i] }}{% endfor %} AS m{{ word }},
{% endfor %}
{% for i in ranges %}
        releases.first{{ i }},
        releases.last{{ i }},
{% endfor %}
        releases.records / ({{ attributes | each("CAST(releases.s{x} AS DOUBLE)", between=" * ") }}) AS mass
    FROM releases
{% for spread in spreads %}
{% set i = loop.index0 %}
    JOIN {{ spread | identifier }} AS t{{ i }}
{% if numbers[i] in ranged %}
        ON t{{ i }}.first = releases.first{{ numbers[i] }} AND t{{ i }}.last = releases.last{{ numbers[i] }}
{% else %}
        ON {% for word in parts[i] %}t{{ i }}.f{{ word }} = (releases.f{{ word }} & {{ masks[i][loop.index0] }})
            AND t{{ i }}.m{{ word }}
            = (releases.m{{ word }} & {{ masks[i][loop.index0] }}){{ loop | between(" AND ") }}{% endfor %}

{% endif %}
{% endfor %}
    WHERE releases.false_cells = 0 AND (releases.again & {{ again_mask }}) = 0
)
SELECT
{% for word in words %}
    f{{ word }},
    m{{ word }},
{% endfor %}
{% for i in ranges %}
    first{{ i }},
    last{{ i }},
{% endfor %}
    {% if bits is not none %}SUM(CAST(POWER(2.0, {{ bits }}) * mass AS HUGEINT)){% else %}SUM(mass
        ORDER BY mass){% endif %} AS mass
FROM spread
GROUP BY {{ words | each("f{x}, m{x}") }}{% for i in ranges %}, first{{ i }}, last{{ i }}{% endfor %}

-- name: release_distance
-- The distances between the distributions of a release and of the original, over each attribute set.
--
-- definition: p is the share of a combination of values in the original. A record of the release spreads its mass
--   evenly over the combinations that its cells cover, which gives q. KL = sum of p log2(p / q), with records
--   that the release lacks counted as suppressed in every attribute; KL0 is KL where all are suppressed; the total
--   variation is the sum of p - q where that is positive, over the records that there are.
-- source: Kifer and Gehrke, Injecting utility into anonymized datasets, 2006, as used by Yamaoka and Itoh
-- missing: a missing value is a value like another
-- read: a row for each set; "information" is 1 - KL / KL0, 1 where nothing is lost and 0 where all is; "combinations"
--   are those of the original, "largest_difference" is of the share of one of them; "uncovered" records of the
--   original lie where the release has no mass at all: KL is infinite, and null here
--
-- takes: leaves, records, released
-- parameter sets: integers, for each set the numbers of its attributes
WITH sets AS (
    SELECT
        UNNEST([{% for set in sets %}{% for i in set %}CAST({{ leaves[i] }}
            AS DOUBLE){{ loop | between(" * ") }}{% endfor %}{{ loop | between(", ") }}{% endfor %}]) AS leaves,
        UNNEST(RANGE({{ sets | length }})) AS number
),
shares AS (
    SELECT
        covered.number,
        covered.combinations,
        covered.records,
        covered.records / CAST({{ records }} AS DOUBLE) AS p,
        covered.mass / {{ released }} AS q,
        (covered.mass + {{ records - released if records > released else 0 }} / sets.leaves)
            / {{ records if records > released else released }} AS whole,
        {{ records }} / sets.leaves / {{ records }} AS nothing
    FROM covered_combinations AS covered
    JOIN sets ON sets.number = covered.number
),
summed AS (
    SELECT
        number,
        CAST(SUM(combinations) AS BIGINT) AS combinations,
        CAST(SUM(CASE WHEN whole > 0 THEN 0 ELSE combinations * records END) AS BIGINT) AS uncovered,
        CAST(SUM(CASE WHEN whole > 0 THEN combinations * CAST(p * LOG2(p / whole) AS DECIMAL(38, 18)) ELSE 0 END)
            AS DOUBLE) AS kl,
        CAST(SUM(combinations * CAST(p * LOG2(p / nothing) AS DECIMAL(38, 18))) AS DOUBLE) AS kl_of_nothing,
        CAST(SUM(combinations * CAST(GREATEST(p - q, 0) AS DECIMAL(38, 18))) AS DOUBLE) AS total_variation,
        MAX(ABS(p - q)) AS largest_difference
    FROM shares
    GROUP BY number
)
SELECT
    combinations,
    CASE WHEN uncovered = 0 THEN kl END AS kl,
    kl_of_nothing,
    -- Equally frequent values hold no information: nothing can be lost then.
    CASE
        WHEN uncovered = 0 AND kl_of_nothing > 1e-12 THEN 1 - kl / kl_of_nothing
        WHEN uncovered = 0 AND kl < 1e-12 THEN 1.0
    END AS information,
    total_variation,
    largest_difference,
    uncovered
FROM summed
ORDER BY number
