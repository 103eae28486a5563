-- class_candidates
-- Users with as many records as one who misses something, who have a record that agrees with the rarest of theirs.
--
-- portable: no
--
-- parameter most: integer, the table ends there
CREATE OR REPLACE TEMP TABLE class_candidates AS
WITH holders AS (
    SELECT class_agreeing.mine, COUNT(*) AS owners
    FROM class_agreeing
    JOIN class_owners ON class_owners.class = class_agreeing.theirs
    GROUP BY class_agreeing.mine
),
rarest AS (
    SELECT class_owners.person, ARG_MIN(class_owners.class, (holders.owners, class_owners.class)) AS class
    FROM class_owners
    JOIN class_histories ON class_histories.person = class_owners.person
    JOIN holders ON holders.mine = class_owners.class
    WHERE class_histories.incomplete
    GROUP BY class_owners.person
)
SELECT DISTINCT rarest.person AS mine, class_owners.person AS theirs
FROM rarest
JOIN class_histories AS me ON me.person = rarest.person
JOIN class_agreeing ON class_agreeing.mine = rarest.class
JOIN class_owners ON class_owners.class = class_agreeing.theirs
JOIN class_histories AS other ON other.person = class_owners.person AND other.records = me.records
LIMIT {{ most }}
