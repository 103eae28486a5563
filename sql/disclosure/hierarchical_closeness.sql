-- hierarchical_closeness
-- The largest distance of a class from the whole table, by the height of the lowest common label of two values.
--
-- definition: two values are at the distance h / H, with h the level of their lowest common label and H that of the
--   root. The distance of a class from the whole table is the earth mover's: over the labels N of every level h from
--   1, h / H times the smaller of the surplus and the deficit of the children of N.
-- source: Li, Li and Venkatasubramanian, t-closeness, ICDE 2007, section 4.2
-- missing: a missing value is a value of its own, in the quasi-identifier and, right below the root, in the sensitive
--   attribute.
-- read: 0 means that every class looks like the table; moving a share among near values costs less than among far ones.
-- runs: finish
--
-- parameter source: relation, the records
-- parameter columns: columns, the quasi-identifiers
-- parameter column: column, the sensitive attribute
-- parameter hierarchy: relation, a row a value
-- parameter labels: columns, of the hierarchy: the value as text, then its labels, the root left out
--
-- column records: BIGINT, records, all of them
-- column classes: BIGINT, classes, of records that agree on the quasi-identifiers
-- column hierarchical_t: DOUBLE, distance, between 0 and 1, of the class that is furthest from the table
WITH given AS (
    SELECT
        TRUE AS is_record,
        {% for name in columns %}{{ name | identifier }} AS a{{ loop.index }}, {% endfor %}

        {% for _ in labels %}{% if loop.first %}CAST({{ column | identifier }} AS VARCHAR){% else %}CAST(NULL
            AS VARCHAR){% endif %} AS label{{ loop.index0 }}{{ loop | between(", ") }}{% endfor %}

    FROM {{ source | relation }}
    UNION ALL
    SELECT DISTINCT
        FALSE AS is_record,
        {% for _ in columns %}NULL AS a{{ loop.index }}, {% endfor %}

        {{ labels | each("CAST({x.identifier} AS VARCHAR) AS label{i}") }}

    FROM {{ hierarchy | relation }}
),
known AS (
    SELECT {% for _ in columns %}a{{ loop.index }}, {% endfor %}label0 AS value
    FROM given
    WHERE is_record
),
cells AS (
    SELECT {% for _ in columns %}a{{ loop.index }}, {% endfor %}value, COUNT(*) AS records
    FROM known
    GROUP BY {% for _ in columns %}a{{ loop.index }}, {% endfor %}value
),
counts AS (
    SELECT value, CAST(SUM(records) AS HUGEINT) AS records
    FROM cells
    GROUP BY value
),
labels AS (
    SELECT {{ labels | each("label{i}") }}

    FROM given
    WHERE NOT is_record
),
domain AS (
    SELECT
        ROW_NUMBER() OVER (ORDER BY counts.value NULLS LAST) AS place,
        counts.value,
        counts.records,
        {% for _ in labels %}{% if loop.first %}counts.value{% else %}labels.label{{ loop.index0 }}{% endif %}
            AS label{{ loop.index0 }}, {% if loop.last %}'*' AS label{{ loop.index }}{% endif %}{% endfor %}

    FROM counts
    LEFT JOIN labels ON counts.value = labels.label0
),
totals AS (
    SELECT SUM(records) AS records
    FROM domain
),
class_lists AS (
    SELECT
        CAST(SUM(cells.records) AS HUGEINT) AS class_records,
        LIST({'place': domain.place, 'records': cells.records}) AS class_cells
    FROM cells
    INNER JOIN domain ON (cells.value IS NOT DISTINCT FROM domain.value)
    GROUP BY {{ columns | each("cells.a{n}") }}

),
classes AS (
    SELECT ROW_NUMBER() OVER () AS class, class_records, UNNEST(class_cells) AS cell
    FROM class_lists
),
held AS (
    SELECT
        classes.class,
        classes.class_records,
        classes.cell.records AS records,
        {% for _ in labels %}domain.label{{ loop.index0 }},
            {% if loop.last %}domain.label{{ loop.index }}{% endif %}{% endfor %}

    FROM classes
    INNER JOIN domain ON classes.cell.place = domain.place
),
children AS (
{% for _ in labels %}
    SELECT
        class, class_records, {{ loop.index }} AS level, label{{ loop.index }} AS parent,
            label{{ loop.index0 }} AS child,
        CAST(SUM(records) AS HUGEINT) AS records
    FROM held
    GROUP BY class, class_records, label{{ loop.index }}, label{{ loop.index0 }}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
),
of_table AS (
{% for _ in labels %}
    SELECT {{ loop.index }} AS level, label{{ loop.index }} AS parent, label{{ loop.index0 }} AS child,
        SUM(records) AS records
    FROM domain
    GROUP BY label{{ loop.index }}, label{{ loop.index0 }}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
),
parents_of_table AS (
    SELECT level, parent, SUM(records) AS records
    FROM of_table
    GROUP BY level, parent
),
parents AS (
    SELECT
        children.class,
        children.class_records,
        children.level,
        children.parent,
        SUM(children.records) AS records,
        SUM(GREATEST(children.records * totals.records - of_table.records * children.class_records, 0)) AS too_much
    FROM children
    INNER JOIN of_table
        ON children.level = of_table.level
        AND (children.parent IS NOT DISTINCT FROM of_table.parent)
        AND (children.child IS NOT DISTINCT FROM of_table.child)
    CROSS JOIN totals
    GROUP BY children.class, children.class_records, children.level, children.parent
),
moved AS (
    SELECT
        parents.class,
        parents.class_records,
        SUM(parents.level * LEAST(
            parents.too_much,
            parents.too_much
            - (parents.records * totals.records - parents_of_table.records * parents.class_records)
        )) AS work
    FROM parents
    INNER JOIN parents_of_table
        ON parents.level = parents_of_table.level
        AND (parents.parent IS NOT DISTINCT FROM parents_of_table.parent)
    CROSS JOIN totals
    GROUP BY parents.class, parents.class_records
)
SELECT
    CAST(COALESCE(MAX(totals.records), 0) AS BIGINT) AS records,
    COUNT(moved.class) AS classes,
    MAX(CAST(moved.work AS DOUBLE) / moved.class_records) / MAX(totals.records)
        / (SELECT MAX(level) FROM parents_of_table) AS hierarchical_t
FROM totals
LEFT JOIN moved ON TRUE
