-- close_settled
-- Leaves out of the open persons those who were singled out.
--
-- portable: no
--
-- parameter booked: column, the table that lists them
-- parameter tier: integer, the number of the first tier that singled them out
-- parameter last: integer, the number of the last
-- parameter into: column, the table of those who are left
-- parameter begin: integer or none, 0 to add to that table
-- parameter low: integer or none, the first of the numbers of persons that are looked at; none looks at all of them
-- parameter high: integer or none, the last
{% if begin == 0 %}
INSERT INTO {{ into | identifier }}
{% else %}
CREATE OR REPLACE TEMP TABLE {{ into | identifier }} AS
{% endif %}
SELECT * FROM open_persons ANTI JOIN (
    SELECT id FROM {{ booked | identifier }} WHERE tier BETWEEN {{ tier | literal }} AND {{ last | literal }}{% if low is not none %} AND id BETWEEN {{ low | literal }} AND {{ high | literal }}{% endif %}

) AS singled USING (id)
{% if low is not none %}
WHERE open_persons.id BETWEEN {{ low | literal }} AND {{ high | literal }}
{% endif %}
