-- treated_cells
-- The cells that a treatment publishes for each combination of values, packed into words of 60 bits.
--
-- definition: "spread" is log2 of the number of combinations that the cells of columns that are information cover
-- portable: no
--
-- parameter columns: integer, how many columns have numbered values
-- parameter kept: integers, those of them that are published
-- parameter forms: texts, the tables with the forms of these
-- parameter words: integers, the word that holds the field of each of these
-- parameter shifts: integers, where in its word a field begins
-- parameter count: integer, words of a combination
-- parameter table: column, the table that is made
-- parameter told: integers, those that are published and information
-- parameter lost: integers, how many values each of those has that are information and left out
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT
    advice_tuples.tuple,
    advice_tuples.present,
    advice_tuples.records,
{% for i in range(columns) %}
    advice_tuples.c{{ i }},
{% endfor %}
{% for word in range(count) %}
    CAST(0 AS BIGINT){% for place in range(kept | length) if words[place] == word %} | (CAST(f{{ kept[place] }}.cell AS BIGINT) << {{ shifts[place] }}){% endfor %} AS q{{ word }},
{% endfor %}
    CAST(0 AS DOUBLE){% for i in told %} + LOG2(f{{ i }}.leaves){% endfor %}{% for leaves in lost %} + LOG2({{ leaves }}){% endfor %} AS spread
FROM advice_tuples
{% for i in kept %}
JOIN {{ forms[loop.index0] | identifier }} AS f{{ i }} ON f{{ i }}.code = advice_tuples.c{{ i }}
{% endfor %}
