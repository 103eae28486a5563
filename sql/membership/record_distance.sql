-- record_distance
-- The squared distance of two records: the squared differences of numbers, and a weight a category that differs.
--
-- source: PWS Cup 2020, sample attack by distance
-- portable: no
--
-- parameter left: column, the one table of records with codes
-- parameter right: column, the other
-- parameter numeric: columns, those of numbers
-- parameter words: columns, of packed codes
-- parameter filled: integers, for each word all its fields full
-- parameter marks: integers, for each word the bits above the fields
-- parameter weight: number, what a category that differs adds
({% for column in numeric %}({{ left | identifier }}.{{ column | identifier }} - {{ right | identifier }}.{{ column | identifier }}) * ({{ left | identifier }}.{{ column | identifier }} - {{ right | identifier }}.{{ column | identifier }}) + {% endfor %}
CAST({{ weight | literal }} AS DOUBLE) * ({% for column in words %}BIT_COUNT((XOR({{ left | identifier }}.{{ column | identifier }}, {{ right | identifier }}.{{ column | identifier }}) + {{ filled[loop.index0] | literal }}) & {{ marks[loop.index0] | literal }}) + {% endfor %}0))
