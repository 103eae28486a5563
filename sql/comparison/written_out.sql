-- written_out
-- The combinations of a release with the cells of some attributes replaced by each value that they cover.
--
-- definition: a combination then has a row for each, and an even part of its mass. The fewer ways of generalising are
--   left, the fewer look-ups a combination of the original takes
-- portable: no
--
-- parameter words: integers, all words
-- parameter kept: integers, the bits in each word that stay
-- parameter attributes: integers, the numbers of all attributes
-- parameter ranges: integers, those that stay compared by ranges
-- parameter spreads: texts, for each attribute that is written out the table with the values of its cells
-- parameter numbers: integers, the numbers of these attributes
-- parameter ranged: integers, those of them that were compared by ranges
-- parameter parts: integers, for each of them the words that its bits are in
-- parameter masks: integers, for each of them its bits in each of these words
-- parameter leaf_words: integers, the word that the number of its value is in
-- parameter leaf_shifts: integers, where it begins there
-- parameter leaf_masks: integers, its bits there
-- parameter again_mask: integer, the bits of these attributes among the rows of a run
-- parameter bits: integer or none, masses are whole numbers of two to the minus this; none adds them in their order
CREATE OR REPLACE TEMP TABLE written AS
WITH spread AS (
    SELECT
{% for word in words %}
        (releases.f{{ word }} & {{ kept[loop.index0] }}){% for i in range(spreads | length) if leaf_words[i] == word %} | (t{{ i }}.code << {{ leaf_shifts[i] }}){% endfor %} AS f{{ word }},
        (releases.m{{ word }} & {{ kept[loop.index0] }}){% for i in range(spreads | length) if leaf_words[i] == word %} | {{ leaf_masks[i] }}{% endfor %} AS m{{ word }},
{% endfor %}
{% for i in ranges %}
        releases.first{{ i }},
        releases.last{{ i }},
{% endfor %}
        releases.records / ({% for i in attributes %}CAST(releases.s{{ i }} AS DOUBLE){% if not loop.last %} * {% endif %}{% endfor %}) AS mass
    FROM releases
{% for spread in spreads %}
{% set i = loop.index0 %}
    JOIN {{ spread | identifier }} AS t{{ i }}
{% if numbers[i] in ranged %}
        ON t{{ i }}.first = releases.first{{ numbers[i] }} AND t{{ i }}.last = releases.last{{ numbers[i] }}
{% else %}
        ON {% for word in parts[i] %}t{{ i }}.f{{ word }} = (releases.f{{ word }} & {{ masks[i][loop.index0] }}) AND t{{ i }}.m{{ word }} = (releases.m{{ word }} & {{ masks[i][loop.index0] }}){% if not loop.last %} AND {% endif %}{% endfor %}

{% endif %}
{% endfor %}
    WHERE releases.false_cells = 0 AND (releases.again & {{ again_mask }}) = 0
)
SELECT
{% for word in words %}
    f{{ word }},
    m{{ word }},
{% endfor %}
{% for i in ranges %}
    first{{ i }},
    last{{ i }},
{% endfor %}
    {% if bits is not none %}SUM(CAST(POWER(2.0, {{ bits }}) * mass AS HUGEINT)){% else %}SUM(mass ORDER BY mass){% endif %} AS mass
FROM spread
GROUP BY {% for word in words %}f{{ word }}, m{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}{% for i in ranges %}, first{{ i }}, last{{ i }}{% endfor %}

