-- record_owners
-- Who the released records under each pseudonym are of, and how many.
--
-- definition: by the original, whose records have the numbers of the released ones; else by the true pseudonyms, where
--   of several users who share one in a period the smallest counts for its records
-- portable: no
--
-- parameter table: column, the table that is made: "user_id", "period", "pseudonym", "records"
-- parameter truth: relation, the true pseudonym of each user in each period
-- parameter released: relation, the released records
-- parameter original: relation or none, the original
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH truth AS (
    SELECT user_id, period, MIN(pseudonym) AS pseudonym
    FROM {{ truth | relation }} AS cells
    WHERE pseudonym IS NOT NULL
    GROUP BY user_id, period
),
owned AS (
{% if original is none %}
    SELECT owners.user_id, released.period, released.pseudonym, COUNT(*) AS records
    FROM {{ released | relation }} AS released
    JOIN (
        SELECT period, pseudonym, MIN(user_id) AS user_id
        FROM truth
        GROUP BY period, pseudonym
    ) AS owners ON owners.period = released.period AND owners.pseudonym = released.pseudonym
    GROUP BY owners.user_id, released.period, released.pseudonym
{% else %}
    SELECT original.user_id, original.period, released.pseudonym, COUNT(*) AS records
    FROM {{ released | relation }} AS released
    JOIN {{ original | relation }} AS original ON original.record = released.record
    WHERE released.pseudonym IS NOT NULL
    GROUP BY original.user_id, original.period, released.pseudonym
{% endif %}
)
SELECT truth.user_id, truth.period, truth.pseudonym, COALESCE(owned.records, 0) AS records
FROM truth
LEFT JOIN owned
    ON owned.user_id = truth.user_id AND owned.period = truth.period AND owned.pseudonym = truth.pseudonym
