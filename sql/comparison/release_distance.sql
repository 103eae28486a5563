-- release_distance
-- How far the distribution of a release is from that of the original, over several attributes.
--
-- idea: both tables are collapsed to their different combinations, packed into words of 60 bits. A combination of the
--   original is looked up once for each way in which whole records are generalised; where local recoding has many ways
--   and it pays, the cells of some attributes are written out as the values that they cover, which leaves fewer. What
--   is large is compared in parts by an attribute whose cells are all values: what they cover is in
--   their part. Combinations of equally many records and the same mass add the same to each sum, and are added at once.
-- source: Kifer and Gehrke, Injecting utility into anonymized datasets, 2006, as used by Yamaoka and Itoh
-- runs: finish
-- reads: original_rows, originals, release_rows, releases
-- makes: covered_combinations, written
--
-- parameter words: integers, the words of what is compared
-- parameter attributes: integers, the numbers of all attributes
-- parameter range_words: integers, the word that the number of the value of each of these is in
-- parameter range_shifts: integers, where it begins there
-- parameter range_masks: integers, its bits, shifted to the end
-- parameter records: integer, of the original
-- parameter released: integer, records of the release
-- parameter releases: column, the combinations of the release
-- parameter sets: integers, for each set the numbers of its attributes
-- parameter again_mask: integer, the bits of attributes of which a run of neighbours has one row, those by its high bits left out
-- parameter leaves: integers, how many values each attribute of the original has
-- parameter fields: integers, for each word and each set the bits that the combinations of the original differ in
-- parameter compared: integers, for each word and each set the bits that are compared with cells
-- parameter sizes: integers, those of all attributes whose cells may cover more than one value
-- parameter false_masks: integers, for each set the bits of its attributes among the false cells
-- parameter once_masks: integers, for each set the bits of the other attributes, whose cells count once
-- parameter first: integer, the number of the first of these sets
-- parameter begin: integer, 1 to begin the table of all sets
-- parameter part_word: integer, the word of the value of an attribute whose cells are all values
-- parameter part_bits: integer, the bits of that value by which both tables are taken in parts; 0 for no parts
-- parameter part: integer, what these bits are in this part

-- name: own_cells
-- A quick bound of the distance where records are told apart: what the cells of a record's own release leave of it.
--
-- definition: the mass on a combination is at least what the cells of its own records spread on it, other records that
--   cover it aside; so this KL is at least that of exact containment, and the information at most that
-- source: our own
-- missing: a missing value is a value like another
-- read: null where no cell of a record's own covers it; "records" are those that both tables have
--
-- takes: words, attributes, range_words, range_shifts, range_masks, records, released, leaves
-- parameter ranges: integers, the attributes that are compared by ranges
WITH masses AS (
    SELECT
{% for word in words %}
        f{{ word }}, m{{ word }},
{% endfor %}
{% for i in ranges %}
        first{{ i }}, last{{ i }},
{% endfor %}
{% for i in ranges %}
        s{{ i }},
{% endfor %}
        SUM(records) / ({% for i in attributes %}CAST(MIN(s{{ i }}) AS DOUBLE){% if not loop.last %} * {% endif %}{% endfor %}) AS mass
    FROM releases
    WHERE false_cells = 0
    GROUP BY {% for word in words %}f{{ word }}, m{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}{% for i in ranges %}, first{{ i }}, last{{ i }}, s{{ i }}{% endfor %}

),
own AS (
    SELECT
{% for word in words %}
        original_rows.w{{ word }}, release_rows.f{{ word }}, release_rows.m{{ word }},
{% endfor %}
{% for i in ranges %}
        release_rows.first{{ i }}, release_rows.last{{ i }}, release_rows.s{{ i }},
{% endfor %}
        COUNT(*) AS records
    FROM original_rows
    JOIN release_rows ON release_rows.record = original_rows.record
    WHERE release_rows.false_cells = 0
{% for word in words %}
        AND (original_rows.w{{ word }} & release_rows.m{{ word }}) = release_rows.f{{ word }}
{% endfor %}
{% for i in ranges %}
        AND ((original_rows.w{{ range_words[loop.index0] }} >> {{ range_shifts[loop.index0] }}) & {{ range_masks[loop.index0] }})
            BETWEEN release_rows.first{{ i }} AND release_rows.last{{ i }}
{% endfor %}
    GROUP BY {% for word in words %}w{{ word }}, f{{ word }}, m{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}{% for i in ranges %}, first{{ i }}, last{{ i }}, s{{ i }}{% endfor %}

),
covered AS (
    SELECT {% for word in words %}own.w{{ word }}, {% endfor %}SUM(masses.mass ORDER BY masses.mass) AS mass, SUM(own.records) AS records
    FROM own
    JOIN masses
        ON {% for word in words %}masses.f{{ word }} = own.f{{ word }} AND masses.m{{ word }} = own.m{{ word }}{% if not loop.last %} AND {% endif %}{% endfor %}

{% for i in ranges %}
        AND masses.first{{ i }} = own.first{{ i }} AND masses.last{{ i }} = own.last{{ i }} AND masses.s{{ i }} = own.s{{ i }}
{% endfor %}
    GROUP BY {% for word in words %}own.w{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}

),
shares AS (
    SELECT
        originals.records,
        covered.records AS own_records,
        originals.records / CAST({{ records }} AS DOUBLE) AS p,
        (COALESCE(covered.mass, 0)
            + {{ records - released if records > released else 0 }} / ({% for count in leaves %}CAST({{ count }} AS DOUBLE){% if not loop.last %} * {% endif %}{% endfor %})) / {{ records if records > released else released }} AS whole,
        {{ records }} / ({% for count in leaves %}CAST({{ count }} AS DOUBLE){% if not loop.last %} * {% endif %}{% endfor %}) / {{ records }} AS nothing
    FROM originals
    LEFT JOIN covered
        ON {% for word in words %}covered.w{{ word }} = originals.w{{ word }}{% if not loop.last %} AND {% endif %}{% endfor %}

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
-- How much work it is to look the combinations of the original up in a release, by what is written out.
--
-- definition: a combination is looked up once for each way in which the release generalises whole records; where the
--   cells of attributes are written out there are fewer ways, and more combinations of the release
--
-- takes: words
-- parameter choices: integers, lists of attributes that may be written out
-- parameter kept: integers, for each of these the bits in each word that stay
-- parameter again_masks: integers, for each of these the bits of the attributes that were compared by ranges
WITH patterns AS (
    SELECT
{% for word in words %}
        m{{ word }},
{% endfor %}
{% for mask in again_masks %}
        SUM(CASE WHEN (again & {{ mask }}) = 0 THEN {% for i in choices[loop.index0] %}CAST(s{{ i }} AS DOUBLE) * {% endfor %}1 ELSE 0 END) AS written{{ loop.index0 }}{% if not loop.last %},{% endif %}

{% endfor %}
    FROM releases
    WHERE false_cells = 0
    GROUP BY {% for word in words %}m{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}

)
{% for bits in kept %}
SELECT
    {{ loop.index0 }} AS choice,
    (SELECT COUNT(*) FROM originals) * COUNT(DISTINCT ({% for word in words %}m{{ word }} & {{ bits[loop.index0] }}{% if not loop.last %}, {% endif %}{% endfor %})) AS probes,
    CAST(LEAST(COALESCE(SUM(written{{ loop.index0 }}), 0), 1e18) AS BIGINT) AS rows
FROM patterns
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
ORDER BY choice

-- name: covered_bits
-- Between which powers of two it is how many combinations a record of the release covers.
-- takes: attributes
SELECT
    CAST(COALESCE(FLOOR(MIN(bits)), 0) AS BIGINT) AS least,
    CAST(COALESCE(CEIL(MAX(bits)), 0) AS BIGINT) AS most
FROM (
    SELECT {% for i in attributes %}LOG2(s{{ i }}){% if not loop.last %} + {% endif %}{% endfor %} AS bits
    FROM releases
    WHERE false_cells = 0
) AS covered

-- name: release_pairs
-- How many pairs of a combination of the original and one of the release are compared by ranges.
-- takes: releases, words, part_word, part_bits, part
WITH collapsed AS (
    SELECT {% for word in words %}f{{ word }}, m{{ word }}, {% endfor %}COUNT(*) AS cells
    FROM {{ releases | identifier }}
{% if part_bits %}
    WHERE (f{{ part_word }} & {{ part_bits }}) = {{ part }}
{% endif %}
    GROUP BY {% for word in words %}f{{ word }}, m{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}

),
patterns AS (
    SELECT DISTINCT {% for word in words %}m{{ word }}{% if not loop.last %}, {% endif %}{% endfor %} FROM collapsed
),
probed AS (
    SELECT {% for word in words %}originals.w{{ word }} & patterns.m{{ word }} AS f{{ word }}, patterns.m{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}

    FROM originals, patterns
{% if part_bits %}
    WHERE (originals.w{{ part_word }} & {{ part_bits }}) = {{ part }}
{% endif %}
)
SELECT CAST(COALESCE(SUM(cells), 0) AS BIGINT) AS pairs
FROM probed
JOIN collapsed
    ON {% for word in words %}collapsed.f{{ word }} = probed.f{{ word }} AND collapsed.m{{ word }} = probed.m{{ word }}{% if not loop.last %} AND {% endif %}{% endfor %}

-- name: written_out
-- The combinations of a release with the cells of some attributes replaced by each value that they cover.
--
-- definition: a combination then has a row for each, and an even part of its mass. The fewer ways of generalising are
--   left, the fewer look-ups a combination of the original takes
--
-- takes: words, attributes, again_mask
-- parameter kept: integers, the bits in each word that stay
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
        (releases.f{{ word }} & {{ kept[loop.index0] }}){% for i in range(spreads | length) if leaf_words[i] == word %} | (t{{ i }}.code << {{ leaf_shifts[i] }}){% endfor %} AS f{{ word }},
        (releases.m{{ word }} & {{ kept[loop.index0] }}){% for i in range(spreads | length) if leaf_words[i] == word %} | {{ leaf_masks[i] }}{% endfor %} AS m{{ word }},
{% endfor %}
{% for i in ranges %}
        releases.first{{ i }},
        releases.last{{ i }},
{% endfor %}
        releases.records / ({% for i in attributes %}CAST(releases.s{{ i }} AS DOUBLE){% if not loop.last %} * {% endif %}{% endfor %}) AS mass
    FROM releases
{% for spread in spreads %}
{% set i = loop.index0 %}
    JOIN {{ spread | identifier }} AS t{{ i }}
{% if numbers[i] in ranged %}
        ON t{{ i }}.first = releases.first{{ numbers[i] }} AND t{{ i }}.last = releases.last{{ numbers[i] }}
{% else %}
        ON {% for word in parts[i] %}t{{ i }}.f{{ word }} = (releases.f{{ word }} & {{ masks[i][loop.index0] }}) AND t{{ i }}.m{{ word }} = (releases.m{{ word }} & {{ masks[i][loop.index0] }}){% if not loop.last %} AND {% endif %}{% endfor %}

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
    {% if bits is not none %}SUM(CAST(POWER(2.0, {{ bits }}) * mass AS HUGEINT)){% else %}SUM(mass ORDER BY mass){% endif %} AS mass
FROM spread
GROUP BY {% for word in words %}f{{ word }}, m{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}{% for i in ranges %}, first{{ i }}, last{{ i }}{% endfor %}

-- name: release_masses
-- The combinations of the original over each of some sets of attributes, with the mass that a release has there.
--
-- definition: a record of the release spreads its mass evenly over the combinations that its cells cover
-- missing: a missing value is a value like another
--
-- takes: words, releases, range_words, range_shifts, range_masks, sets, fields, compared, sizes, false_masks, once_masks, again_mask, first, begin, part_word, part_bits, part
-- parameter originals: column, the combinations of the original
-- parameter written: integer, 1 where these are written out, each with its mass, for one set
-- parameter bits: integer or none, masses are whole numbers of two to the minus this, which add up alike in any order; none
--   where they are too different for that
-- parameter ranges: integers, those of the attributes of every set that are compared by ranges
-- parameter halvings: integer or none, the bits of the numbers of the second of these, 0 where there is one: what covers a
--   value is then found by running sums; none compares each with each
{% if begin %}
CREATE OR REPLACE TEMP TABLE covered_combinations AS
{% else %}
INSERT INTO covered_combinations BY NAME
{% endif %}
WITH sets AS (
    SELECT
        UNNEST(CAST({{ false_masks | literal }} AS BIGINT[])) AS false_mask,
        UNNEST(CAST({{ once_masks | literal }} AS BIGINT[])) AS once_mask,
{% for word in words %}
        UNNEST(CAST({{ fields[loop.index0] | literal }} AS BIGINT[])) AS fields{{ word }},
        UNNEST(CAST({{ compared[loop.index0] | literal }} AS BIGINT[])) AS compared{{ word }},
{% endfor %}
{% for i in sizes %}
        UNNEST([{% for set in sets %}{{ 1 if i in set else 0 }}{% if not loop.last %}, {% endif %}{% endfor %}]) AS has{{ i }},
{% endfor %}
        UNNEST(RANGE({{ first }}, {{ first + sets | length }})) AS number
),
originals AS (
    SELECT
        ROW_NUMBER() OVER () AS combination,
        number,
{% for word in words %}
        k{{ word }},
{% endfor %}
        records
    FROM (
        SELECT
            sets.number,
{% for word in words %}
            rows.w{{ word }} & sets.fields{{ word }} AS k{{ word }},
{% endfor %}
            CAST(SUM(rows.records) AS BIGINT) AS records
        FROM {{ originals | identifier }} AS rows, sets
{% if part_bits %}
        WHERE (rows.w{{ part_word }} & {{ part_bits }}) = {{ part }}
{% endif %}
        GROUP BY sets.number{% for word in words %}, rows.w{{ word }} & sets.fields{{ word }}{% endfor %}

    ) AS collapsed
),
releases AS (
{% if written %}
    SELECT
        {{ first }} AS number,
{% for word in words %}
        f{{ word }} & {{ compared[loop.index0][0] }} AS f{{ word }},
        m{{ word }} & {{ compared[loop.index0][0] }} AS m{{ word }},
{% endfor %}
{% for i in ranges %}
        first{{ i }},
        last{{ i }},
{% endfor %}
        mass
    FROM {{ releases | identifier }}
{% if part_bits %}
    WHERE (f{{ part_word }} & {{ part_bits }}) = {{ part }}
{% endif %}
{% else %}
    SELECT
        number,
{% for word in words %}
        f{{ word }},
        m{{ word }},
{% endfor %}
{% for i in ranges %}
        first{{ i }},
        last{{ i }},
{% endfor %}
        {% if bits is not none %}CAST(POWER(2.0, {{ bits }}) * {% endif %}SUM(records) / MIN(covered){% if bits is not none %} AS HUGEINT){% endif %} AS mass
    FROM (
        SELECT
            sets.number,
{% for word in words %}
            rows.f{{ word }} & sets.compared{{ word }} AS f{{ word }},
            rows.m{{ word }} & sets.compared{{ word }} AS m{{ word }},
{% endfor %}
{% for i in ranges %}
            rows.first{{ i }},
            rows.last{{ i }},
            rows.s{{ i }},
{% endfor %}
            1{% for i in sizes %} * CASE WHEN sets.has{{ i }} = 1 THEN CAST(rows.s{{ i }} AS DOUBLE) ELSE 1 END{% endfor %} AS covered,
            rows.records
        FROM {{ releases | identifier }} AS rows, sets
        WHERE (rows.false_cells & sets.false_mask) = 0
            AND (rows.repeated & sets.once_mask) = 0
            AND (rows.again & {{ again_mask }}) = 0
{% if part_bits %}
            AND (rows.f{{ part_word }} & {{ part_bits }}) = {{ part }}
{% endif %}
    ) AS cells
    GROUP BY number{% for word in words %}, f{{ word }}, m{{ word }}{% endfor %}{% for i in ranges %}, first{{ i }}, last{{ i }}, s{{ i }}{% endfor %}

{% endif %}
),
patterns AS (
    SELECT DISTINCT number{% for word in words %}, m{{ word }}{% endfor %} FROM releases
),
probes AS (
    SELECT
        originals.combination,
        originals.number,
{% for i in ranges %}
        (originals.k{{ range_words[loop.index0] }} >> {{ range_shifts[loop.index0] }}) & {{ range_masks[loop.index0] }} AS leaf{{ i }},
{% endfor %}
{% for word in words %}
        originals.k{{ word }} & patterns.m{{ word }} AS f{{ word }},
        patterns.m{{ word }}{% if not loop.last %},{% endif %}

{% endfor %}
    FROM originals
    JOIN patterns ON patterns.number = originals.number
),
{% if ranges %}
-- Combinations that differ only in what no cell of a pattern tells apart are compared with the ranges once.
looked_up AS (
    SELECT DISTINCT number{% for word in words %}, f{{ word }}, m{{ word }}{% endfor %}{% for i in ranges %}, leaf{{ i }}{% endfor %}

    FROM probes
),
{% if halvings is not none %}
-- A range adds its mass at its first value and takes it away behind its last: what covers a value is the sum up to it.
ends AS (
    SELECT
        number,
{% for word in words %}
        f{{ word }},
        m{{ word }},
{% endfor %}
{% for i in ranges %}
        CASE WHEN end{{ i }} = 1 THEN last{{ i }} + 1 ELSE first{{ i }} END AS leaf{{ i }},
{% endfor %}
        CASE WHEN {% for i in ranges %}end{{ i }}{% if not loop.last %} = {% endif %}{% endfor %}{% if ranges | length == 1 %} = 0{% endif %} THEN mass ELSE -mass END AS mass
    FROM releases{% for i in ranges %}, (SELECT UNNEST([0, 1]) AS end{{ i }}) AS ends{{ i }}{% endfor %}

),
-- Of two ranges the second goes by halves: the numbers up to a value are one block for each bit of how many these are.
halves AS (
    SELECT UNNEST(RANGE(0, {{ halvings + 1 }})) AS half
),
steps AS (
    SELECT
        number,
{% for word in words %}
        f{{ word }},
        m{{ word }},
{% endfor %}
        half,
        {% if ranges | length == 2 %}leaf{{ ranges[1] }} >> half{% else %}0{% endif %} AS block,
        leaf{{ ranges[0] }},
        CAST(NULL AS BIGINT) AS asked,
        SUM(mass) AS mass
    FROM ends, halves
{% if ranges | length == 2 %}
    WHERE ((leaf{{ ranges[1] }} >> half) & 1) = 0
{% endif %}
    GROUP BY number{% for word in words %}, f{{ word }}, m{{ word }}{% endfor %}, half{% if ranges | length == 2 %}, leaf{{ ranges[1] }} >> half{% endif %}, leaf{{ ranges[0] }}
    UNION ALL
    SELECT
        number,
{% for word in words %}
        f{{ word }},
        m{{ word }},
{% endfor %}
        half,
        {% if ranges | length == 2 %}((leaf{{ ranges[1] }} + 1) >> half) - 1{% else %}0{% endif %},
        leaf{{ ranges[0] }},
        {% if ranges | length == 2 %}leaf{{ ranges[1] }}{% else %}0{% endif %},
        0
    FROM looked_up, halves
{% if ranges | length == 2 %}
    WHERE (((leaf{{ ranges[1] }} + 1) >> half) & 1) = 1
{% endif %}
),
found AS (
    SELECT
        number,
{% for word in words %}
        f{{ word }},
        m{{ word }},
{% endfor %}
        leaf{{ ranges[0] }},
{% if ranges | length == 2 %}
        asked AS leaf{{ ranges[1] }},
{% endif %}
        SUM(mass) AS mass
    FROM (
        SELECT
            number,
{% for word in words %}
            f{{ word }},
            m{{ word }},
{% endfor %}
            leaf{{ ranges[0] }},
            asked,
            SUM(mass) OVER (
                PARTITION BY number{% for word in words %}, f{{ word }}, m{{ word }}{% endfor %}, half, block
                ORDER BY leaf{{ ranges[0] }}, asked NULLS FIRST
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            ) AS mass
        FROM steps
    ) AS summed
    WHERE asked IS NOT NULL
    GROUP BY number{% for word in words %}, f{{ word }}, m{{ word }}{% endfor %}, leaf{{ ranges[0] }}{% if ranges | length == 2 %}, asked{% endif %}

),
{% else %}
found AS (
    SELECT
        looked_up.number,
{% for word in words %}
        looked_up.f{{ word }},
        looked_up.m{{ word }},
{% endfor %}
{% for i in ranges %}
        looked_up.leaf{{ i }},
{% endfor %}
        SUM(releases.mass{% if bits is none %} ORDER BY releases.mass{% endif %}) AS mass
    FROM looked_up
    JOIN releases
        ON releases.number = looked_up.number{% for word in words %} AND releases.f{{ word }} = looked_up.f{{ word }} AND releases.m{{ word }} = looked_up.m{{ word }}{% endfor %}

{% for i in ranges %}
        AND looked_up.leaf{{ i }} BETWEEN releases.first{{ i }} AND releases.last{{ i }}
{% endfor %}
    GROUP BY looked_up.number{% for word in words %}, looked_up.f{{ word }}, looked_up.m{{ word }}{% endfor %}{% for i in ranges %}, looked_up.leaf{{ i }}{% endfor %}

),
{% endif %}
{% endif %}
masses AS (
    SELECT probes.combination, {% if bits is not none %}CAST(SUM(found.mass) AS DOUBLE) / POWER(2.0, {{ bits }}){% else %}SUM(found.mass ORDER BY found.mass){% endif %} AS mass
    FROM probes
    JOIN {% if ranges %}found{% else %}releases AS found{% endif %}

        ON found.number = probes.number{% for word in words %} AND found.f{{ word }} = probes.f{{ word }} AND found.m{{ word }} = probes.m{{ word }}{% endfor %}{% for i in ranges %} AND found.leaf{{ i }} = probes.leaf{{ i }}{% endfor %}

    GROUP BY probes.combination
)
SELECT originals.number, originals.records, COALESCE(masses.mass, 0) AS mass, COUNT(*) AS combinations
FROM originals
LEFT JOIN masses ON masses.combination = originals.combination
GROUP BY originals.number, originals.records, masses.mass

-- name: one_way_masses
-- The same over sets of attributes whose cells are all generalised in the same way.
--
-- definition: what is compared of a combination of the original is then the same whatever the release holds, so that it has
--   one group of cells at most. Where each cell is one value, the records of both tables are counted in one grouping.
--
-- takes: words, sets, fields, compared, sizes, false_masks, once_masks, first, begin
-- parameter plain: integer, 1 where each cell of these attributes is one value, or false
{% if begin %}
CREATE OR REPLACE TEMP TABLE covered_combinations AS
{% else %}
INSERT INTO covered_combinations BY NAME
{% endif %}
WITH sets AS (
    SELECT
        UNNEST(CAST({{ false_masks | literal }} AS BIGINT[])) AS false_mask,
        UNNEST(CAST({{ once_masks | literal }} AS BIGINT[])) AS once_mask,
{% for word in words %}
        UNNEST(CAST({{ fields[loop.index0] | literal }} AS BIGINT[])) AS fields{{ word }},
        UNNEST(CAST({{ compared[loop.index0] | literal }} AS BIGINT[])) AS compared{{ word }},
{% endfor %}
{% for i in sizes %}
        UNNEST([{% for set in sets %}{{ 1 if i in set else 0 }}{% if not loop.last %}, {% endif %}{% endfor %}]) AS has{{ i }},
{% endfor %}
        UNNEST(RANGE({{ first }}, {{ first + sets | length }})) AS number
),
original_keys AS (
    SELECT
        sets.number,
{% for word in words %}
        originals.w{{ word }} & sets.fields{{ word }} AS k{{ word }},
{% endfor %}
        originals.records
    FROM originals, sets
),
release_keys AS (
    SELECT
        sets.number,
{% for word in words %}
        releases.f{{ word }} & sets.compared{{ word }} AS k{{ word }},
{% endfor %}
{% if not plain %}
        1{% for i in sizes %} * CASE WHEN sets.has{{ i }} = 1 THEN CAST(releases.s{{ i }} AS DOUBLE) ELSE 1 END{% endfor %} AS covered,
{% endif %}
        releases.records
    FROM releases, sets
    WHERE (releases.false_cells & sets.false_mask) = 0
        AND (releases.repeated & sets.once_mask) = 0
),
{% if plain %}
-- Each as its own column: what only the release has is no combination of the original.
covered AS (
    SELECT number, CAST(SUM(records) AS BIGINT) AS records, CAST(SUM(released) AS DOUBLE) AS mass
    FROM (
        SELECT number{% for word in words %}, k{{ word }}{% endfor %}, records, 0 AS released FROM original_keys
        UNION ALL
        SELECT number{% for word in words %}, k{{ word }}{% endfor %}, 0 AS records, records AS released FROM release_keys
    ) AS counted
    GROUP BY number{% for word in words %}, k{{ word }}{% endfor %}

    HAVING SUM(records) > 0
)
{% else %}
combinations AS (
    SELECT number{% for word in words %}, k{{ word }}{% endfor %}, CAST(SUM(records) AS BIGINT) AS records
    FROM original_keys
    GROUP BY number{% for word in words %}, k{{ word }}{% endfor %}

),
cells AS (
    SELECT number{% for word in words %}, k{{ word }}{% endfor %}, SUM(records) / MIN(covered) AS mass
    FROM release_keys
    GROUP BY number{% for word in words %}, k{{ word }}{% endfor %}

),
covered AS (
    SELECT combinations.number, combinations.records, cells.mass
    FROM combinations
    JOIN sets ON sets.number = combinations.number
    LEFT JOIN cells
        ON cells.number = combinations.number{% for word in words %} AND cells.k{{ word }} = combinations.k{{ word }} & sets.compared{{ word }}{% endfor %}

)
{% endif %}
SELECT number, records, COALESCE(mass, 0) AS mass, COUNT(*) AS combinations
FROM covered
GROUP BY number, records, mass

-- name: release_distance
-- How far the distribution of a release is from that of the original, over each of some sets of attributes.
--
-- definition: p is the share of a combination of values in the original. A record of the release spreads its mass
--   evenly over the combinations that its cells cover, which gives q. KL = sum of p log2(p / q), with records
--   that the release lacks counted as suppressed in every attribute; KL0 is KL where all are suppressed; the total
--   variation is the sum of p - q where that is positive, over the records that there are.
-- source: Kifer and Gehrke, Injecting utility into anonymized datasets, 2006, as used by Yamaoka and Itoh
-- missing: a missing value is a value like another
-- read: a row for each set; "information" is 1 - KL / KL0, 1 where nothing is lost and 0 where all is; "combinations" are
--   those of the original, "largest_difference" is of the share of one of them; "uncovered" records of the original lie
--   where the release has no mass at all: KL is infinite, and null here
--
-- takes: sets, leaves, records, released
WITH sets AS (
    SELECT
        UNNEST([{% for set in sets %}{% for i in set %}CAST({{ leaves[i] }} AS DOUBLE){% if not loop.last %} * {% endif %}{% endfor %}{% if not loop.last %}, {% endif %}{% endfor %}]) AS leaves,
        UNNEST(RANGE({{ sets | length }})) AS number
),
shares AS (
    SELECT
        covered.number,
        covered.combinations,
        covered.records,
        covered.records / CAST({{ records }} AS DOUBLE) AS p,
        covered.mass / {{ released }} AS q,
        (covered.mass + {{ records - released if records > released else 0 }} / sets.leaves) / {{ records if records > released else released }} AS whole,
        {{ records }} / sets.leaves / {{ records }} AS nothing
    FROM covered_combinations AS covered
    JOIN sets ON sets.number = covered.number
),
summed AS (
    SELECT
        number,
        CAST(SUM(combinations) AS BIGINT) AS combinations,
        CAST(SUM(CASE WHEN whole > 0 THEN 0 ELSE combinations * records END) AS BIGINT) AS uncovered,
        CAST(SUM(CASE WHEN whole > 0 THEN combinations * CAST(p * LOG2(p / whole) AS DECIMAL(38, 18)) ELSE 0 END) AS DOUBLE) AS kl,
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
    -- Values that are all equally frequent tell nothing: there is nothing to lose then.
    CASE
        WHEN uncovered = 0 AND kl_of_nothing > 1e-12 THEN 1 - kl / kl_of_nothing
        WHEN uncovered = 0 AND kl < 1e-12 THEN 1.0
    END AS information,
    total_variation,
    largest_difference,
    uncovered
FROM summed
ORDER BY number
