-- shadow_statistics
-- Makes the table of what one shadow tells of each candidate, and whether the candidate was among its records.
--
-- definition: statistic = -ln(1 + the distance to the nearest record of the shadow)
-- source: Carlini et al., Membership inference attacks from first principles, 2022; this statistic of tables is our own
-- portable: yes
--
-- parameter name: column, the table
-- parameter nearest: relation, each candidate with its nearest record of the shadow
-- parameter members: relation or none, the records that the shadow was made of, by their candidates
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
SELECT
    nearest.record
    , -LN(1 + SQRT(nearest.squared_distance)) AS statistic
    , {% if members is none %}FALSE{% else %}members.candidate IS NOT NULL{% endif %} AS inside
FROM {{ nearest | relation }} AS nearest
{% if members is not none %}
LEFT JOIN {{ members | relation }} AS members ON members.candidate = nearest.record
{% endif %}
