-- count_open
-- Counts the open combinations, of all persons or of a class, and the patterns of missing values in them.
--
-- portable: no
--
-- parameter class: integer, the bit of the class, 0 for all
SELECT COUNT(*) AS combinations, COUNT(DISTINCT missing) AS patterns
FROM open_persons
{% if class %}
WHERE (classes & {{ class | literal }}) <> 0
{% endif %}
