-- mondrian_begin
-- All tuples as one group.
--
-- portable: yes
--
-- parameter columns: columns, the quasi-identifiers
CREATE OR REPLACE TEMP TABLE quasi_open AS
SELECT
    tuple,
    CAST(0 AS BIGINT) AS part,
    n
{% for column in columns %}
    , a{{ loop.index0 }} AS x{{ loop.index0 }}
{% endfor %}
FROM quasi_tuples
