-- add_labels
-- Adds lines to the table of a hierarchy that somebody wrote down.
--
-- portable: no
--
-- parameter name: column, the table
-- parameter lines: texts, a list of texts a line: the value and its labels
-- parameter height: integer, the levels above the value
INSERT INTO {{ name | identifier }}
SELECT line[1]
{% for level in range(1, height + 1) %}
    , line[{{ level + 1 }}]
{% endfor %}
FROM (SELECT UNNEST({{ lines | literal }}) AS line) AS written
