-- vote_matches
-- Guesses the pseudonym of each user in each period as the one that most known records match.
--
-- definition: each known record gives a vote to each pseudonym of its own period that has a record with its key; the
--   pseudonym with most votes is guessed, the smaller one of equals
-- source: our own
-- missing: a record that misses a part of the key matches nothing
-- portable: no
--
-- parameter table: column, the table that is made: "user_id", "period", "pseudonym"
-- parameter released: relation, the released records
-- parameter known: relation, the records that the attacker knows
-- parameter keys: columns, of the key, without the period
-- parameter prefix: integer or none, how many first characters of an item count
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH released AS (
    SELECT DISTINCT
        period
        , pseudonym
{% for key in keys %}
        , {% if key == 'item' and prefix is not none %}LEFT(item, {{ prefix }}){% else %}{{ key | identifier }}{% endif %} AS key{{ loop.index0 }}
{% endfor %}
    FROM {{ released | relation }} AS records
    WHERE pseudonym IS NOT NULL
),
known AS (
    SELECT
        user_id
        , period
{% for key in keys %}
        , {% if key == 'item' and prefix is not none %}LEFT(item, {{ prefix }}){% else %}{{ key | identifier }}{% endif %} AS key{{ loop.index0 }}
{% endfor %}
        , COUNT(*) AS records
    FROM {{ known | relation }} AS records
    WHERE user_id IS NOT NULL
    GROUP BY user_id, period{% for key in keys %}, key{{ loop.index0 }}{% endfor %}

),
votes AS (
    SELECT known.user_id, known.period, released.pseudonym, SUM(known.records) AS votes
    FROM known
    JOIN released
        ON released.period = known.period
        AND {% for key in keys %}released.key{{ loop.index0 }} = known.key{{ loop.index0 }}{% if not loop.last %} AND {% endif %}{% endfor %}

    GROUP BY known.user_id, known.period, released.pseudonym
),
ranked AS (
    SELECT
        user_id
        , period
        , pseudonym
        , ROW_NUMBER() OVER (PARTITION BY user_id, period ORDER BY votes DESC, pseudonym) AS place
    FROM votes
)
SELECT user_id, period, pseudonym
FROM ranked
WHERE place = 1
