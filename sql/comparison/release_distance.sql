-- release_distance
-- How far the distribution of a release is from that of the original, over some attributes.
--
-- definition: p is the share of a combination of values in the original. A record of the release spreads its mass
--   evenly over the combinations that its cells cover, which gives q. KL = sum of p log2(p / q), with records
--   that the release lacks counted as suppressed in every attribute; KL0 is KL where all are suppressed; the total
--   variation is the sum of p - q where that is positive, over the records that there are.
-- source: Kifer and Gehrke, Injecting utility into anonymized datasets, 2006, as used by Yamaoka and Itoh
-- missing: a missing value is a value like another
-- read: "information" is 1 - KL / KL0, 1 where nothing is lost and 0 where all is; "combinations" are those of the
--   original, "largest_difference" is of the share of one of them; "uncovered" records of the original lie where
--   the release has no mass at all: KL is infinite, and null here
-- portable: no
--
-- parameter originals: column, the combinations of the original
-- parameter releases: column, the combinations of the release
-- parameter written: integer, 1 where these are written out, each with its mass
-- parameter bits: integer or none, masses are whole numbers of two to the minus this, which add up alike in any order; none
--   where they are too different for that
-- parameter words: integers, the words that count
-- parameter fields: integers, the bits in each of these words that the combinations of the original differ in
-- parameter compared: integers, the bits in each of these words that are compared with cells
-- parameter attributes: integers, the numbers of the attributes
-- parameter leaves: integers, how many values each of these has
-- parameter ranges: integers, those of the attributes that are compared by ranges
-- parameter range_words: integers, the word that the number of the value of each of these is in
-- parameter range_shifts: integers, where it begins there
-- parameter range_masks: integers, its bits, shifted to the end
-- parameter false_mask: integer, the bits of the attributes among the false cells
-- parameter once_mask: integer, the bits of the other attributes, whose cells count once
-- parameter records: integer, of the original
-- parameter released: integer, records of the release
WITH originals AS (
    SELECT
        ROW_NUMBER() OVER () AS combination,
{% for word in words %}
        k{{ word }},
{% endfor %}
        records
    FROM (
        SELECT
{% for word in words %}
            w{{ word }} & {{ fields[loop.index0] }} AS k{{ word }},
{% endfor %}
            CAST(SUM(records) AS BIGINT) AS records
        FROM {{ originals | identifier }}
        GROUP BY {% for word in words %}w{{ word }} & {{ fields[loop.index0] }}{% if not loop.last %}, {% endif %}{% endfor %}

    ) AS collapsed
),
releases AS (
    SELECT
{% for word in words %}
        f{{ word }} & {{ compared[loop.index0] }} AS f{{ word }},
        m{{ word }} & {{ compared[loop.index0] }} AS m{{ word }},
{% endfor %}
{% for i in ranges %}
        first{{ i }},
        last{{ i }},
{% endfor %}
{% if written %}
        mass
    FROM {{ releases | identifier }}
{% else %}
        {% if bits is not none %}CAST(POWER(2.0, {{ bits }}) * {% endif %}SUM(records) / ({% for i in attributes %}CAST(MIN(s{{ i }}) AS DOUBLE){% if not loop.last %} * {% endif %}{% endfor %}){% if bits is not none %} AS HUGEINT){% endif %} AS mass
    FROM {{ releases | identifier }}
    WHERE (false_cells & {{ false_mask }}) = 0
        AND (repeated & {{ once_mask }}) = 0
    GROUP BY {% for word in words %}f{{ word }} & {{ compared[loop.index0] }}, m{{ word }} & {{ compared[loop.index0] }}{% if not loop.last %}, {% endif %}{% endfor %}{% for i in ranges %}, first{{ i }}, last{{ i }}, s{{ i }}{% endfor %}

{% endif %}
),
patterns AS (
    SELECT DISTINCT {% for word in words %}m{{ word }}{% if not loop.last %}, {% endif %}{% endfor %} FROM releases
),
probes AS (
    SELECT
        originals.combination,
{% for i in ranges %}
        (originals.k{{ range_words[loop.index0] }} >> {{ range_shifts[loop.index0] }}) & {{ range_masks[loop.index0] }} AS leaf{{ i }},
{% endfor %}
{% for word in words %}
        originals.k{{ word }} & patterns.m{{ word }} AS f{{ word }},
        patterns.m{{ word }}{% if not loop.last %},{% endif %}

{% endfor %}
    FROM originals, patterns
),
masses AS (
    SELECT probes.combination, {% if bits is not none %}CAST(SUM(releases.mass) AS DOUBLE) / POWER(2.0, {{ bits }}){% else %}SUM(releases.mass ORDER BY releases.mass){% endif %} AS mass
    FROM probes
    JOIN releases
        ON {% for word in words %}releases.f{{ word }} = probes.f{{ word }} AND releases.m{{ word }} = probes.m{{ word }}{% if not loop.last %} AND {% endif %}{% endfor %}

{% for i in ranges %}
        AND probes.leaf{{ i }} BETWEEN releases.first{{ i }} AND releases.last{{ i }}
{% endfor %}
    GROUP BY probes.combination
),
shares AS (
    SELECT
        originals.records,
        originals.records / CAST({{ records }} AS DOUBLE) AS p,
        masses.mass / {{ released }} AS q,
        (COALESCE(masses.mass, 0)
            + {{ records - released if records > released else 0 }} / ({% for count in leaves %}CAST({{ count }} AS DOUBLE){% if not loop.last %} * {% endif %}{% endfor %})) / {{ records if records > released else released }} AS whole,
        {{ records }} / ({% for count in leaves %}CAST({{ count }} AS DOUBLE){% if not loop.last %} * {% endif %}{% endfor %}) / {{ records }} AS nothing
    FROM originals
    LEFT JOIN masses ON masses.combination = originals.combination
),
summed AS (
    SELECT
        COUNT(*) AS combinations,
        CAST(SUM(CASE WHEN whole > 0 THEN 0 ELSE records END) AS BIGINT) AS uncovered,
        CAST(SUM(CASE WHEN whole > 0 THEN CAST(p * LOG2(p / whole) AS DECIMAL(38, 18)) ELSE 0 END) AS DOUBLE) AS kl,
        CAST(SUM(CAST(p * LOG2(p / nothing) AS DECIMAL(38, 18))) AS DOUBLE) AS kl_of_nothing,
        CAST(SUM(CAST(GREATEST(p - COALESCE(q, 0), 0) AS DECIMAL(38, 18))) AS DOUBLE) AS total_variation,
        MAX(ABS(p - COALESCE(q, 0))) AS largest_difference
    FROM shares
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
