-- guess_records
-- Makes the table of the record of the release that the secrets of each target are guessed by: the nearest without each secret.
--
-- definition: of those that are equally near the first; a distance and a record are one number
-- source: Anonymeter, inference
-- portable: no
--
-- parameter name: column, the table
-- parameter targets: relation, the targets, with bounds where there are several secrets
-- parameter released: relation, the records of the release
-- parameter distance: expression, of target and release by all that is known
-- parameter parts: expressions, what each secret adds to it
-- parameter bounded: integer, 1 where there are bounds
-- parameter span: integer, more than any number of a record
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    target.target
{% for part in parts %}
    , MIN(({{ distance | expression }} - {{ part | expression }}) * {{ span }} + released.record) % {{ span }} AS guess{{ loop.index0 }}
{% endfor %}
FROM {{ targets | relation }} AS target
JOIN {{ released | relation }} AS released ON {% if bounded %}{{ distance | expression }} <= target.bound{% else %}TRUE{% endif %}

GROUP BY target.target
