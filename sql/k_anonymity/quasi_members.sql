-- quasi_members
-- The class of each record: of equal records in several classes the first ones are in the first class.
--
-- portable: no
--
-- parameter columns: columns, the quasi-identifiers
CREATE OR REPLACE TEMP TABLE quasi_members AS
WITH pieces AS (
    SELECT
        tuple,
        class,
        SUM(n) OVER (PARTITION BY tuple ORDER BY class) - n AS after,
        SUM(n) OVER (PARTITION BY tuple ORDER BY class) AS upto,
        COUNT(*) OVER (PARTITION BY tuple) AS pieces
    FROM quasi_classes
),
found AS (
    SELECT record, tuple
    FROM quasi_records
    JOIN quasi_tuples USING ({% for column in columns %}a{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %})
),
-- only tuples in several classes have to be counted through
counted AS (
    SELECT record, tuple, ROW_NUMBER() OVER (PARTITION BY tuple ORDER BY record) AS place
    FROM found
    SEMI JOIN (SELECT tuple FROM pieces WHERE pieces > 1) AS divided USING (tuple)
)
SELECT record, class
FROM found
JOIN pieces USING (tuple)
WHERE pieces = 1
UNION ALL
SELECT record, class
FROM counted
JOIN pieces ON pieces.tuple = counted.tuple AND place > after AND place <= upto
WHERE pieces > 1
