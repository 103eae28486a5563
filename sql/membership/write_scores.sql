-- write_scores
-- Writes the guesses of an attack, or the scores of all candidates.
--
-- portable: no
--
-- parameter scores: relation, record, score and place of every candidate
-- parameter columns: columns, that are written
-- parameter guesses: integer or none, only so many of the first places; none writes all candidates, in their order
-- parameter path: text, the file
-- parameter options: expression, of the file's format
COPY (
    SELECT {% for column in columns %}{% if not loop.first %}, {% endif %}{{ column | identifier }}{% endfor %}

    FROM {{ scores | relation }} AS scores
{% if guesses is not none %}
    WHERE place <= {{ guesses | literal }}
    ORDER BY place
{% else %}
    ORDER BY record
{% endif %}
) TO {{ path | literal }} ({{ options | expression }}, USE_TMP_FILE FALSE)
