-- facts_of_histories
-- How many people several known records of one attribute fit alone: the mean over the attributes, and the worst one.
--
-- definition: unicity as in known_records; of equal attributes the first is the worst
-- portable: no
--
-- parameter known: integers, how many records are known, in each case
-- parameter attributes: texts, the attribute of each case
-- parameter unicity: numbers, the probability that they fit one person alone; NULL where nobody could be drawn
WITH cases AS (
    SELECT
        UNNEST({{ known | literal }}) AS records,
        UNNEST({{ attributes | literal }}) AS attribute,
        CAST(UNNEST({{ unicity | literal }}) AS DOUBLE) AS unicity,
        UNNEST(RANGE({{ known | length }})) AS place
)
SELECT
    CAST(records AS INTEGER) AS records,
    COUNT(*) AS attributes,
    CAST(SUM(CAST(unicity AS DECIMAL(38, 18))) AS DOUBLE) / COUNT(unicity) AS typical,
    MAX(unicity) AS worst,
    ARG_MIN(attribute, ROW(-unicity, place)) FILTER (WHERE unicity IS NOT NULL) AS worst_attribute
FROM cases
GROUP BY records
ORDER BY records
