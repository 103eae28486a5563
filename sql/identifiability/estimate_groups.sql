-- estimate_groups
-- About how many different combinations on each of some sets a sample has.
--
-- definition: an estimate that only decides how a set is looked at
-- portable: no
--
-- parameter table: column, the combinations
-- parameter words: integer, words of a combination
-- parameter sets: column, the table of the sets
-- parameter numbers: integers, the numbers of these sets
-- parameter share: integer, one combination in so many is in the sample
WITH sample AS (
    SELECT * FROM {{ table | identifier }}
    WHERE hash({% for word in range(words) %}p{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}) % {{ share | literal }} = 0
),
asked AS (
    SELECT * FROM {{ sets | identifier }} WHERE list_contains({{ numbers | literal }}, number)
)
SELECT
    number,
    approx_count_distinct(hash({% for word in range(words) %}sample.p{{ word }} & asked.f{{ word }}{% if not loop.last %}, {% endif %}{% endfor %})) AS "groups"
FROM sample, asked
GROUP BY number
