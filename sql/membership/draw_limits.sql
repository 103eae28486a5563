-- draw_limits
-- The largest drawn number with which a record gets a dummy, for each dummy.
--
-- definition: exact, so many records get it as its share of them says, at least one and never all, which is a permutation of
--   its column; else each record gets it on its own with this probability, and at least one does and one does not
-- source: Okada, Masaki, Hasegawa and Tanaka, CSS 2017
-- missing: none
-- portable: no
--
-- parameter records: integer, how many are drawn
-- parameter members: integer, of how many records the counts are
-- parameter counts: integers, how many of these have each dummy
-- parameter draws: expressions, the drawn number of a record for each dummy
-- parameter exact: integer, 1 for a permutation
SELECT
    UNNEST([
{% for count in counts %}
{% if exact %}
        CAST(QUANTILE_DISC({{ draws[loop.index0] | expression }}, (LEAST(GREATEST(ROUND({{ records }} * {{ count }} / {{ members }}), 1), {{ records }} - 1) - 0.5) / {{ records }}) AS VARCHAR){% if not loop.last %},{% endif %}

{% else %}
        CAST(LEAST(GREATEST(CAST({{ count }} / {{ members }} * 18446744073709549568 AS UBIGINT), MIN({{ draws[loop.index0] | expression }})), MAX({{ draws[loop.index0] | expression }}) - 1) AS VARCHAR){% if not loop.last %},{% endif %}

{% endif %}
{% endfor %}
    ]) AS most
FROM (SELECT range AS record FROM RANGE({{ records }})) AS made
