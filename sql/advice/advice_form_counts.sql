-- advice_form_counts
-- How many values a form's column has, how many different things are known of it, and of how many values nothing.
--
-- portable: yes
--
-- parameter table: column, the form
-- parameter known: integer, how many attributes are known of it
SELECT
    COUNT(*) AS leaves
{% for i in range(known) %}
    , COALESCE(MAX(k{{ i }}), 0) AS k{{ i }}
    , CAST(COALESCE(SUM(CASE WHEN k{{ i }} = 0 THEN 1 ELSE 0 END), 0) AS BIGINT) AS m{{ i }}
{% endfor %}
FROM {{ table | identifier }}
