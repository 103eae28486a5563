-- patterns
-- How sensitive a person's values are, for each pattern of missing ones, and JO's identifiability of them.
--
-- definition: sensitivity = 10^(max P - 1) + 5^(max E - 1) over the attributes that are not missing, 0 where all
--   are; identifiability = 6 where a name and an address are there, 3 where a name, or an address and a
--   telephone number are, else 1
-- source: JNSA 2003 (JO model); Yamaoka and Itoh, section 3, equations 1 and 2, table 2
-- portable: no
--
-- parameter persons: column, the persons and their missing attributes
-- parameter each: integer, 1 where the table has a row a person, 0 where it counts their records
-- parameter names: integer, the bits of attributes that hold a name
-- parameter addresses: integer, the bits of attributes that hold an address
-- parameter phones: integer, the bits of attributes that hold a telephone number
CREATE OR REPLACE TEMP TABLE patterns AS
WITH counted AS (
    SELECT missing, CAST({% if each %}COUNT(*){% else %}SUM(records){% endif %} AS BIGINT) AS records
    FROM {{ persons | identifier }}
    GROUP BY missing
),
levels AS (
    SELECT missing, MAX(economic) AS economic, MAX(psychological) AS psychological
    FROM counted
    JOIN searched_attributes ON (counted.missing & bit) = 0
    GROUP BY missing
),
held AS (
    SELECT
        missing,
        {{ names | literal }} & ~missing AS names,
        {{ addresses | literal }} & ~missing AS addresses,
        {{ phones | literal }} & ~missing AS phones
    FROM counted
)
SELECT
    missing,
    counted.records,
    COALESCE(CAST(POWER(10, levels.psychological - 1) + POWER(5, levels.economic - 1) AS INTEGER), 0) AS sensitivity,
    CASE WHEN held.names <> 0 AND held.addresses <> 0 THEN 6
        WHEN held.names <> 0 OR (held.addresses <> 0 AND held.phones <> 0) THEN 3
        ELSE 1 END AS jo_identifiability,
    CASE WHEN held.names <> 0 THEN held.names | held.addresses
        WHEN held.addresses <> 0 AND held.phones <> 0 THEN held.addresses | held.phones
        ELSE 0 END AS jo_mask
FROM counted
LEFT JOIN levels USING (missing)
JOIN held USING (missing)
