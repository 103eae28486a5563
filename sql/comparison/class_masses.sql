-- class_masses
-- The mass that a locally recoded release assigns to the combinations of the original, found by bits of its classes.
--
-- idea: the classes of a release are numbered, and each is a bit of a word of 120. A value of an attribute has the bits
--   of the classes that cover it: a running XOR over the values, as each run of covered neighbours changes the bit
--   at its first value and behind its last. The bits that all values of a combination share are the classes that
--   cover it. So any cells can overlap, in any number of ways.
-- source: bit-mapped indexes: O'Neil and Quass, Improved query performance with variant indexes, SIGMOD 1997
-- runs: finish
-- reads: cell_ends, classes, originals
-- makes: class_bits, covered_combinations, covered_masses, covering_words, numbered_combinations, value_words
--
-- parameter attributes: integers, the numbers of the attributes of the original that the release has
-- parameter words: integers, the words of classes of this batch
-- parameter bits: integer or none, masses are whole numbers of two to the minus this, which add up alike in any
--   order; none where they are too different for that

-- name: class_bits
-- The classes of a release that cover something, with their word and bit, and the mass of each combination in it.
--
-- definition: the mass of a class is the number of its records by the combinations that it covers
--
-- takes: attributes, bits
-- parameter all_attributes: integers, the numbers of all attributes of the original
CREATE OR REPLACE TEMP TABLE class_bits AS
SELECT
    class // 120 AS word,
    CAST(class % 120 AS INTEGER) AS bit,
    {% if bits is not none %}CAST(POWER(2.0, {{ bits }}) * records / covered AS HUGEINT){% else %}records
        / covered{% endif %} AS mass{% for i in attributes %},
    cell{{ i }}{% endfor %}

FROM (
    SELECT
        *,
        -- Neighbours share words, so that most words of a combination are empty.
        ROW_NUMBER() OVER (ORDER BY {{ attributes | each("cell{x}") }}) - 1 AS class,
        {{ all_attributes | each("CAST(s{x} AS DOUBLE)", between=" * ") }} AS covered
    FROM classes
    WHERE false_cells = 0
) AS numbered

-- name: numbered_combinations
-- The combinations of the original with the number of the value of each attribute.
--
-- parameter numbers: integers, the numbers of the attributes
-- parameter leaf_words: integers, for each attribute the word that the number of its value is in
-- parameter leaf_shifts: integers, where it begins there
-- parameter leaf_masks: integers, its bits, shifted to the end
CREATE OR REPLACE TEMP TABLE numbered_combinations AS
SELECT
    ROW_NUMBER() OVER () AS combination,
    records{% for i in numbers %},
    (w{{ leaf_words[loop.index0] }} >> {{ leaf_shifts[loop.index0] }}) & {{ leaf_masks[loop.index0] }}
        AS code{{ i }}{% endfor %}

FROM originals

-- name: value_words
-- The bits of the classes that cover each value of the attributes.
--
-- takes: attributes, words
-- parameter leaves: integers, for each attribute the number of its values in the original
CREATE OR REPLACE TEMP TABLE value_words AS
WITH cells AS (
    SELECT
        word,
        bit,
        UNNEST({{ attributes | literal }}) AS attribute,
        UNNEST([{{ attributes | each("cell{x}") }}]) AS cell
    FROM class_bits
    WHERE word BETWEEN {{ words[0] }} AND {{ words[-1] }}
),
by_cell AS (
    SELECT attribute, cell{% for word in words %},
        BIT_OR(CASE WHEN word = {{ word }} THEN CAST(1 AS HUGEINT) << bit END) AS b{{ word }}{% endfor %}

    FROM cells
    GROUP BY attribute, cell
),
changes AS (
    SELECT ends.attribute, ends.code, {{ words | each("BIT_XOR(by_cell.b{x}) AS b{x}") }}

    FROM cell_ends AS ends
    JOIN by_cell ON by_cell.attribute = ends.attribute AND by_cell.cell = ends.cell
    GROUP BY ends.attribute, ends.code
),
counted AS (
    SELECT UNNEST({{ attributes | literal }}) AS attribute, UNNEST({{ leaves | literal }}) AS leaves
),
listed AS (
    SELECT attribute, UNNEST(RANGE(1, leaves + 1)) AS code FROM counted
)
SELECT
    listed.attribute,
    listed.code
{% for word in words %}
    , COALESCE(BIT_XOR(changes.b{{ word }}) OVER (
        PARTITION BY listed.attribute
        ORDER BY listed.code
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ), 0) AS b{{ word }}
{% endfor %}
FROM listed
LEFT JOIN changes ON changes.attribute = listed.attribute AND changes.code = listed.code

-- name: covering_words
-- The bits of the classes that cover each combination of the original.
--
-- takes: attributes, words
CREATE OR REPLACE TEMP TABLE covering_words AS
SELECT
    combinations.combination{% for word in words %},
    {% for i in attributes %}t{{ i }}.b{{ word }}{{ loop | between(" & ") }}{% endfor %}
        AS b{{ word }}{% endfor %}

FROM numbered_combinations AS combinations
{% for i in attributes %}
-- Each value has its bits; an inner join is taken for a small one, and its large side is then kept in memory.
LEFT JOIN (SELECT * FROM value_words WHERE attribute = {{ i }}) AS t{{ i }} ON t{{ i }}.code = combinations.code{{ i }}
{% endfor %}

-- name: covered_masses
-- The mass of these classes on each combination of the original that they cover.
--
-- takes: words, bits
-- parameter replace: flag, create the table; else append to it
{% if replace %}
CREATE OR REPLACE TEMP TABLE covered_masses AS
{% else %}
INSERT INTO covered_masses BY NAME
{% endif %}
WITH words AS (
{% for word in words %}
    SELECT combination, {{ word }} AS word, b{{ word }} AS bits FROM covering_words WHERE b{{ word }} <> 0
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
),
pieces AS (
    SELECT combination, word, 10 * piece AS low, CAST((bits >> CAST(10 * piece AS INTEGER)) & 1023 AS INTEGER) AS bits
    FROM words, RANGE(12) AS pieces(piece)
),
covering AS (
    SELECT pieces.combination, pieces.word, CAST(pieces.low + bit AS INTEGER) AS bit
    FROM pieces, RANGE(10) AS bits(bit)
    WHERE pieces.bits <> 0 AND (pieces.bits >> CAST(bit AS INTEGER)) & 1 = 1
)
SELECT
    covering.combination,
    SUM(class_bits.mass{% if bits is none %} ORDER BY class_bits.mass{% endif %}) AS mass
FROM covering
JOIN class_bits ON class_bits.word = covering.word AND class_bits.bit = covering.bit
GROUP BY covering.combination

-- name: class_masses
-- The combinations of the original over all attributes with their mass in the release, as of release_masses.
--
-- takes: bits
CREATE OR REPLACE TEMP TABLE covered_combinations AS
WITH masses AS (
    SELECT combination, {% if bits is not none %}CAST(SUM(mass) AS DOUBLE) / POWER(2.0, {{ bits }}){% else %}SUM(mass
        ORDER BY mass){% endif %} AS mass
    FROM covered_masses
    GROUP BY combination
)
SELECT 0 AS number, combinations.records, COALESCE(masses.mass, 0) AS mass, COUNT(*) AS combinations
FROM numbered_combinations AS combinations
LEFT JOIN masses ON masses.combination = combinations.combination
GROUP BY combinations.records, masses.mass
