-- people_changed
-- The records where one column is published in another form.
--
-- portable: no
--
-- parameter source: column, the table of the records as they are published
-- parameter columns: integer, how many columns there are
-- parameter place: integer, the place of the column
-- parameter before: column or none, the table of its form until now; none for one without
-- parameter after: column or none, the table of its form from now on
-- parameter whole_before: integer, 1 where it was published as it is
-- parameter whole_after: integer, 1 where it is from now on
-- parameter leaves: number, log2 of how many values it has
(
    SELECT
        records.person,
{% for other in range(columns) %}
        records.h{{ other }},
{% endfor %}
        xor(records.class, xor({% if before %}before.cell{% elif whole_before %}hash(xor(records.h{{ place }}, hash({{ place }}))){% else %}CAST(0 AS UBIGINT){% endif %}, {% if after %}after.cell{% elif whole_after %}hash(xor(records.h{{ place }}, hash({{ place }}))){% else %}CAST(0 AS UBIGINT){% endif %})) AS class,
        records.spread - {% if before %}LOG2(before.leaves){% elif whole_before %}0{% else %}{{ leaves | literal }}{% endif %} + {% if after %}LOG2(after.leaves){% elif whole_after %}0{% else %}{{ leaves | literal }}{% endif %} AS spread
    FROM {{ source | identifier }} AS records
{% if before %}
    JOIN {{ before | identifier }} AS before ON before.h = records.h{{ place }}
{% endif %}
{% if after %}
    JOIN {{ after | identifier }} AS after ON after.h = records.h{{ place }}
{% endif %}
)
