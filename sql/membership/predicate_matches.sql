-- predicate_matches
-- Makes the table of how many records meet each predicate; those that none meets are left out.
--
-- definition: the records are joined to the predicates by the attribute that the fewest records meet, and what is left of
--   a predicate is looked at for these alone
-- portable: yes
--
-- parameter name: column, the table
-- parameter boxes: relation, the predicates
-- parameter records: relation, with codes
-- parameter columns: columns, the codes
-- parameter ways: integers, by which attributes records are looked up
-- parameter exceptions: integer, 1 where predicates allow all but one code
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH met AS (
{% for way in ways %}
{% set own = columns[way // 2] %}
{% if not loop.first %}
    UNION ALL
{% endif %}
    SELECT boxes.predicate
    FROM {{ records | relation }} AS records
    JOIN {{ boxes | relation }} AS boxes
        ON {% if way % 2 %}records.{{ own | identifier }} = boxes.least{{ way // 2 }}{% else %}records.{{ own | identifier }} >= boxes.least{{ way // 2 }} AND records.{{ own | identifier }} <= boxes.most{{ way // 2 }}{% endif %}

    WHERE boxes.way = {{ way }}
        -- One condition, so that none of it becomes a way to join by.
        AND CASE WHEN {% for column in columns %}{% if not loop.first %} AND {% endif %}records.{{ column | identifier }} BETWEEN boxes.least{{ loop.index0 }} AND boxes.most{{ loop.index0 }}{% if exceptions %} AND records.{{ column | identifier }} <> boxes.but{{ loop.index0 }}{% endif %}{% endfor %} THEN TRUE ELSE FALSE END
{% endfor %}
)
SELECT predicate, COUNT(*) AS matches
FROM met
GROUP BY predicate
