-- without_attribute
-- Who is still singled out where one attribute is left out of the table, or has a coarser form.
--
-- idea: only those are asked whose easiest sets all hold the attribute; for them the walk is done again without it. A
--   coarser form is one more attribute, whose sets serve those alone who are asked about it: nothing else
--   singles out whom its attribute singled out.
-- source: our own
-- runs: finish
-- reads: combinations, hits, left_persons, open_persons, searched_attributes, settled, without_attribute
-- makes: open_persons

-- name: leave_unknown
-- Takes from the open persons those whom a set that a limit leaves out could single out.
-- parameter class: integer, the bit of the class of these sets, 0 for all open persons
INSERT INTO left_persons
SELECT DISTINCT id, missing FROM open_persons
{% if class %}
WHERE (classes & {{ class | literal }}) <> 0
{% endif %}

-- name: keep_known
-- Leaves open only those whom a limit did not leave unknown.
CREATE OR REPLACE TEMP TABLE open_persons AS
SELECT * FROM open_persons ANTI JOIN left_persons USING (id)

-- name: needs
-- Opens again whom every one of their easiest sets singles out by the same attributes.
--
-- definition: "needed" are the attributes that are in all of a person's easiest sets: without one of them another,
--   less easy set has to be found
--
-- parameter words: integer, words of a combination
-- parameter set_bits: integer, bits of an attribute set
-- parameter of: integers, bits of attributes whose coarser forms are tried, too
-- parameter forms: integers, the bits of these forms: one is needed by whom its attribute is
CREATE OR REPLACE TEMP TABLE open_persons AS
SELECT
    settled.id,
    settled.missing,
    CAST(settled.every_mask{% for form in forms %} | (CASE WHEN (settled.every_mask & {{ of[loop.index0] }}) <> 0 THEN {{ form }} ELSE 0 END){% endfor %} AS {{ set_bits | integer_type }}) AS needed,
    CAST(0 AS {{ set_bits | integer_type }}) AS required{% for word in range(words) %}, p{{ word }}{% endfor %}

FROM settled
JOIN combinations ON combinations.id = settled.id
WHERE settled.every_mask <> 0

-- name: unreachable
-- Books those whom nothing singles out without an attribute.
-- parameter required: integer, 1 before sets are tried, for attributes that every set must hold; 0 after, for all that are
--   still needed
INSERT INTO without_attribute BY NAME
SELECT position, NULL AS tier, missing, COUNT(*) AS records
FROM open_persons
JOIN searched_attributes ON (needed{% if required %} & required{% endif %} & bit) <> 0
GROUP BY position, missing

-- name: keep_needed
-- Leaves open only the attributes without which a set can still be found, and the forms with which one can.
-- parameter forms: integers, the bits of the coarser forms
CREATE OR REPLACE TEMP TABLE open_persons AS
SELECT * REPLACE (needed & ~required AS needed, required & ~{{ forms | sum }} AS required)
FROM open_persons
WHERE (needed & ~required) <> 0

-- name: release
-- Books whom a tier's sets single out without an attribute that all their easiest sets need.
-- parameter tier: integer, the number of the tier
INSERT INTO without_attribute BY NAME
WITH hit AS (
    SELECT id, BIT_OR(serves) AS serves FROM hits GROUP BY id
),
-- Counted before the attributes come in: DuckDB 2.0 stops where texts go from one join straight into the next.
counted AS (
    SELECT needed & hit.serves AS left_out, missing, COUNT(*) AS persons
    FROM hit
    JOIN open_persons USING (id)
    GROUP BY left_out, missing
)
SELECT position, {{ tier | literal }} AS tier, missing, CAST(SUM(persons) AS BIGINT) AS records
FROM counted
JOIN searched_attributes ON (left_out & bit) <> 0
GROUP BY position, missing

-- name: close_needed
-- Leaves open only what is still needed.
CREATE OR REPLACE TEMP TABLE open_persons AS
WITH hit AS (
    SELECT id, BIT_OR(serves) AS serves FROM hits GROUP BY id
),
narrowed AS (
    SELECT open.* REPLACE (needed & ~COALESCE(hit.serves, 0) AS needed)
    FROM open_persons AS open
    LEFT JOIN hit ON hit.id = open.id
)
SELECT * FROM narrowed WHERE needed <> 0
