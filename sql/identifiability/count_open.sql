-- count_open
-- Counts the open combinations of a class.
--
-- portable: yes
--
-- parameter class: integer, the bit of the class, 0 for all
SELECT COUNT(*) AS combinations
FROM open_persons
{% if class %}
WHERE (classes & {{ class | literal }}) <> 0
{% endif %}
