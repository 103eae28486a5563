-- estimate_different
-- About how many combinations are different.
--
-- definition: an estimate that only decides whether equal ones are collapsed
-- portable: no
--
-- parameter table: column, the combinations
-- parameter words: integer, words of a combination
SELECT approx_count_distinct(hash({% for word in range(words) %}p{{ word }}{% if not loop.last %}, {% endif %}{% endfor %})) AS different
FROM {{ table | identifier }}
