-- leave_unknown
-- Takes from the open persons those whom a set that a limit leaves out could single out.
--
-- portable: no
--
-- parameter class: integer, the bit of the class of these sets, 0 for all open persons
INSERT INTO left_persons
SELECT DISTINCT id, missing FROM open_persons
{% if class %}
WHERE (classes & {{ class | literal }}) <> 0
{% endif %}
