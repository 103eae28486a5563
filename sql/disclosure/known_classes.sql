-- known_classes
-- The classes of the records, and of the people among whom an attacker looks, as a table; a class is found by its rowid.
--
-- definition: first the values as they are, which are few, then what of them is missing
-- missing: a missing cell is a value of its own; a record whose weight is not above 0 (or 1e25 or more) stands for itself: weight 1
-- portable: no
--
-- parameter source: relation, the records
-- parameter columns: columns, the quasi-identifiers
-- parameter attributes: attributes, the same, their tokens being missing cells
-- parameter weight: column or none, how many people a record stands for
-- parameter population: relation or none, the people
-- parameter theirs: columns, the same quasi-identifiers there
-- parameter count: column or none, the people of a row of the population
-- parameter passes: integer, how many parts of whole classes are made
-- parameter part: integer, the number of this one, from 0
{% if part == 0 %}
CREATE OR REPLACE TEMP TABLE known_classes AS
{% else %}
INSERT INTO known_classes
{% endif %}
WITH different AS (
    SELECT
{% for column in columns %}
        {{ column | identifier }},
{% endfor %}
        COUNT(*) AS records,
{% if weight %}
        SUM(CAST(CASE WHEN {{ weight | identifier }} > 0 AND {{ weight | identifier }} < 1e25 THEN {{ weight | identifier }} ELSE 1 END AS DECIMAL(38, 12))) AS weight,
        SUM(CASE WHEN {{ weight | identifier }} > 0 AND {{ weight | identifier }} < 1e25 THEN 0 ELSE 1 END) AS unweighted,
{% else %}
        CAST(COUNT(*) AS DECIMAL(38, 12)) AS weight,
        0 AS unweighted,
{% endif %}
        CAST(0 AS DECIMAL(38, 12)) AS people
    FROM {{ source | relation }}
{% if passes > 1 and not population %}
    WHERE HASH({% for attribute in attributes %}{{ attribute | value }}{% if not loop.last %}, {% endif %}{% endfor %}) % {{ passes }} = {{ part }}
{% endif %}
    GROUP BY {% for column in columns %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}

{% if population %}
    UNION ALL
    SELECT
{% for column in theirs %}
        {{ column | identifier }},
{% endfor %}
        0 AS records,
        CAST(0 AS DECIMAL(38, 12)) AS weight,
        0 AS unweighted,
        {% if count %}COALESCE(SUM(CAST({{ count | identifier }} AS DECIMAL(38, 12))), 0){% else %}CAST(COUNT(*) AS DECIMAL(38, 12)){% endif %} AS people
    FROM {{ population | relation }}
    GROUP BY {% for column in theirs %}{{ column | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}

{% endif %}
),
known AS (
    SELECT
{% for attribute in attributes %}
        {{ attribute | value }} AS v{{ loop.index0 }},
{% endfor %}
        records,
        weight,
        unweighted,
        people
    FROM different
{% if passes > 1 and population %}
    WHERE HASH({% for attribute in attributes %}{{ attribute | value }}{% if not loop.last %}, {% endif %}{% endfor %}) % {{ passes }} = {{ part }}
{% endif %}
)
SELECT
{% for attribute in attributes %}
    v{{ loop.index0 }},
{% endfor %}
    {% for attribute in attributes %}(CASE WHEN v{{ loop.index0 }} IS NULL THEN 1 ELSE 0 END){% if not loop.last %} + {% endif %}{% endfor %} AS missing_cells,
    CAST(SUM(records) AS BIGINT) AS records,
    CAST(SUM(weight) AS DECIMAL(38, 12)) AS weight,
    CAST(SUM(unweighted) AS BIGINT) AS unweighted,
    CAST(SUM(people) AS DECIMAL(38, 12)) AS people
FROM known
GROUP BY {% for attribute in attributes %}v{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %}

