-- changed_value
-- What the leaks of the records tell of which a cell covers more than before; nothing else can become less by that.
--
-- definition: on any set, a record whose cells cover what they did agrees with the records that it agreed with; and one of
--   whose easiest sets some do without the changed attribute is singled out as easily as before
-- portable: yes
--
-- parameter mask: integer, the bit of the attribute that changes; 0 where several do
-- parameter base: number, the value of the least sensitive record
SELECT COALESCE(CAST(SUM(value) AS DOUBLE), 0) * {{ base | literal }} AS value
FROM treated_cells
JOIN advice_outcomes ON advice_outcomes.tuple = treated_cells.tuple
WHERE treated_cells.spread > advice_outcomes.spread + 0.000000001
{% if mask %}
    AND (advice_outcomes.every_mask & {{ mask }}) <> 0
{% endif %}
