-- attribute_values
-- The information gained by an attacker from each value of an attribute.
--
-- definition: Pr(x) = |R_x| / m, Pr(idf|x) = 1 / |U_x|, alpha_x = |R_x| / |U_x|, and
--   Pr(idf,x) = Pr(x) Pr(idf|x) = alpha_x / m.
-- source: Ito, definitions 2.1 to 2.4, table 2
-- missing: a record without a user or without a value is left out.
-- read: one row a value, the most dangerous first; the column identification sums to R(X). The rows
--   show values of people's records: keep the result as safe as the table itself.
-- runs: wide
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter attribute: attribute, the value that the attacker learns
-- parameter most: integer or none, largest number of values to list; none lists all
--
-- column value: VARCHAR, text, x: the value itself, a value of people's records
-- column records: BIGINT, records, |R_x|
-- column users: BIGINT, users, |U_x|
-- column records_per_user: DOUBLE, records per user, alpha_x
-- column probability: DOUBLE, probability, Pr(x)
-- column identification_given_value: DOUBLE, probability, Pr(idf|x)
-- column identification: DOUBLE, probability, Pr(idf,x)
-- column total: BIGINT, values, all of them, listed or not
-- column reached: BIGINT, values, those as dangerous as this one or more: fewer users, or as many and no fewer records
-- include: records_and_users
total AS (
    SELECT CAST(SUM(records) AS DOUBLE) AS m FROM knowledge
)
SELECT
    CAST(knowledge.value AS STRING) AS value,
    knowledge.records,
    knowledge.users,
    CAST(knowledge.records AS DOUBLE) / knowledge.users AS records_per_user,
    knowledge.records / total.m AS probability,
    1 / CAST(knowledge.users AS DOUBLE) AS identification_given_value,
    CAST(knowledge.records AS DOUBLE) / knowledge.users / total.m AS identification,
    COUNT(*) OVER () AS total,
    COUNT(*) OVER (ORDER BY knowledge.users, knowledge.records DESC) AS reached
FROM knowledge CROSS JOIN total
ORDER BY knowledge.users, knowledge.records DESC, knowledge.value
{% if most is not none %}
LIMIT {{ most | literal }}
{% endif %}
