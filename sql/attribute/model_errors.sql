-- model_errors
-- The cost and the error of each model of an attribute's risk.
--
-- definition: the cost is the number of records that are read: all for the exact model, those of the
--   sampled values for the sampling model, none for the minimum-cost model (omega and m are given); the
--   error is the distance from the exact risk.
-- source: Ito, definition 2.6, table 5 and figure 1
-- missing: a model that was not run has no row.
-- read: a model with a small error at a small cost is worth using on larger data of the same kind.
-- runs: finish
--
-- parameter records: integer, m
-- parameter exact: number, R(X)
-- parameter minimum_cost: number, R_cost(X)
-- parameter sampled: number or none, R_sample(X)
-- parameter records_read: integer or none, records of the sampled values
--
-- column model: VARCHAR, name, the model
-- column cost: BIGINT, records, records read
-- column risk: DOUBLE, probability, by this model; that of the paper's sampling can leave 0 to 1
-- column error: DOUBLE, probability, distance from the exact risk
SELECT model, CAST(cost AS BIGINT) AS cost, CAST(risk AS DOUBLE) AS risk,
    ABS(CAST(risk AS DOUBLE) - CAST({{ exact | literal }} AS DOUBLE)) AS error
FROM (
    VALUES
        ('exact', {{ records | literal }}, CAST({{ exact | literal }} AS DOUBLE)),
{% if sampled is not none %}
        ('sampling', {{ records_read | literal }}, CAST({{ sampled | literal }} AS DOUBLE)),
{% endif %}
        ('minimum cost', 0, CAST({{ minimum_cost | literal }} AS DOUBLE))
) AS models (model, cost, risk)
ORDER BY cost DESC, model
