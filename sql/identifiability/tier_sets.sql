-- tier_sets
-- The attribute sets of one size and one sensitivity: all have the same ease.
--
-- definition: a set is a smaller one and one attribute that comes after all of it; tiers are made in
--   the order of their ease, so that the smaller sets are there. A set that contains a redundant one
--   divides the records as a subset of it does, and is left out with all that would contain it.
-- portable: no
--
-- parameter tier: integer, the number of the tier
-- parameter size: integer, attributes in a set
-- parameter economic: integer, the highest economic level in a set
-- parameter psychological: integer, the highest psychological level in a set
-- parameter words: integer, words of a combination
-- parameter redundant: integers, sets that add nothing
-- parameter before: integer, how many sets the tiers before it have
-- parameter begin: integer, 1 for the first tier
{% if begin %}
CREATE OR REPLACE TEMP TABLE sets AS
{% else %}
INSERT INTO sets BY NAME
{% endif %}
WITH grown AS (
{% if size == 1 %}
    SELECT bit AS mask, economic, psychological{% for word in range(words) %}, f{{ word }}{% endfor %}

    FROM searched_attributes
    WHERE searched
{% else %}
    SELECT
        smaller.mask | added.bit AS mask,
        GREATEST(smaller.economic, added.economic) AS economic,
        GREATEST(smaller.psychological, added.psychological) AS psychological
{% for word in range(words) %}
        , smaller.f{{ word }} | added.f{{ word }} AS f{{ word }}
{% endfor %}
    FROM sets AS smaller
    JOIN searched_attributes AS added ON added.searched AND added.bit > smaller.mask
    WHERE smaller.size = {{ size | literal }} - 1
        AND smaller.economic <= {{ economic | literal }} AND smaller.psychological <= {{ psychological | literal }}
        AND added.economic <= {{ economic | literal }} AND added.psychological <= {{ psychological | literal }}
{% endif %}
)
SELECT
    CAST({{ tier | literal }} AS INTEGER) AS tier,
    ROW_NUMBER() OVER (ORDER BY mask) - 1 + {{ before | literal }} AS number,
    CAST({{ size | literal }} AS INTEGER) AS size,
    economic,
    psychological,
    mask
{% for word in range(words) %}
    , f{{ word }}
{% endfor %}
FROM grown
WHERE economic = {{ economic | literal }} AND psychological = {{ psychological | literal }}
{% for pair in redundant %}
    AND (mask & {{ pair }}) <> {{ pair }}
{% endfor %}
