-- class_user_counts
-- Adds how many users agree with how many.
--
-- definition: "classes" counts profiles where nothing overlaps, else users by the size each has for itself
-- portable: yes
--
-- parameter missing: text, what a missing cell is
-- parameter fitted: integer, 1 where users who miss something have those who fit them
-- parameter wildcard: integer, 1 where a missing cell agrees with all
INSERT INTO class_frequencies
WITH sizes AS (
{% if fitted %}
    SELECT class_profiles.person, class_profiles.class_size{% if wildcard %} + COALESCE(more.n, 0){% endif %} AS class_size
    FROM class_profiles
    JOIN class_histories ON class_histories.person = class_profiles.person
{% if wildcard %}
    LEFT JOIN (SELECT theirs, COUNT(*) AS n FROM class_fitting GROUP BY theirs) AS more ON more.theirs = class_profiles.person
{% endif %}
    WHERE NOT class_histories.incomplete
    UNION ALL
    SELECT mine AS person, COUNT(*) AS class_size FROM class_fitting GROUP BY mine
{% else %}
    SELECT person, class_size FROM class_profiles
{% endif %}
)
SELECT
    {{ missing | literal }} AS missing,
    'user' AS unit,
    class_size,
    {% if fitted %}COUNT(*){% else %}CAST(COUNT(*) / class_size AS BIGINT){% endif %} AS classes,
    COUNT(*) AS records,
    0 AS incomplete
FROM sizes
GROUP BY class_size
