-- without_attribute
-- The persons still singled out if one attribute is removed from the table, or made coarser.
--
-- idea: a question is a person and an attribute that all of their easiest sets contain. One more walk answers all
--   questions, each by the first set without what it bars: the attribute and all coarser forms, or, if a form
--   replaces it, the attribute and the other forms. The attributes that every answer must contain are known before,
--   for each question.
-- source: our own
-- runs: finish
-- reads: closed, combinations, hits, left_persons, open_persons, searched_attributes, settled, without_attribute
-- makes: asked_combinations, open_persons
--
-- parameter set_bits: integer, bits of an attribute set

-- name: leave_unknown
-- Removes from the open persons those that a set beyond a limit could single out.
-- parameter closed_only: flag, these sets are parts of those that fill the table closed; else anybody's
INSERT INTO left_persons
SELECT DISTINCT id, missing FROM open_persons
{% if closed_only %}
SEMI JOIN closed USING (id)
{% endif %}

-- name: keep_known
-- Keeps only the open persons that no limit left unknown.
CREATE OR REPLACE TEMP TABLE open_persons AS
SELECT * FROM open_persons ANTI JOIN left_persons USING (id)

-- name: asked_persons
-- The persons with an attribute that all of their easiest sets contain.
--
-- takes: set_bits
-- parameter words: integer, words of a combination
CREATE OR REPLACE TEMP TABLE open_persons AS
SELECT
    settled.id, settled.missing, settled.tier, settled.every_mask,
    CAST(0 AS {{ set_bits | integer_type }}) AS required{% for word in range(words) %}, p{{ word }}{% endfor %}

FROM settled
JOIN combinations ON combinations.id = settled.id
WHERE settled.every_mask <> 0

-- name: questions
-- The questions: each person with each attribute that all of their easiest sets contain, and with its coarser form.
--
-- definition: "needed" is the removed attribute or the form that replaces it, "barred" the attributes that sets must
--   not contain then. An answer requires what the person requires, without the attribute if its form replaces it;
--   else there is no answer
-- takes: set_bits
-- parameter words: integer, words of a combination
-- parameter attributes: integers, the bit of the attribute that each question leaves out
-- parameter needed: integers, the needed attributes
-- parameter barred: integers, the barred attributes
-- parameter forms: integer, the bits of all forms
CREATE OR REPLACE TEMP TABLE open_persons AS
WITH asked AS (
    SELECT
        UNNEST(CAST({{ attributes | literal }} AS BIGINT[])) AS attribute,
        UNNEST(CAST({{ needed | literal }} AS BIGINT[])) AS needed,
        UNNEST(CAST({{ barred | literal }} AS BIGINT[])) AS barred
),
reached AS (
    SELECT
        id,
        BIT_AND(mask) FILTER ((mask & {{ forms }}) = 0) AS required,
        BIT_OR(mask & {{ forms }}) AS made_up
    FROM closed
    GROUP BY id
),
persons AS (
    SELECT open.* REPLACE (every_mask & COALESCE(reached.required, every_mask) AS required),
        COALESCE(made_up, 0) AS made_up
    FROM open_persons AS open
    LEFT JOIN reached USING (id)
)
SELECT
    ROW_NUMBER() OVER () AS number,
    id,
    missing,
    tier,
    CAST(needed AS {{ set_bits | integer_type }}) AS needed,
    CAST(barred AS {{ set_bits | integer_type }}) AS barred,
    CAST(
        CASE WHEN (required & barred) <> 0 AND (made_up & needed) <> 0 THEN (required & ~barred) | needed
            ELSE required END
        AS {{ set_bits | integer_type }}
    ) AS required{% for word in range(words) %}, p{{ word }}{% endfor %}

FROM persons
JOIN asked ON (every_mask & attribute) <> 0

-- name: asked_combinations
-- The combinations, each with a set known to single it out, or all attributes.
--
-- definition: the form of a missing value is missing, too
--
-- takes: set_bits
-- parameter words: integer, words of a combination
-- parameter attributes: integers, the bits of the attributes with a coarser form
-- parameter forms: integers, the bits of these forms
CREATE OR REPLACE TEMP TABLE asked_combinations AS
SELECT
    combinations.id,
    CAST(combinations.missing{% for form in forms %}
        | (CASE WHEN (combinations.missing & {{ attributes[loop.index0] }}) <> 0 THEN {{ form }} ELSE 0 END){% endfor %}
        AS {{ set_bits | integer_type }}) AS missing,
    CAST(COALESCE(settled.first_mask, -1) AS {{ set_bits | integer_type }})
        AS known{% for word in range(words) %}, p{{ word }}{% endfor %}

FROM combinations
LEFT JOIN settled ON settled.id = combinations.id

-- name: require_answers
-- Finds more attributes that every answer to a question must contain.
--
-- definition: the large sets lack the barred attributes and one more attribute, a missing value being a value of its
--   own, which excludes no answer. The intersection of those that single the person out is required
--
-- takes: set_bits
-- parameter searched: integer, the bits of all attributes that sets are made of
CREATE OR REPLACE TEMP TABLE open_persons AS
WITH reached AS (
    SELECT number, BIT_AND(mask) AS shared FROM closed GROUP BY number
)
SELECT
    open.* REPLACE (
        CAST(
            (COALESCE(shared, {{ searched | literal }}) & ~(barred | needed)) | required
            AS {{ set_bits | integer_type }}
        ) AS required
    )
FROM open_persons AS open
LEFT JOIN reached ON reached.number = open.number

-- name: unanswered
-- Books the persons of questions without an answer.
-- parameter barred_only: flag, only persons whose every answer needs the barred attribute, before sets are tried;
--   else all who are left without an answer
INSERT INTO without_attribute BY NAME
SELECT position, NULL AS tier, missing, COUNT(*) AS records
FROM open_persons
JOIN searched_attributes ON needed = bit
{% if barred_only %}
WHERE (required & barred) <> 0
{% endif %}
GROUP BY position, missing

-- name: keep_answerable
-- Keeps only the open questions that a set can answer.
CREATE OR REPLACE TEMP TABLE open_persons AS
SELECT * FROM open_persons WHERE (required & barred) = 0

-- name: answered
-- Books the persons that a tier's sets single out without the barred attributes.
-- parameter tier: integer, the number of the tier
INSERT INTO without_attribute BY NAME
-- Counted before the attributes come in: DuckDB 2.0 stops where texts go from one join straight into the next.
WITH counted AS (
    SELECT needed, missing, COUNT(*) AS records
    FROM open_persons
    SEMI JOIN hits USING (number)
    GROUP BY needed, missing
)
SELECT position, {{ tier | literal }} AS tier, missing, records
FROM counted
JOIN searched_attributes ON needed = bit

-- name: close_answered
-- Keeps only the open questions without an answer.
CREATE OR REPLACE TEMP TABLE open_persons AS
SELECT * FROM open_persons ANTI JOIN hits USING (number)
