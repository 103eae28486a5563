-- evidence_columns
-- Which columns tell records of a release apart, and are known.
--
-- definition: 1 where the release has two values or more, and a known record has one
-- portable: no
--
-- parameter known: column, the known records as they are compared
-- parameter released: column, the released ones
SELECT
{% for column in ('clock', 'day', 'item', 'price', 'quantity') %}
    {% if not loop.first %}, {% endif %}CAST((SELECT COUNT(DISTINCT {{ column | identifier }}) > 1 FROM {{ released | identifier }})
        AND (SELECT COUNT({{ column | identifier }}) > 0 FROM {{ known | identifier }}) AS INTEGER) AS {{ column | identifier }}
{% endfor %}
