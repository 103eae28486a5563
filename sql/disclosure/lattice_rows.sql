-- lattice_rows
-- The combinations with the fields of a few attributes, the low ones, in a word of their own, the others in others.
--
-- definition: all sets of low attributes are looked at together, by the bits of a number; the others, the high ones,
--   are gone through set by set
-- portable: no
--
-- parameter words: integers, the word of a combination that holds the field of each attribute
-- parameter shifts: integers, where in its word that field begins
-- parameter masks: integers, the bits of that field in its word
-- parameter low: integers, the low attributes
-- parameter places: integers, where the field of each begins in their word
-- parameter high: integers, the high attributes
-- parameter high_words: integers, the word that holds the field of each then
-- parameter high_places: integers, where it begins
-- parameter missing: integer, 1 where missing values tell nothing
CREATE OR REPLACE TEMP TABLE lattice_rows AS
SELECT
    CAST(ROW_NUMBER() OVER () AS INTEGER) AS member,
    id,
    records,
{% if missing %}
    CAST(missing AS BIGINT) AS missing,
    CAST({% for position in low %}(((missing >> {{ position }}) & 1) << {{ loop.index0 }}) | {% endfor %}0 AS INTEGER) AS low_missing,
{% endif %}
    CAST({% for position in low %}(((p{{ words[position] }} & {{ masks[position] }}) >> {{ shifts[position] }}) << {{ places[loop.index0] }}) | {% endfor %}0 AS BIGINT) AS low
{% for word in range((high_words + [0]) | max + 1) %}
    , CAST({% for i in range(high | length) if high_words[i] == word %}(((p{{ words[high[i]] }} & {{ masks[high[i]] }}) >> {{ shifts[high[i]] }}) << {{ high_places[i] }}) | {% endfor %}0 AS BIGINT) AS h{{ word }}
{% endfor %}
FROM combinations
