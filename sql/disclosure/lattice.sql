-- lattice
-- All sets of a source's attributes, in the portions in which they are examined.
--
-- idea: the records are collapsed to their distinct combinations. A few attributes that distinguish least, the low
--   ones, are examined together: all sets of them are the bits of one number. Sets of the others, the high ones, are
--   examined one by one, and each shares its work among the sets of low attributes added to it.
-- source: our own
-- runs: finish
-- reads: combinations
-- makes: lattice_low, lattice_part, lattice_rows
--
-- parameter high: integers, the high attributes

-- name: lattice_rows
-- The combinations with the fields of the low attributes in a word of their own, and all others in further words.
--
-- definition: all sets of low attributes are looked at together, by the bits of a number; the others, the high ones,
--   are gone through set by set
--
-- takes: high
-- parameter words: integers, the word of a combination that holds the field of each attribute
-- parameter shifts: integers, where in its word that field begins
-- parameter masks: integers, the bits of that field in its word
-- parameter low: integers, the low attributes
-- parameter places: integers, shift of the field of each in its word
-- parameter high_words: integers, the word that holds the field of each then
-- parameter high_places: integers, where it begins
-- parameter ignore_missing: flag, a missing value reveals nothing
CREATE OR REPLACE TEMP TABLE lattice_rows AS
SELECT
    CAST(ROW_NUMBER() OVER () AS INTEGER) AS member,
    id,
    records,
{% if ignore_missing %}
    CAST(missing AS BIGINT) AS missing,
    CAST({% for position in low %}(((missing >> {{ position }}) & 1) << {{ loop.index0 }}) | {% endfor %}0 AS INTEGER)
        AS low_missing,
{% endif %}
    CAST({% for position in low %}(
        ((p{{ words[position] }} & {{ masks[position] }}) >> {{ shifts[position] }}) << {{ places[loop.index0] }})
        | {% endfor %}0 AS BIGINT) AS low
{% for word in range((high_words + [0]) | max + 1) %}
    , CAST({% for i in range(high | length) if high_words[i] == word %}(
        ((p{{ words[high[i]] }} & {{ masks[high[i]] }}) >> {{ shifts[high[i]] }}) << {{ high_places[i] }})
        | {% endfor %}0 AS BIGINT) AS h{{ word }}
{% endfor %}
FROM combinations
ORDER BY h0, low

-- name: lattice_low
-- Lists the sets of low attributes, by number: the bit of each, its fields, and its number above all fields.
-- parameter fields: integers, the bits of each low attribute in the word of low attributes
-- parameter low_bits: integer, bits of that word
CREATE OR REPLACE TEMP TABLE lattice_low AS
WITH listed AS (
    SELECT
        CAST(number AS INTEGER) AS number,
        BIT_COUNT(number) AS size,
        CAST({% for field in fields %}(
            CASE WHEN (number >> {{ loop.index0 }}) & 1 = 1 THEN CAST({{ field }} AS BIGINT) ELSE 0 END) | {% endfor %}0
            AS BIGINT) AS fields
    FROM range({{ 2 ** (fields | length) }}) AS numbers (number)
)
SELECT
    number,
    CAST(size AS INTEGER) AS size,
    fields,
    fields | ~CAST({{ 2 ** low_bits - 1 }} AS BIGINT) AS kept,
    CAST(number AS BIGINT) << {{ low_bits }} AS above,
    CAST(1 AS UBIGINT) << CAST(number AS UBIGINT) AS bit
FROM listed

-- name: lattice_part
-- Lists sets of high attributes to examine together, with the sets of low ones that need not be added.
-- takes: high
-- parameter sets: integers, the sets
-- parameter closed: integers, the sets of low attributes, as bits, that each is not looked at with
-- parameter words: integers, the word that holds the field of each
-- parameter masks: integers, the bits of that field
CREATE OR REPLACE TEMP TABLE lattice_part AS
WITH listed AS (
    SELECT
        UNNEST(range({{ sets | length }})) AS number,
        UNNEST(CAST({{ sets | literal }} AS BIGINT[])) AS high,
        UNNEST(CAST({{ closed | literal }} AS UBIGINT[])) AS closed
)
SELECT
    number,
    high,
    closed
{% for word in range((words + [0]) | max + 1) %}
    , CAST({% for i in range(high | length) if words[i] == word %}(
        CASE WHEN (high >> {{ high[i] }}) & 1 = 1 THEN CAST({{ masks[i] }} AS BIGINT) ELSE 0 END) | {% endfor %}0
        AS BIGINT) AS f{{ word }}
{% endfor %}
FROM listed
