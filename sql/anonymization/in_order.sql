-- in_order
-- Records that come one after another, each with a larger number than the one before; stops where one has not.
--
-- definition: the number of a record is compared with that of the record before it, in one thread
-- source: a release has its records in the order of the source
-- portable: no
--
-- parameter source: relation, the records, with their numbers
(
    SELECT *
    FROM (
        SELECT
            *
            , LAG(record, 1, -1) OVER () AS record_before
        FROM {{ source | relation }} AS coming
    ) AS followed
    WHERE CASE WHEN record_before < record THEN TRUE ELSE ERROR('out of order') END
)
