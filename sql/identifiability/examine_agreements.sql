-- examine_agreements
-- Finds the open persons whom sets single out, by what their combinations share with others.
--
-- portable: no
--
-- parameter sets: column, the table of the sets
-- parameter first: integer, the first set of the batch
-- parameter last: integer, the last set of the batch
-- parameter several_tiers: integer, 1 where the sets are of several tiers, of which a person's easiest counts
-- parameter ignored: integer, 1 where a missing value tells nothing, 0 where it is a value
-- parameter class: integer, the bit of the class of open persons, 0 for all
INSERT INTO found BY NAME
SELECT DISTINCT open.id, sets.tier, sets.mask
FROM {{ sets | identifier }} AS sets, open_persons AS open
WHERE sets.number BETWEEN {{ first | literal }} AND {{ last | literal }}
    AND (open.required & ~sets.mask) = 0
{% if class %}
    AND (open.classes & {{ class | literal }}) <> 0
{% endif %}
{% if ignored %}
    AND (open.missing & sets.mask) = 0
{% endif %}
    AND NOT EXISTS (
        SELECT 1 FROM agreements WHERE agreements.number = open.number AND (sets.mask & ~agreements.mask) = 0
    )
{% if several_tiers %}
QUALIFY sets.tier = MIN(sets.tier) OVER (PARTITION BY open.id)
{% endif %}
