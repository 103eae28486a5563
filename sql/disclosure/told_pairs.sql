-- told_pairs
-- Who is in which group of users.
--
-- definition: those with the same profile; where cells are missing also those who fit
-- portable: yes
--
-- parameter fitted: integer, 1 where users who miss something have those who fit them
-- parameter wildcard: integer, 1 where a missing cell agrees with all
CREATE OR REPLACE TEMP TABLE told_pairs AS
{% if fitted %}
SELECT told_members.class AS mine, told_members.member AS theirs
FROM told_members
JOIN class_histories ON class_histories.person = told_members.member
WHERE NOT class_histories.incomplete
UNION ALL
SELECT mine, theirs
FROM class_fitting
{% if wildcard %}
UNION ALL
SELECT class_fitting.theirs AS mine, class_fitting.mine AS theirs
FROM class_fitting
JOIN told_members ON told_members.member = class_fitting.theirs AND told_members.class = told_members.member
JOIN class_histories ON class_histories.person = class_fitting.theirs
WHERE NOT class_histories.incomplete
{% endif %}
{% else %}
SELECT class AS mine, member AS theirs
FROM told_members
{% endif %}
