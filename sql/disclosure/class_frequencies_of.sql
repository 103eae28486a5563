-- class_frequencies_of
-- The class sizes of one unit and one rule for missing cells, as class_sizes gives them.
--
-- portable: yes
--
-- parameter missing: text, what a missing cell is
-- parameter unit: text, record or user
-- parameter fraction: number or none, the share of the population; with it population_size estimates the people
(
    SELECT
        class_size,
        CAST(SUM(classes) AS BIGINT) AS classes,
        CAST(SUM(records) AS BIGINT) AS records
{% if fraction is not none %}
        , class_size / CAST({{ fraction | literal }} AS DOUBLE) AS population_size
{% endif %}
    FROM class_frequencies
    WHERE missing = {{ missing | literal }} AND unit = {{ unit | literal }}
    GROUP BY class_size
)
