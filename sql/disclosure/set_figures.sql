-- set_figures
-- How well each attribute set that was looked at tells records apart.
--
-- definition: of n records that have all attributes of the set, n_c are in class c: distinction is classes / n; separation
--   the share of the n (n - 1) / 2 pairs that are in different classes; singled out are the records, or in a history the
--   users, who have a class for themselves
-- source: Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers, 2007
-- portable: no
--
-- parameter persons: integer, of how many the singled out are a share
-- parameter one_in: integer, the classes counted are those of one hash value of so many; 1 where all are
CREATE OR REPLACE TEMP TABLE set_figures AS
WITH summed AS (
    SELECT
        mask,
        CAST(SUM(records) AS DOUBLE) AS records,
        CAST(SUM(classes) AS DOUBLE) AS classes,
        CAST(SUM(singled) AS DOUBLE) AS singled,
        CAST(SUM(squares) AS DOUBLE) AS squares,
        MIN(smallest) AS smallest
    FROM set_parts
    GROUP BY mask
)
SELECT
    mask,
    BIT_COUNT(mask) AS size,
    CAST(classes * {{ one_in }} AS BIGINT) AS classes,
    classes * {{ one_in }} / NULLIF({% if one_in > 1 %}{{ persons }}{% else %}records{% endif %}, 0) AS distinction,
{% if one_in > 1 %}
    CAST(NULL AS DOUBLE) AS separation,
{% else %}
    1 - (squares - records) / NULLIF(records * (records - 1), 0) AS separation,
{% endif %}
    CAST(singled * {{ one_in }} AS BIGINT) AS singled_out,
    LEAST(1, singled * {{ one_in }} / NULLIF({{ persons }}, 0)) AS share_singled_out,
{% if one_in > 1 %}
    GREATEST(0, (singled - 1.959963984540054 * SQRT(singled * (1 - 1 / {{ one_in }}) + 1)) * {{ one_in }} / {{ persons }}) AS lower,
    LEAST(1, (singled + 1.959963984540054 * SQRT(singled * (1 - 1 / {{ one_in }}) + 1) + 1) * {{ one_in }} / {{ persons }}) AS upper,
    CAST(NULL AS BIGINT) AS smallest_class
{% else %}
    CAST(NULL AS DOUBLE) AS lower,
    CAST(NULL AS DOUBLE) AS upper,
    smallest AS smallest_class
{% endif %}
FROM summed
