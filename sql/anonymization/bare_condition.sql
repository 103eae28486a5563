-- bare_condition
-- Somebody's condition without parentheses round it: it must not close any that others open.
--
-- portable: yes
--
-- parameter where: expression, the condition
SELECT
    {{ where | expression }}
    AS met
