-- count_linkable
-- How many records are released, and under how many pseudonyms.
--
-- definition: a pseudonym that comes back in another period counts again there
-- portable: yes
--
-- parameter released: relation, the released records
SELECT CAST(COALESCE(SUM(records), 0) AS BIGINT) AS records, COUNT(*) AS pseudonyms
FROM (
    SELECT period, pseudonym, COUNT(*) AS records
    FROM {{ released | relation }} AS released
    GROUP BY period, pseudonym
) AS counted
