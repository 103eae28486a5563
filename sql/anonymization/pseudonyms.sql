-- pseudonyms
-- Makes the table of users and their pseudonyms, one for all time or one a period.
--
-- definition: all pairs of a user and a period are put into a random order, by the first 64 bits of the SHA-256
--   sum of a secret and their number in the order of their values, then by that number; a pseudonym is the place
--   in it, with as many digits as the last one has
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter column: column, of the users
-- parameter period: expression or none, the first day of a record's period; none for one pseudonym for all time
-- parameter shown: expression or none, the period as people write it, from its first day
-- parameter secret: text, what nobody else knows
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH pairs AS (
    SELECT
        {{ column | identifier }} AS person
{% if period is not none %}
        , {{ period | expression }} AS period
{% endif %}
    FROM {{ source | relation }} AS records
    WHERE {{ column | identifier }} IS NOT NULL
    GROUP BY person{% if period is not none %}, period{% endif %}

),
numbered AS (
    SELECT
        person
        , {% if period is not none %}period{% else %}NULL{% endif %} AS period
        , ROW_NUMBER() OVER (ORDER BY person{% if period is not none %}, period{% endif %}) AS number
    FROM pairs
)
SELECT
    person
    , period
    , {% if shown is not none %}{{ shown | expression }}{% else %}NULL{% endif %} AS period_text
    , 'P' || LPAD(
        CAST(ROW_NUMBER() OVER (ORDER BY CAST('0x' || LEFT(SHA256({{ secret | literal }} || CAST(number AS VARCHAR)), 16) AS UBIGINT), number) AS VARCHAR),
        CAST(LENGTH(CAST(COUNT(*) OVER () AS VARCHAR)) AS INTEGER),
        '0'
    ) AS pseudonym
FROM numbered
