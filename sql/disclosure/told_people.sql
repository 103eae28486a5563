-- told_people
-- The users as those whose sensitive values are told of, each with the group that the user sees, by a name of it.
--
-- definition: users with the same profile see the same group, unless they miss something
-- portable: no
--
-- parameter fitted: integer, 1 where users who miss something have those who fit them
CREATE OR REPLACE TEMP TABLE told_members AS
SELECT
    class_profiles.person AS member,
    1 AS n,
{% if fitted %}
    CASE WHEN class_histories.incomplete THEN class_profiles.person ELSE class_profiles.class END AS class
FROM class_profiles
JOIN class_histories ON class_histories.person = class_profiles.person
{% else %}
    class_profiles.class
FROM class_profiles
{% endif %}
