-- rare_values
-- Makes the table of the values of a column that stand out: one record alone has them, or few users.
--
-- definition: values of a single record, and values of fewer different users than a limit
-- source: idiosyncratic descriptions, as the contest of 2017 reads article 34 (formerly 19) of the enforcement rules
-- missing: a missing value is none; missing users are not counted
-- portable: no
--
-- parameter name: column, the table
-- parameter source: relation, the records
-- parameter column: column, whose values
-- parameter user: column or none, the users; none looks at the records alone
-- parameter users: integer, fewer users than these are few
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT {{ column | identifier }} AS value
FROM {{ source | relation }} AS records
WHERE {{ column | identifier }} IS NOT NULL
GROUP BY {{ column | identifier }}
HAVING COUNT(*) = 1{% if user is not none %} OR COUNT(DISTINCT {{ user | identifier }}) < {{ users }}{% endif %}

