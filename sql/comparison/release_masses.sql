-- release_masses
-- The mass that a release assigns to the combinations of the original, over several attributes.
--
-- idea: both tables are collapsed to their distinct combinations, packed into words of 60 bits. A combination of the
--   original is looked up once for each way of generalising whole records. For overlapping intervals the coverage of
--   a value is the sum of all that begin up to it, less those that end before it: a sort instead of comparing all
--   pairs, which took hours. Large tables are compared in parts, by an attribute whose values are all unchanged:
--   their coverage is in their own part.
-- source: Kifer and Gehrke, Injecting utility into anonymized datasets, 2006, as used by Yamaoka and Itoh; prefix
--   sums by blocks: Fenwick, A new data structure for cumulative frequency tables, 1994
-- runs: finish
-- reads: classes, numbered_combinations, originals, releases
-- makes: covered_combinations
--
-- parameter words: integers, the words to compare
-- parameter sets: integers, for each set the numbers of its attributes
-- parameter fields: integers, for each word and each set the bits that the combinations of the original differ in
-- parameter compared: integers, for each word and each set the bits that are compared with cells
-- parameter sizes: integers, those of all attributes whose cells may cover more than one value
-- parameter false_masks: integers, for each set the bits of its attributes among the false cells
-- parameter once_masks: integers, for each set the bits of the other attributes, whose cells count once
-- parameter first_set: integer, the number of the first of these sets
-- parameter replace: flag, create the table of all sets; else append to it

-- name: release_masses
-- The combinations of the original over each attribute set, with their mass in the release.
--
-- definition: a record of the release spreads its mass evenly over the combinations that its cells cover
-- missing: a missing value is a value like another
--
-- takes: words, sets, fields, compared, sizes, false_masks, once_masks, first_set, replace
-- parameter originals: column, the combinations of the original
-- parameter releases: column, the combinations of the release
-- parameter listed: flag, the releases table lists the combinations of one set, each with its mass
-- parameter bits: integer or none, masses are whole numbers of two to the minus this, which add up alike in any
--   order; none where they are too different for that
-- parameter ranges: integers, those of the attributes of every set that are compared by ranges
-- parameter range_words: integers, the word that the number of the value of each of these is in
-- parameter range_shifts: integers, where it begins there
-- parameter range_masks: integers, its bits, shifted to the end
-- parameter halvings: integer or none, the bits of the numbers of the second of these, 0 if there is one: coverage is
--   then found by running sums; none compares all pairs
-- parameter again_mask: integer, the bits of attributes for which only one row of a run of neighbours, by its high
--   bits, is left
-- parameter part_word: integer, the word of the value of an attribute whose cells are all values
-- parameter part_bits: integer, the bits of that value by which both tables are taken in parts; 0 for no parts
-- parameter part: integer, the value of these bits in this part
-- include: compared_sets
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
{% if listed %}
    SELECT
        {{ first_set }} AS number,
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
        {% if bits is not none %}CAST(POWER(2.0, {{ bits }}) * {% endif %}SUM(records)
            / MIN(covered){% if bits is not none %} AS HUGEINT){% endif %} AS mass
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
            1{% for i in sizes %}
                * CASE WHEN sets.has{{ i }} = 1 THEN CAST(rows.s{{ i }} AS DOUBLE) ELSE 1 END{% endfor %} AS covered,
            rows.records
        FROM {{ releases | identifier }} AS rows, sets
        WHERE (rows.false_cells & sets.false_mask) = 0
            AND (rows.repeated & sets.once_mask) = 0
            AND (rows.again & {{ again_mask }}) = 0
{% if part_bits %}
            AND (rows.f{{ part_word }} & {{ part_bits }}) = {{ part }}
{% endif %}
    ) AS cells
    GROUP BY number{% for word in words %}, f{{ word }}, m{{ word }}{% endfor %}{% for i in ranges %}, first{{ i }},
        last{{ i }}, s{{ i }}{% endfor %}

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
        (originals.k{{ range_words[loop.index0] }} >> {{ range_shifts[loop.index0] }})
            & {{ range_masks[loop.index0] }} AS leaf{{ i }},
{% endfor %}
{% for word in words %}
        originals.k{{ word }} & patterns.m{{ word }} AS f{{ word }},
        patterns.m{{ word }}{{ loop | between }}
{% endfor %}
    FROM originals
    JOIN patterns ON patterns.number = originals.number
),
{% if ranges %}
-- Combinations that differ only in parts that no value of a pattern distinguishes are compared with the ranges once.
alike AS MATERIALIZED (
    SELECT *, ROW_NUMBER() OVER () AS class
    FROM (SELECT DISTINCT number{% for word in words %}, f{{ word }}, m{{ word }}{% endfor %} FROM releases) AS compared
),
cells AS MATERIALIZED (
    SELECT
        alike.class,
{% for i in ranges %}
        releases.first{{ i }},
        releases.last{{ i }},
{% endfor %}
        releases.mass
    FROM releases
    JOIN alike
        ON alike.number
            = releases.number{% for word in words %} AND alike.f{{ word }} = releases.f{{ word }}
            AND alike.m{{ word }} = releases.m{{ word }}{% endfor %}

),
looked_up AS (
    SELECT probes.combination, alike.class{% for i in ranges %}, probes.leaf{{ i }}{% endfor %}

    FROM probes
    JOIN alike
        ON alike.number
            = probes.number{% for word in words %} AND alike.f{{ word }} = probes.f{{ word }}
            AND alike.m{{ word }} = probes.m{{ word }}{% endfor %}

),
asked AS (
    SELECT DISTINCT class{% for i in ranges %}, leaf{{ i }}{% endfor %} FROM looked_up
),
{% if halvings is not none %}
-- A range adds its mass at its first value and subtracts it behind its last: the coverage of a value is the sum up to
-- it. For two ranges, the second is split into blocks of powers of two.
halves AS (
    SELECT UNNEST(RANGE(0, {{ halvings + 1 }})) AS half
),
ends AS (
    SELECT
        class,
{% for i in ranges %}
        CASE WHEN end{{ i }} = 1 THEN last{{ i }} + 1 ELSE first{{ i }} END AS leaf{{ i }},
{% endfor %}
        CASE WHEN {{ ranges | each("end{x}", between=" = ") }}{% if ranges | length == 1 %} = 0{% endif %} THEN mass
            ELSE -mass END AS mass
    FROM cells{% for i in ranges %}, (SELECT UNNEST([0, 1]) AS end{{ i }}) AS ends{{ i }}{% endfor %}

),
steps AS (
    SELECT class, block, leaf{{ ranges[0] }}, NULL AS asked, SUM(mass) AS mass
    FROM (
{% if ranges | length == 2 %}
        SELECT class, ((leaf{{ ranges[1] }} >> half) << 6) | half AS block, leaf{{ ranges[0] }}, mass
        FROM ends, halves
        WHERE ((leaf{{ ranges[1] }} >> half) & 1) = 0
{% else %}
        SELECT class, 0 AS block, leaf{{ ranges[0] }}, mass
        FROM ends
{% endif %}
    ) AS blocks
    GROUP BY class, block, leaf{{ ranges[0] }}
    UNION ALL
{% if ranges | length == 2 %}
    SELECT class, ((((leaf{{ ranges[1] }} + 1) >> half) - 1) << 6) | half, leaf{{ ranges[0] }}, leaf{{ ranges[1] }}, 0
    FROM asked, halves
    WHERE (((leaf{{ ranges[1] }} + 1) >> half) & 1) = 1
{% else %}
    SELECT class, 0, leaf{{ ranges[0] }}, 0, 0
    FROM asked
{% endif %}
),
sums AS (
    SELECT
        class,
        leaf{{ ranges[0] }},
        asked,
        SUM(mass) OVER (
            PARTITION BY class, block
            ORDER BY leaf{{ ranges[0] }}, asked NULLS FIRST
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS mass
    FROM steps
),
found AS (
    SELECT class, leaf{{ ranges[0] }}{% if ranges | length == 2 %}, asked AS leaf{{ ranges[1] }}{% endif %},
        SUM(mass) AS mass
    FROM sums
    WHERE asked IS NOT NULL
    GROUP BY class, leaf{{ ranges[0] }}{% if ranges | length == 2 %}, asked{% endif %}

),
{% else %}
found AS (
    SELECT asked.class{% for i in ranges %}, asked.leaf{{ i }}{% endfor %},
        SUM(cells.mass{% if bits is none %} ORDER BY cells.mass{% endif %}) AS mass
    FROM asked
    JOIN cells
        ON cells.class
            = asked.class{% for i in ranges %} AND asked.leaf{{ i }} BETWEEN cells.first{{ i }}
            AND cells.last{{ i }}{% endfor %}

    GROUP BY asked.class{% for i in ranges %}, asked.leaf{{ i }}{% endfor %}

),
{% endif %}
{% endif %}
masses AS (
    SELECT looked_up.combination,
        {% if bits is not none %}CAST(SUM(found.mass) AS DOUBLE)
        / POWER(2.0, {{ bits }}){% else %}SUM(found.mass ORDER BY found.mass){% endif %} AS mass
{% if ranges %}
    FROM looked_up
    JOIN found ON found.class
        = looked_up.class{% for i in ranges %} AND found.leaf{{ i }} = looked_up.leaf{{ i }}{% endfor %}

{% else %}
    FROM probes AS looked_up
    JOIN releases AS found
        ON found.number
            = looked_up.number{% for word in words %} AND found.f{{ word }} = looked_up.f{{ word }}
            AND found.m{{ word }} = looked_up.m{{ word }}{% endfor %}

{% endif %}
    GROUP BY looked_up.combination
)
SELECT originals.number, originals.records, COALESCE(masses.mass, 0) AS mass, COUNT(*) AS combinations
FROM originals
LEFT JOIN masses ON masses.combination = originals.combination
GROUP BY originals.number, originals.records, masses.mass

-- name: one_way_masses
-- The same for sets of attributes that are each generalised in one way.
--
-- definition: the compared part of a combination of the original does not depend on the release, so a combination
--   matches at most one group of values. If each value is unchanged, the records of both tables are counted in one
--   grouping.
--
-- takes: words, sets, fields, compared, sizes, false_masks, once_masks, first_set, replace
-- parameter single_values: flag, each cell of these attributes is one value; else it can be several
-- include: compared_sets
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
{% if not single_values %}
        1{% for i in sizes %}
            * CASE WHEN sets.has{{ i }} = 1 THEN CAST(releases.s{{ i }} AS DOUBLE) ELSE 1 END{% endfor %} AS covered,
{% endif %}
        releases.records
    FROM releases, sets
    WHERE (releases.false_cells & sets.false_mask) = 0
        AND (releases.repeated & sets.once_mask) = 0
),
{% if single_values %}
-- Each table has a column of its own: combinations of the release alone do not occur in the original.
covered AS (
    SELECT number, CAST(SUM(records) AS BIGINT) AS records, CAST(SUM(released) AS DOUBLE) AS mass
    FROM (
        SELECT number{% for word in words %}, k{{ word }}{% endfor %}, records, 0 AS released FROM original_keys
        UNION ALL
        SELECT number{% for word in words %}, k{{ word }}{% endfor %}, 0 AS records, records AS released
        FROM release_keys
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
        ON cells.number
            = combinations.number{% for word in words %}
            AND cells.k{{ word }} = combinations.k{{ word }} & sets.compared{{ word }}{% endfor %}

)
{% endif %}
SELECT number, records, COALESCE(mass, 0) AS mass, COUNT(*) AS combinations
FROM covered
GROUP BY number, records, mass

-- name: own_masses
-- The same for the original itself and all of its attributes.
CREATE OR REPLACE TEMP TABLE covered_combinations AS
SELECT 0 AS number, records, CAST(records AS DOUBLE) AS mass, COUNT(*) AS combinations
FROM originals
GROUP BY records

-- name: single_value_masses
-- The same for one set of attributes whose cells are all one value each.
--
-- definition: such a cell has the number of its value, so that the records of both tables are counted in one grouping
--
-- parameter attributes: integers, the numbers of these attributes
CREATE OR REPLACE TEMP TABLE covered_combinations AS
WITH counted AS (
    SELECT {% for i in attributes %}code{{ i }}, {% endfor %}records, 0 AS released FROM numbered_combinations
    UNION ALL
    SELECT {% for i in attributes %}cell{{ i }}, {% endfor %}0, records FROM classes
),
covered AS (
    SELECT CAST(SUM(records) AS BIGINT) AS records, CAST(SUM(released) AS DOUBLE) AS mass
    FROM counted
    GROUP BY {{ attributes | each("code{x}") }}

    HAVING SUM(records) > 0
)
SELECT 0 AS number, records, mass, COUNT(*) AS combinations
FROM covered
GROUP BY records, mass
