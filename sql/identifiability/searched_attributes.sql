-- searched_attributes
-- Lists the attributes of the search with their sensitivity levels and their fields.
--
-- portable: no
--
-- parameter economic: integers, the economic level of each attribute
-- parameter psychological: integers, the psychological level of each attribute
-- parameter words: integers, the word that holds the field of each attribute
-- parameter masks: integers, the bits of each field in its word
-- parameter set_bits: integer, bits of an attribute set
-- parameter searched: integers, the positions of the attributes that sets are made of
CREATE OR REPLACE TEMP TABLE searched_attributes AS
SELECT * FROM (
    VALUES
{% for i in range(economic | length) %}
    (
        {{ i }}, CAST({{ 2 ** i }} AS {{ set_bits | integer_type }}), {{ economic[i] }}, {{ psychological[i] }}, {{ (i in searched) | literal }}
{%- for word in range(words | max + 1) %}, CAST({{ masks[i] if words[i] == word else 0 }} AS BIGINT){% endfor %}

    ){% if not loop.last %},{% endif %}

{% endfor %}
) AS listed (position, bit, economic, psychological, searched{% for word in range(words | max + 1) %}, f{{ word }}{% endfor %})
