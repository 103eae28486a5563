-- one_way_distance
-- How far a release is from the original over attributes whose cells are all generalised in the same way.
--
-- idea: what is compared of a combination of the original is then the same whatever the release holds, so that it has
--   one group of cells at most. Where each cell is one value, the records of both tables are counted in one grouping.
--   Combinations of equally many records and the same mass add the same to each sum, and are added at once.
-- source: Kifer and Gehrke, Injecting utility into anonymized datasets, 2006, as used by Yamaoka and Itoh
-- runs: finish
-- reads: originals, releases

-- name: one_way_distance
-- How far the distribution of a release is from that of the original, over each of some sets of such attributes.
--
-- definition: that of release_distance
-- source: Kifer and Gehrke, Injecting utility into anonymized datasets, 2006, as used by Yamaoka and Itoh
-- missing: a missing value is a value like another
-- read: a row for each set, with the columns of release_distance
--
-- parameter words: integers, the words of these sets
-- parameter plain: integer, 1 where each cell of these attributes is one value, or false
-- parameter sets: integers, for each set the numbers of its attributes
-- parameter leaves: integers, how many values each attribute of the original has
-- parameter fields: integers, for each word and each set the bits that the combinations of the original differ in
-- parameter compared: integers, for each word and each set the bits that are compared with cells
-- parameter sizes: integers, those of all attributes whose cells may cover more than one value
-- parameter false_masks: integers, for each set the bits of its attributes among the false cells
-- parameter once_masks: integers, for each set the bits of the other attributes, whose cells count once
-- parameter records: integer, of the original
-- parameter released: integer, records of the release
WITH sets AS (
    SELECT
        UNNEST(RANGE({{ sets | length }})) AS number,
        UNNEST(CAST({{ false_masks | literal }} AS BIGINT[])) AS false_mask,
        UNNEST(CAST({{ once_masks | literal }} AS BIGINT[])) AS once_mask,
{% for word in words %}
        UNNEST(CAST({{ fields[loop.index0] | literal }} AS BIGINT[])) AS fields{{ word }},
        UNNEST(CAST({{ compared[loop.index0] | literal }} AS BIGINT[])) AS compared{{ word }},
{% endfor %}
{% for i in sizes %}
        UNNEST([{% for set in sets %}{{ 1 if i in set else 0 }}{% if not loop.last %}, {% endif %}{% endfor %}]) AS has{{ i }},
{% endfor %}
        UNNEST([{% for set in sets %}{% for i in set %}CAST({{ leaves[i] }} AS DOUBLE){% if not loop.last %} * {% endif %}{% endfor %}{% if not loop.last %}, {% endif %}{% endfor %}]) AS leaves
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
),
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

),
{% endif %}
alike AS (
    SELECT number, records, COALESCE(mass, 0) AS mass, COUNT(*) AS combinations
    FROM covered
    GROUP BY number, records, mass
),
shares AS (
    SELECT
        alike.number,
        alike.combinations,
        alike.records,
        alike.records / CAST({{ records }} AS DOUBLE) AS p,
        alike.mass / {{ released }} AS q,
        (alike.mass + {{ records - released if records > released else 0 }} / sets.leaves) / {{ records if records > released else released }} AS whole,
        {{ records }} / sets.leaves / {{ records }} AS nothing
    FROM alike
    JOIN sets ON sets.number = alike.number
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
