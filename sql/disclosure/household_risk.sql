-- household_risk
-- The risk that a member of a household is re-identified, from the individual risks of its members.
--
-- source: sdcMicro, hierarchical risk
-- runs: finish
-- reads: class_matches, class_risks, known_classes

-- name: household_risk
-- The risk that a member of a household is re-identified, which identifies all members.
--
-- definition: 1 - the product of 1 - r over the records of the household, r their individual risks; each record has the
--   risk of its household
-- source: sdcMicro, hierarchical risk; Templ, Statistical disclosure control for microdata, 2017
-- missing: a record without a household is one by itself; one without a risk is left out
-- read: expected_found records are identified if a member is identified with the risk of each own record.
--   individual_risk derives these risks from the sizes of classes.
--
-- parameter source: relation, the records with their individual risk
-- parameter household: column, of the record
-- parameter risk: column, the individual risk of the record
--
-- column records: BIGINT, records, all of them
-- column households: BIGINT, households, a record without one counting as one
-- column highest_risk: DOUBLE, probability, of the household at the highest
-- column average_risk: DOUBLE, probability, of a record's household on average over records
-- column expected_found: DOUBLE, records, that are found on average
WITH members AS (
    SELECT {{ household | identifier }} AS household, CAST({{ risk | identifier }} AS DOUBLE) AS risk
    FROM {{ source | relation }}
    WHERE {{ risk | identifier }} IS NOT NULL
),
households AS (
    SELECT
        COUNT(*) AS members,
        1 AS households,
        CASE WHEN MAX(risk) >= 1 THEN 1
            ELSE 1 - EXP(CAST(SUM(CAST(LN(1 - LEAST(risk, 1 - 1e-15)) AS DECIMAL(38, 18))) AS DOUBLE)) END AS risk
    FROM members
    WHERE household IS NOT NULL
    GROUP BY household
    UNION ALL
    SELECT COUNT(*) AS members, COUNT(*) AS households, risk
    FROM members
    WHERE household IS NULL
    GROUP BY risk
)
SELECT
    CAST(COALESCE(SUM(members), 0) AS BIGINT) AS records,
    CAST(COALESCE(SUM(households), 0) AS BIGINT) AS households,
    CAST(MAX(risk) AS DOUBLE) AS highest_risk,
    CAST(SUM(CAST(members * risk AS DECIMAL(38, 15))) AS DOUBLE) / CAST(SUM(members) AS DOUBLE) AS average_risk,
    CAST(SUM(CAST(members * risk AS DECIMAL(38, 15))) AS DOUBLE) AS expected_found
FROM households

-- name: household_members
-- The records with their household and their individual risk.
-- parameter source: relation, the records
-- parameter household: column, of the record
-- parameter attributes: attributes, the quasi-identifiers, their tokens being missing values
-- parameter missing: text, the rule for missing values
-- parameter size: column or none, of class_matches: the size in the population; none where the other size settles it
(
    WITH records AS (
        SELECT
            {{ household | identifier }} AS household,
            {{ attributes | each("{x.value} AS v{i}") }}

        FROM {{ source | relation }}
    ),
    classes AS (
        SELECT
{% for attribute in attributes %}
            known_classes.v{{ loop.index0 }},
{% endfor %}
            class_risks.risk
        FROM known_classes
        JOIN class_matches ON class_matches.class = known_classes.rowid
            AND class_matches.missing = {{ missing | literal }}
        JOIN class_risks
            ON class_risks.class_size
                = class_matches.class_size{% if size %}
                AND class_risks.population_size = class_matches.{{ size | identifier }}{% endif %}

        WHERE known_classes.records > 0
    )
    SELECT records.household, classes.risk
    FROM records
    JOIN classes
        ON {{ attributes | each("(classes.v{i} IS NOT DISTINCT FROM records.v{i})", between=" AND ") }}

)
