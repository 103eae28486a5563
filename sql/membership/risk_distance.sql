-- risk_distance
-- The distance of two records, in whole parts of a range: the differences of numbers, and a range for each category that differs.
--
-- definition: numbers by their share of the range of all tables; a distance after Gower, without its weights
-- source: Anonymeter; Gower, A general coefficient of similarity, Biometrics 1971
-- missing: a missing value is a range away from all but another missing one
-- portable: no
--
-- parameter left: column, the one table
-- parameter right: column, the other
-- parameter numeric: integers, the attributes of numbers
-- parameter gaps: integers, those of them that have missing values
-- parameter words: columns, of packed codes
-- parameter filled: integers, for each word all its fields full
-- parameter marks: integers, for each word the bits above the fields
-- parameter unit: integer, so many parts a range has
({% for place in numeric %}{% if place in gaps %}LEAST(ABS({{ left | identifier }}.n{{ place }} - {{ right | identifier }}.n{{ place }}), CAST({{ unit | literal }} AS BIGINT)){% else %}ABS({{ left | identifier }}.n{{ place }} - {{ right | identifier }}.n{{ place }}){% endif %} + {% endfor %}
CAST({{ unit | literal }} AS BIGINT) * ({% for column in words %}CAST(BIT_COUNT((XOR({{ left | identifier }}.{{ column | identifier }}, {{ right | identifier }}.{{ column | identifier }}) + {{ filled[loop.index0] | literal }}) & {{ marks[loop.index0] | literal }}) AS BIGINT) + {% endfor %}0))
