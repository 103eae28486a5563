-- set_sampled
-- Counts the classes of one attribute set that a hash of their values picks.
--
-- definition: a class is picked or not with all its records, so what is counted is exact for the classes picked; the
--   hashes of the values are joined by exclusive or, and any two classes are picked independently
-- portable: no
--
-- parameter mask: integer, the set
-- parameter positions: integers, its attributes
-- parameter words: integers, the words that hold their fields
-- parameter fields: integers, the bits of these fields, word by word
-- parameter one_in: integer, one class of so many is picked, a power of two
INSERT INTO set_parts
WITH picked AS (
    SELECT records{% for word in words %}, p{{ word }} & {{ fields[loop.index0] }} AS k{{ word }}{% endfor %}

    FROM set_hashes
    WHERE ({% for position in positions[1:] %}xor({% endfor %}h{{ positions[0] }}{% for position in positions[1:] %}, h{{ position }}){% endfor %} & {{ one_in - 1 }}) = 0
),
classes AS (
    SELECT SUM(records) AS records
    FROM picked
    GROUP BY {% for word in words %}k{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}

)
SELECT
    {{ mask | literal }} AS mask,
    COALESCE(SUM(records), 0),
    COUNT(*),
    COUNT(CASE WHEN records = 1 THEN 1 END),
    COALESCE(SUM(CAST(records AS HUGEINT) * records), 0),
    MIN(records)
FROM classes
