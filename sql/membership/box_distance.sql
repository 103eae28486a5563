-- box_distance
-- A number that no squared distance of a record and those of a block is below.
--
-- definition: as record_distance, in the same order, so that rounding cannot put it above
-- portable: no
--
-- parameter record: column, the table of records with codes
-- parameter box: column, the table of boxes
-- parameter numeric: columns, those of numbers
-- parameter categories: columns, the others
-- parameter weight: number, what a category that differs adds
({% for column in numeric %}
GREATEST({{ box | identifier }}.{{ ('least_' ~ column) | identifier }} - {{ record | identifier }}.{{ column | identifier }}, {{ record | identifier }}.{{ column | identifier }} - {{ box | identifier }}.{{ ('greatest_' ~ column) | identifier }}, 0)
    * GREATEST({{ box | identifier }}.{{ ('least_' ~ column) | identifier }} - {{ record | identifier }}.{{ column | identifier }}, {{ record | identifier }}.{{ column | identifier }} - {{ box | identifier }}.{{ ('greatest_' ~ column) | identifier }}, 0) + {% endfor %}
CAST({{ weight | literal }} AS DOUBLE) * ({% for column in categories %}CAST({{ record | identifier }}.{{ column | identifier }} NOT BETWEEN {{ box | identifier }}.{{ ('least_' ~ column) | identifier }} AND {{ box | identifier }}.{{ ('greatest_' ~ column) | identifier }} AS INTEGER) + {% endfor %}0))
