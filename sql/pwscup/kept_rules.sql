-- kept_rules
-- Makes the table of the rules of a history: of two items, whose "second" is empty, and of three.
--
-- portable: no
--
-- parameter name: column, the table
-- parameter pairs: expression, the metric association_rules of it
-- parameter threes: expression, the metric association_rules_of_three of it
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT first, NULL AS second, second AS then_item, support, confidence
FROM (
{{ pairs | expression }}
) AS pairs
UNION ALL
SELECT first, second, third, support, confidence
FROM (
{{ threes | expression }}
) AS threes
