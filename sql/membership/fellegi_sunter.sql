-- fellegi_sunter
-- Attack that weighs the agreement of each attribute: the likelihood that a candidate is behind a record.
--
-- idea: a cell of a record r is kept from its candidate b with the probability p, else drawn with the probabilities q.
--   So the likelihood of r given b, relative to that of a record drawn as a whole, is the product over attributes of
--   1 + t where r and b agree, with t = p / ((1 - p) q). That is the sum over sets S of agreeing attributes of the
--   product of t in S; for all candidates, the sum over S of that product times the candidates that agree on S. Sets
--   are fewer than pairs, so that no pair of a record and a candidate is looked at
-- source: Fellegi and Sunter, A theory for record linkage, 1969; the sums over sets are our own
-- runs: finish
--
-- parameter name: column, the table
-- parameter fields: integers, an index for each attribute, from 0
-- parameter population: relation, the distinct candidates
-- parameter odds: relation, the distinct records of the release with their t
-- parameter sums: relation, the logarithm of the sum of each record's likelihoods

-- name: agreement_codes
-- Creates the table of candidates (origin 0) and records of the release (origin 1) as codes from 0.
--
-- definition: s0, s1, ... are the shares of the values among the candidates, with one more of each value
-- missing: there are no missing values; they were refused before
--
-- takes: name
-- parameter population: relation, the candidates
-- parameter released: relation, the release
-- parameter columns: columns, the attributes
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH cells AS (
    SELECT 0 AS origin, record, {{ columns | identifiers }}
    FROM {{ population | relation }} AS population
    UNION ALL
    SELECT 1 AS origin, record, {{ columns | identifiers }}
    FROM {{ released | relation }} AS released
)
{% for column in columns %}
, values{{ loop.index0 }} AS (
    SELECT
        {{ column | identifier }} AS value,
        ROW_NUMBER() OVER (ORDER BY {{ column | identifier }}) - 1 AS code,
        (COUNT(CASE WHEN origin = 0 THEN 1 END) + 1)
            / CAST(SUM(COUNT(CASE WHEN origin = 0 THEN 1 END)) OVER () + COUNT(*) OVER () AS DOUBLE) AS share
    FROM cells
    GROUP BY {{ column | identifier }}
)
{% endfor %}
SELECT
    cells.origin,
    cells.record,
    {{ columns | each("values{i}.code AS a{i}") }},
    {{ columns | each("values{i}.share AS s{i}") }}
FROM cells
{% for column in columns %}
JOIN values{{ loop.index0 }} ON values{{ loop.index0 }}.value = cells.{{ column | identifier }}
{% endfor %}

-- name: agreement_sizes
-- The number of codes of each attribute, and the numbers of distinct records.
-- takes: fields
-- parameter source: relation, the codes
WITH different AS (
    SELECT origin, {{ fields | each("a{x}") }}
    FROM {{ source | relation }} AS codes
    GROUP BY origin, {{ fields | each("a{x}") }}
)
SELECT
    [{{ fields | each("MAX(a{x}) + 1") }}] AS codes,
    COUNT(CASE WHEN origin = 0 THEN 1 END) AS candidates,
    COUNT(CASE WHEN origin = 1 THEN 1 END) AS records
FROM different

-- name: agreement_words
-- Creates the table of distinct records of one origin, with their codes in one word.
--
-- takes: name, fields
-- parameter source: relation, the codes
-- parameter number: integer, of the origin: candidates have 0, records of the release 1
-- parameter places: integers or none, for each attribute the place of its lowest bit; none where a word is too short
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH counted AS (
    SELECT {{ fields | each("a{x}") }}, {{ fields | each("ANY_VALUE(s{x}) AS s{x}") }}, COUNT(*) AS copies
    FROM {{ source | relation }} AS codes
    WHERE origin = {{ number }}
    GROUP BY {{ fields | each("a{x}") }}
)
SELECT
    ROW_NUMBER() OVER (ORDER BY {{ fields | each("a{x}") }}) AS item,
{% if places is not none %}
    {{ fields | each("(CAST(a{x} AS BIGINT) << {y})", places, between=" | ") }} AS word,
{% else %}
    CAST(0 AS BIGINT) AS word,
{% endif %}
    counted.*
FROM counted

-- name: agreement_patterns
-- Creates the table of the candidates of some records of the release, by the set of agreeing attributes.
--
-- definition: the records are the first in the order of MD5(item)
--
-- takes: name, fields, population
-- parameter released: relation, the distinct records of the release
-- parameter records: integer, number of records
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH asked AS (
    SELECT *
    FROM {{ released | relation }} AS released
    ORDER BY MD5(CAST(item AS VARCHAR)), item
    LIMIT {{ records }}
),
pairs AS (
    SELECT asked.item, candidate.copies,
        {{ fields | each("(CASE WHEN asked.a{x} = candidate.a{x} THEN {bit} ELSE 0 END)", between=" | ") }} AS pattern
    FROM asked
    CROSS JOIN {{ population | relation }} AS candidate
)
SELECT item, pattern, CAST(SUM(copies) AS BIGINT) AS candidates
FROM pairs
GROUP BY item, pattern

-- name: agreement_odds
-- Creates the table of distinct records of the release with what the agreement of each attribute weighs.
--
-- definition: t = p / ((1 - p) q); q is 1 / number of values of the release, or the share of the value among the
--   candidates. w is ln t, l is ln(1 + t), and base is the logarithm of the probability that the whole record was drawn
--
-- takes: name, fields
-- parameter released: relation, the distinct records of the release
-- parameter kept: texts, for each attribute the probability p that a cell is kept
-- parameter by_domain: flag, q is that of random responses; else that of the values of the column
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH drawn AS (
    SELECT
        released.*,
        {{ fields | each("CAST({y.literal} AS DOUBLE) AS p{x}", kept) }}
{% for field in fields %}
{% if by_domain %}
        , 1 / CAST(COUNT(DISTINCT a{{ field }}) OVER () AS DOUBLE) AS q{{ field }}
{% else %}
        , s{{ field }} AS q{{ field }}
{% endif %}
{% endfor %}
    FROM {{ released | relation }} AS released
)
SELECT
    item,
    word,
    copies,
    {{ fields | each("a{x}") }},
    {{ fields | each("LN(p{x} / ((1 - p{x}) * q{x})) AS w{x}") }},
    {{ fields | each("LN(1 + p{x} / ((1 - p{x}) * q{x})) AS l{x}") }},
    {{ fields | each("LN((1 - p{x}) * q{x})", between=" + ") }} AS base
FROM drawn

-- name: agreement_gains
-- Creates the table of the candidates of some records by agreeing attributes, with the logarithm of their likelihood.
--
-- takes: name, fields, odds
-- parameter patterns: relation, the candidates of some records by agreeing attributes
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    patterns.item,
    patterns.pattern,
    patterns.candidates,
    {{ fields | each("(CASE WHEN patterns.pattern & {bit} > 0 THEN odds.l{x} ELSE 0 END)", between=" + ") }} AS gain
FROM {{ patterns | relation }} AS patterns
JOIN {{ odds | relation }} AS odds ON odds.item = patterns.item

-- name: agreement_step
-- A step of expectation and maximisation: the expected share of kept cells, and the likelihood of the shares before.
--
-- definition: a record is behind each candidate with the probability likelihood / sum of the likelihoods, and a cell
--   that agrees is kept with t / (1 + t). log_likelihood is the mean over the records, with every candidate equally
--   likely, less a constant
-- source: Dempster, Laird and Rubin, Maximum likelihood from incomplete data via the EM algorithm, 1977
--
-- takes: fields, odds, sums
-- parameter matches: relation, the candidates of some records by agreeing attributes
WITH shares AS (
    SELECT
        matches.item,
        matches.pattern,
        CAST(ROUND(matches.candidates * EXP(matches.gain - sums.every) * 1e15) AS BIGINT) AS share
    FROM {{ matches | relation }} AS matches
    JOIN {{ sums | relation }} AS sums ON sums.item = matches.item
),
kept AS (
    SELECT
        item,
        {{ fields | each("SUM(CASE WHEN pattern & {bit} > 0 THEN share ELSE 0 END) / 1e15 AS e{x}") }}
    FROM shares
    GROUP BY item
)
SELECT
    CAST(SUM(CAST(odds.copies * (odds.base + sums.every) AS DECIMAL(38, 12))) AS DOUBLE) / SUM(odds.copies)
        AS log_likelihood,
    [
        {{ fields | each("CAST(SUM(CAST(odds.copies * kept.e{x} * EXP(odds.w{x} - odds.l{x}) AS DECIMAL(38, 12)))
            AS DOUBLE) / SUM(odds.copies)") }}
    ] AS kept
FROM kept
JOIN {{ odds | relation }} AS odds ON odds.item = kept.item
JOIN {{ sums | relation }} AS sums ON sums.item = kept.item

-- name: agreement_sets
-- Creates the table of the sets of attributes: the bits of a word that a set has, and a mark of the set above them.
--
-- takes: name, fields
-- parameter places: integers, for each attribute the place of its lowest bit
-- parameter bits: integers, the bits of each attribute
-- parameter mark: integer, the place of the mark
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    range AS members,
    {{ fields | each("(CASE WHEN range & {bit} > 0 THEN ((CAST(1 AS BIGINT) << {z}) - 1) << {y} ELSE 0 END)",
        places, bits, between=" | ") }} AS mask,
    range << {{ mark }} AS mark
FROM RANGE({{ 2 ** fields | length }})

-- name: agreement_matches
-- Creates the table of the sets of a record's values that candidates have, with their number and the product of t.
--
-- takes: name, fields, odds, population
-- parameter sets: relation, the sets of attributes
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH keys AS MATERIALIZED (
    SELECT
        odds.item,
        (odds.word & sets.mask) | sets.mark AS key,
        {{ fields | each("(CASE WHEN sets.members & {bit} > 0 THEN odds.w{x} ELSE 0 END)", between=" + ") }} AS gain
    FROM {{ odds | relation }} AS odds
    CROSS JOIN {{ sets | relation }} AS sets
),
-- A join with distinct keys takes a third of the time of a condition with IN.
wanted AS (
    SELECT DISTINCT key FROM keys
),
found AS (
    SELECT (candidate.word & sets.mask) | sets.mark AS key, candidate.copies
    FROM {{ population | relation }} AS candidate
    CROSS JOIN {{ sets | relation }} AS sets
),
counted AS (
    SELECT found.key, CAST(SUM(found.copies) AS BIGINT) AS candidates
    FROM found
    JOIN wanted ON wanted.key = found.key
    GROUP BY found.key
)
SELECT keys.item, keys.key, keys.gain, counted.candidates
FROM keys
JOIN counted ON counted.key = keys.key

-- name: agreement_sums
-- Creates the table of the logarithm of the sum of a record's likelihoods over all candidates.
--
-- takes: name
-- parameter matches: relation, the gain of each set of values of a record or of each candidate, and how many there are
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH largest AS (
    SELECT item, MAX(gain) AS largest
    FROM {{ matches | relation }} AS matches
    GROUP BY item
)
SELECT
    matches.item,
    largest.largest
        + LN(CAST(SUM(CAST(ROUND(candidates * EXP(gain - largest.largest) * 1e12) AS HUGEINT)) AS DOUBLE) / 1e12)
        AS every
FROM {{ matches | relation }} AS matches
JOIN largest ON largest.item = matches.item
GROUP BY matches.item, largest.largest

-- name: agreement_scores
-- Creates the table of scores: the expected number of records of the release behind which a candidate is.
--
-- definition: the sum over records of the release of likelihood / sum of the likelihoods of all candidates. Parts are
--   rounded to 2^-52, so that their sum is the same in any order
-- source: Fellegi and Sunter, A theory for record linkage, 1969; the sum over records is our own
--
-- takes: name, odds, population, sums
-- parameter matches: relation, the sets of values
-- parameter sets: relation, the sets of attributes
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH shares AS (
    SELECT matches.key,
        SUM(odds.copies * CAST(ROUND(EXP(matches.gain - sums.every) * 4503599627370496) AS BIGINT)) AS share
    FROM {{ matches | relation }} AS matches
    JOIN {{ sums | relation }} AS sums ON sums.item = matches.item
    JOIN {{ odds | relation }} AS odds ON odds.item = matches.item
    GROUP BY matches.key
)
SELECT candidate.item, CAST(SUM(shares.share) AS DOUBLE) / 4503599627370496 AS score
FROM {{ population | relation }} AS candidate
CROSS JOIN {{ sets | relation }} AS sets
JOIN shares ON shares.key = (candidate.word & sets.mask) | sets.mark
GROUP BY candidate.item

-- name: agreement_pair_scores
-- Creates the same table of scores from all pairs of a record and a candidate, where sets would be more than pairs.
--
-- takes: name, fields, odds, population, sums
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH pairs AS (
    SELECT
        candidate.item,
        odds.copies,
        {{ fields | each("(CASE WHEN odds.a{x} = candidate.a{x} THEN odds.l{x} ELSE 0 END)", between=" + ") }}
            - sums.every AS share
    FROM {{ odds | relation }} AS odds
    JOIN {{ sums | relation }} AS sums ON sums.item = odds.item
    CROSS JOIN {{ population | relation }} AS candidate
)
SELECT
    item,
    CAST(SUM(copies * CAST(ROUND(EXP(share) * 4503599627370496) AS BIGINT)) AS DOUBLE) / 4503599627370496 AS score
FROM pairs
GROUP BY item

-- name: agreement_ranking
-- Creates the table of scores of all candidates, equal ones included.
--
-- takes: name, fields, population
-- parameter source: relation, the codes
-- parameter scores: relation, the scores of distinct candidates
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT codes.record, scores.score
FROM {{ source | relation }} AS codes
JOIN {{ population | relation }} AS candidate
    ON {{ fields | each("candidate.a{x} = codes.a{x}", between=" AND ") }}
JOIN {{ scores | relation }} AS scores ON scores.item = candidate.item
WHERE codes.origin = 0
