-- sure_share
-- A lower bound of the mean share singled out by attribute sets of one size, from all counted sets.
--
-- definition: a counted set singles out its people. Any other set singles out at least as many as each set without
--   one of its attributes, unless a missing value of that attribute singles nobody out; the largest of these counts,
--   0 if there is none. The share is the mean over all sets of the size, divided by the examined people.
-- source: our own
-- read: the lower end of the interval of typical_share is never below it
-- runs: finish
--
-- parameter attributes: integer, number of attributes
-- parameter size: integer, attributes of a set
-- parameter sets: integers, each counted set, as the ascending list of its indexes
-- parameter people: integers, number of people singled out by each set
-- parameter missing: integers, indexes of the attributes whose missing values single nobody out
-- parameter all_people: integer, number of examined people
WITH counted AS MATERIALIZED (
    SELECT UNNEST({{ sets | literal }}) AS places, UNNEST({{ people | literal }}) AS people
),
sets_0 AS (
    SELECT CAST([] AS INTEGER[]) AS places, 0 AS people
),
{% for length in range(1, size + 1) %}
listed_{{ length }} AS (
    SELECT LIST_APPEND(shorter.places, CAST(attributes.place AS INTEGER)) AS places
    FROM sets_{{ length - 1 }} AS shorter
    JOIN RANGE({{ attributes | literal }}) AS attributes (place)
        ON attributes.place > COALESCE(shorter.places[-1], -1)
),
sets_{{ length }} AS MATERIALIZED (
    SELECT
        listed.places,
        COALESCE(counted.people,
            GREATEST(0{% for out in range(1, length + 1) %},
            CASE WHEN NOT LIST_CONTAINS(CAST({{ missing | literal }} AS INTEGER[]), listed.places[{{ out }}])
            THEN part_{{ out }}.people END{% endfor %})) AS people
    FROM listed_{{ length }} AS listed
    LEFT JOIN counted ON counted.places = listed.places
{% for out in range(1, length + 1) %}
    LEFT JOIN sets_{{ length - 1 }} AS part_{{ out }}
        ON part_{{ out }}.places = LIST_CONCAT(listed.places[:{{ out - 1 }}], listed.places[{{ out + 1 }}:])
{% endfor %}
){{ loop | between }}
{% endfor %}
SELECT CAST(SUM(people) AS DOUBLE) / COUNT(*) / {{ all_people | literal }} AS least
FROM sets_{{ size }}
