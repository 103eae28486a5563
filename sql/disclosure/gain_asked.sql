-- gain_asked
-- The different combinations of all attributes but one, of the classes that hold a value of this one.
--
-- portable: no
--
-- parameter others: integers, the places of the other attributes
-- parameter own: integer, the place of this one
CREATE OR REPLACE TEMP TABLE gain_asked AS
SELECT MIN(class) AS combination, LIST(class) AS classes, pattern{% for place in others %}, k{{ place }}{% endfor %}

FROM class_codes
WHERE k{{ own }} > 0
GROUP BY pattern{% for place in others %}, k{{ place }}{% endfor %}

