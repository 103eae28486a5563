-- anchors
-- For each open combination some attributes in which all must agree with it that matter to it, and their values.
--
-- definition: its anchor are those of the attributes it requires that have most values
-- portable: no
--
-- parameter words: integer, words of a combination
-- parameter ranks: integers, the place of each attribute when those with most values come first
-- parameter size: integer, attributes of an anchor at most
CREATE OR REPLACE TEMP TABLE anchored AS
WITH asked AS (
    SELECT DISTINCT required FROM open_persons
),
ranked AS (
    SELECT
        asked.required, attribute.bit{% for word in range(words) %}, attribute.f{{ word }}{% endfor %},
        ROW_NUMBER() OVER (
            PARTITION BY asked.required
            ORDER BY list_extract({{ ranks | literal }}, attribute.position + 1)
        ) AS place
    FROM asked
    JOIN searched_attributes AS attribute ON (attribute.bit & asked.required) <> 0
),
anchors AS (
    SELECT required, BIT_OR(bit) AS anchor{% for word in range(words) %}, BIT_OR(f{{ word }}) AS f{{ word }}{% endfor %}

    FROM ranked
    WHERE place <= {{ size | literal }}
    GROUP BY required
)
SELECT
    open.*, COALESCE(anchor, 0) AS anchor
{% for word in range(words) %}
    , COALESCE(f{{ word }}, 0) AS f{{ word }}
    , open.p{{ word }} & COALESCE(f{{ word }}, 0) AS k{{ word }}
{% endfor %}
FROM open_persons AS open
LEFT JOIN anchors USING (required)
