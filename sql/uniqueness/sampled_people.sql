-- sampled_people
-- How many people are in the sample, and the records by which all attributes together single them out.
--
-- portable: no
--
-- parameter by_record: integer, 1 where each record is a person
SELECT {% if by_record %}COUNT(*){% else %}COUNT(DISTINCT person){% endif %} AS people, CAST(COALESCE(SUM(records), 0) AS BIGINT) AS records
FROM fact_sample
