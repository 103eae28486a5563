-- fact_values
-- Gives each cell a number of 64 bits, so that sets of any attributes are compared quickly.
--
-- definition: the number is a hash; two values that differ have the same one with a probability of 2^-64. A missing cell
--   has the number of NULL. Sets are compared number by number and not by a hash of them.
-- portable: no
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter attributes: attributes, what may be known of a record
-- parameter several: integers, the places of those whose values have parts: their hash is never that of NULL
-- parameter kept: integer, 1 where the numbers are kept in memory, 0 where each statement makes those it needs
CREATE OR REPLACE TEMP {% if kept %}TABLE{% else %}VIEW{% endif %} fact_values AS
SELECT
    {% if user %}hash({{ user | person }}){% else %}hash(NULL){% endif %} AS person
{% for attribute in attributes %}
    , {% if loop.index0 in several %}CASE WHEN {{ attribute | value }} IS NULL THEN hash(NULL) ELSE hash({{ attribute | value }}) END{% else %}hash({{ attribute | value }}){% endif %} AS h{{ loop.index0 }}
{% endfor %}
FROM {{ source | relation }}
{% if user %}
WHERE {{ user | person }} IS NOT NULL
{% endif %}
