-- examine_agreements
-- Finds the open persons whom the tier's sets single out, by what their combinations share with others.
--
-- portable: no
--
-- parameter first: integer, the first set of the batch
-- parameter last: integer, the last set of the batch
-- parameter ignored: integer, 1 where a missing value tells nothing, 0 where it is a value
-- parameter class: integer, the bit of the class of open persons, 0 for all
-- parameter begin: integer, 1 for the first batch of a tier
{% if begin %}
CREATE OR REPLACE TEMP TABLE found AS
{% else %}
INSERT INTO found
{% endif %}
SELECT DISTINCT open.id, tier.mask
FROM tier, open_persons AS open
WHERE tier.number BETWEEN {{ first | literal }} AND {{ last | literal }}
{% if class %}
    AND (open.classes & {{ class | literal }}) <> 0
{% endif %}
{% if ignored %}
    AND (open.missing & tier.mask) = 0
{% endif %}
    AND NOT EXISTS (
        SELECT 1 FROM agreements WHERE agreements.number = open.number AND (tier.mask & ~agreements.mask) = 0
    )
