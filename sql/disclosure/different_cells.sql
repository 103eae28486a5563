-- different_cells
-- The different cells of several columns as texts, one below the other.
--
-- portable: no
--
-- parameter source: relation, the records
-- parameter columns: columns, whose cells these are
-- parameter one_in: integer, of so many values about one is taken, always the same ones; 1 takes all
-- parameter at_once: integer, 1 reads the records once and makes texts of all cells, which pays on small tables
{% if at_once %}
(SELECT UNNEST([{% for column in columns %}CAST({{ column | identifier }} AS VARCHAR){% if not loop.last %}, {% endif %}{% endfor %}]) AS cell FROM {{ source | relation }})
{% else %}
({% for column in columns %}{% if not loop.first %} UNION ALL {% endif %}SELECT DISTINCT CAST({{ column | identifier }} AS VARCHAR) AS cell FROM {{ source | relation }}{% if one_in > 1 %} WHERE HASH({{ column | identifier }}) % {{ one_in | literal }} = 0{% endif %}{% endfor %})
{% endif %}
