-- release_work
-- How much work it is to look the combinations of the original up in a release, by what is written out.
--
-- definition: a combination is looked up once for each way in which the release generalises whole records; where the
--   cells of attributes are written out there are fewer ways, and more combinations of the release
-- portable: no
--
-- parameter words: integers, all words
-- parameter choices: integers, lists of attributes that may be written out
-- parameter kept: integers, for each of these the bits in each word that stay
-- parameter again_masks: integers, for each of these the bits of the attributes that were compared by ranges
WITH patterns AS (
    SELECT
{% for word in words %}
        m{{ word }},
{% endfor %}
{% for mask in again_masks %}
        SUM(CASE WHEN (again & {{ mask }}) = 0 THEN {% for i in choices[loop.index0] %}CAST(s{{ i }} AS DOUBLE) * {% endfor %}1 ELSE 0 END) AS written{{ loop.index0 }}{% if not loop.last %},{% endif %}

{% endfor %}
    FROM releases
    WHERE false_cells = 0
    GROUP BY {% for word in words %}m{{ word }}{% if not loop.last %}, {% endif %}{% endfor %}

)
{% for bits in kept %}
SELECT
    {{ loop.index0 }} AS choice,
    (SELECT COUNT(*) FROM originals) * COUNT(DISTINCT ({% for word in words %}m{{ word }} & {{ bits[loop.index0] }}{% if not loop.last %}, {% endif %}{% endfor %})) AS probes,
    CAST(LEAST(COALESCE(SUM(written{{ loop.index0 }}), 0), 1e18) AS BIGINT) AS rows
FROM patterns
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
ORDER BY choice
