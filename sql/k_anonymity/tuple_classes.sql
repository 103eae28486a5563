-- tuple_classes
-- Each different tuple a class, or all of them one.
--
-- portable: yes
--
-- parameter each: integer, 1 for each tuple a class
INSERT INTO quasi_classes
SELECT tuple, {% if each %}tuple{% else %}0{% endif %} AS class, n
FROM quasi_tuples
