-- own_cells
-- A quick bound of the distance where records are told apart: what the cells of a record's own release leave of it.
--
-- definition: the mass on a combination is at least what the cells of its own records spread on it, other records that
--   cover it aside; so this KL is at least that of exact containment, and the information at most that
-- source: our own
-- missing: a missing value is a value like another
-- read: null where no cell of a record's own covers it; "records" are those that both tables have
-- portable: no
--
-- parameter words: integers, all words
-- parameter attributes: integers, the numbers of all attributes
-- parameter leaves: integers, how many values each has
-- parameter ranges: integers, the attributes that are compared by ranges
-- parameter range_words: integers, the word that the number of the value of each of these is in
-- parameter range_shifts: integers, where it begins there
-- parameter range_masks: integers, its bits, shifted to the end
-- parameter records: integer, of the original
-- parameter released: integer, records of the release
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
