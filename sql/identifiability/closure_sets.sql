-- closure_sets
-- The largest sets that a person could be singled out by: who is not by these is not by a smaller one.
--
-- definition: where a missing value tells nothing, a person with missing values is tried on the others alone
-- portable: no
--
-- parameter unions: integers, the largest sets
-- parameter words: integer, words of a combination
-- parameter patterns: integer, 1 for a set for each pattern of missing values among the open persons
CREATE OR REPLACE TEMP TABLE closures AS
WITH unions AS (
    SELECT UNNEST({{ unions | literal }}) AS whole
),
patterns AS (
{% if patterns %}
    SELECT DISTINCT missing AS pattern FROM open_persons
{% else %}
    SELECT CAST(NULL AS BIGINT) AS pattern
{% endif %}
),
tried AS (
    SELECT whole, pattern, whole & ~COALESCE(pattern, 0) AS mask FROM unions, patterns
)
SELECT
    0 AS tier, ROW_NUMBER() OVER (ORDER BY whole, pattern) - 1 AS number, whole, pattern, mask
{% for word in range(words) %}
    , BIT_OR(f{{ word }}) AS f{{ word }}
{% endfor %}
FROM tried
JOIN searched_attributes ON (tried.mask & bit) <> 0
GROUP BY whole, pattern, mask
