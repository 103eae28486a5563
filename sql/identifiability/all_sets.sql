-- all_sets
-- All attribute sets of a search that has few enough of them, by tier.
--
-- definition: a tier has the sets of one size and one sensitivity: all have the same ease. A set that contains a
--   redundant one divides the records as a subset of it does, and is left out.
-- portable: no
--
-- parameter sizes: integers, the attributes in a set, of each tier
-- parameter economic: integers, the highest economic level in a set, of each tier
-- parameter psychological: integers, the highest psychological level in a set, of each tier
-- parameter searched: integer, how many attributes sets are made of
-- parameter words: integer, words of a combination
-- parameter redundant: integers, sets that add nothing
CREATE OR REPLACE TEMP TABLE sets AS
WITH placed AS (
    SELECT *, ROW_NUMBER() OVER (ORDER BY bit) - 1 AS place FROM searched_attributes WHERE searched
),
tiers AS (
    SELECT
        UNNEST(RANGE({{ sizes | length | literal }})) AS tier, UNNEST({{ sizes | literal }}) AS size,
        UNNEST({{ economic | literal }}) AS economic, UNNEST({{ psychological | literal }}) AS psychological
),
made AS (
    SELECT
        BIT_OR(bit) AS mask, COUNT(*) AS size, MAX(economic) AS economic, MAX(psychological) AS psychological
{% for word in range(words) %}
        , BIT_OR(f{{ word }}) AS f{{ word }}
{% endfor %}
    FROM RANGE(1, {{ 2 ** searched }}) AS choices (choice)
    JOIN placed ON (choice >> place) & 1 = 1
    GROUP BY choice
)
SELECT tiers.tier, ROW_NUMBER() OVER (ORDER BY tiers.tier, mask) - 1 AS number, made.*
FROM made
JOIN tiers USING (size, economic, psychological)
{% for pair in redundant %}
{% if loop.first %}WHERE{% else %}    AND{% endif %} (mask & {{ pair }}) <> {{ pair }}
{% endfor %}
