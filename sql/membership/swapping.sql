-- swapping
-- Simulated annealing of a release by swapping records for fresh ones.
--
-- idea: swaps are proposed in batches without common records, so that one statement computes the change of each. Of
--   several times as many candidates, those with the largest gain are taken, by the derivative of the minimised
--   function.
-- source: PWS Cup 2020, report of NTT DOCOMO, simulated annealing
-- runs: finish
--
-- parameter fresh: relation, the fresh records

-- name: swap_moves
-- Creates proposals: some records of the table, each with a fresh record to replace it.
--
-- definition: records and fresh ones are drawn without replacement, so that no two proposals of a batch meet; with a
--   gain, of more candidates those with the largest gain are taken, and shared out by chance
-- source: PWS Cup 2020, report of NTT DOCOMO, simulated annealing
--
-- takes: fresh
-- parameter name: column, the table of moves
-- parameter current: relation, the records as they are
-- parameter draw: integer, the number of the draw that the fresh ones are from
-- parameter drawn: expressions, four drawn numbers of a record
-- parameter gain: expression or none, the gain of adding a record, and the loss of removing one
-- parameter weights: text or none, the weights that the gain looks up
-- parameter leaving: integer, candidates that leave
-- parameter coming: integer, candidates that come
-- parameter records: integer, number of moves
-- parameter size: integer, records of one proposal
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH leaving_candidates AS MATERIALIZED (
    SELECT *
    FROM (
        SELECT *, ROW_NUMBER() OVER (ORDER BY {{ drawn[0] | expression }}, record) AS candidate
        FROM {{ current | relation }} AS records
    ) AS numbered
    WHERE candidate <= {{ leaving }}
),
coming_candidates AS MATERIALIZED (
    SELECT *
    FROM (
        SELECT *, ROW_NUMBER() OVER (ORDER BY {{ drawn[2] | expression }}, record) AS candidate
        FROM {{ fresh | relation }} AS records
        WHERE record NOT IN (SELECT origin FROM {{ current | relation }} AS used WHERE draw = {{ draw }})
    ) AS numbered
    WHERE candidate <= {{ coming }}
),
{% if gain is not none %}
known AS MATERIALIZED (
    SELECT CAST({{ weights | literal }} AS DOUBLE[]) AS weights
),
{% endif %}
leaving_gains AS MATERIALIZED (
    SELECT record, candidate, {% if gain is none %}0{% else %}{{ gain | expression }}{% endif %} AS gain
    FROM leaving_candidates{% if gain is not none %} CROSS JOIN known{% endif %}

),
coming_gains AS MATERIALIZED (
    SELECT record, candidate, {% if gain is none %}0{% else %}{{ gain | expression }}{% endif %} AS gain
    FROM coming_candidates{% if gain is not none %} CROSS JOIN known{% endif %}

),
leaving AS (
    SELECT record, ROW_NUMBER() OVER (ORDER BY {{ drawn[1] | expression }}, record) - 1 AS place
    FROM (
        SELECT record, ROW_NUMBER() OVER (ORDER BY gain, candidate) AS chosen FROM leaving_gains
    ) AS ranked
    WHERE chosen <= {{ records }}
),
coming AS (
    SELECT record, ROW_NUMBER() OVER (ORDER BY {{ drawn[3] | expression }}, record) - 1 AS place
    FROM (
        SELECT record, ROW_NUMBER() OVER (ORDER BY gain DESC, candidate) AS chosen FROM coming_gains
    ) AS ranked
    WHERE chosen <= {{ records }}
)
SELECT
    CAST(FLOOR(leaving.place / {{ size }}) AS INTEGER) AS proposal,
    leaving.place AS slot,
    leaving.record AS position,
    coming.record AS origin
FROM leaving
JOIN coming ON coming.place = leaving.place
ORDER BY leaving.place

-- name: swapped_records
-- Creates the table after the accepted proposals.
-- takes: fresh
-- parameter name: column, the table
-- parameter current: relation, the records before
-- parameter moves: relation, the proposals
-- parameter kept_proposals: integers, the proposals that were kept
-- parameter columns: columns, of the records, but the number of the record
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    current.record
{% for column in columns %}
    , CASE WHEN fresh.record IS NULL THEN current.{{ column | identifier }}
        ELSE fresh.{{ column | identifier }} END AS {{ column | identifier }}
{% endfor %}
FROM {{ current | relation }} AS current
LEFT JOIN (
    SELECT position, origin
    FROM {{ moves | relation }} AS moves
    WHERE LIST_CONTAINS(CAST({{ kept_proposals | literal }} AS INTEGER[]), proposal)
) AS moved ON moved.position = current.record
LEFT JOIN {{ fresh | relation }} AS fresh ON fresh.record = moved.origin
