-- suda_next
-- Adds what is unique on these sets of high attributes, for the larger ones to come.
--
-- portable: no
--
-- parameter after: column, the table of what is unique on sets of this size
-- parameter lacking: integers, the sets that lack each low attribute, as bits
INSERT INTO {{ after | identifier }}
WITH b AS (
    SELECT high, member, BIT_OR(bits) AS bits
    FROM (
        SELECT high, member, bits FROM suda_known
        UNION ALL
        SELECT high, member, bits FROM suda_new
    ) AS together
    GROUP BY high, member
)
{% for sets in lacking %}
, b{{ loop.index0 }} AS (
    SELECT high, member, bits | ((bits & {{ sets }}) << {{ 2 ** loop.index0 }}) AS bits
    FROM {% if loop.first %}b{% else %}b{{ loop.index0 - 1 }}{% endif %}

)
{% endfor %}
SELECT high, member, bits FROM b{% if lacking %}{{ lacking | length - 1 }}{% endif %}

