-- residual_risk
-- The risk that a release is to those it was made of: how much oftener they are found than people who were not in it.
--
-- definition: risk = (rate - control rate) / (1 - control rate), its error by propagation
--   sqrt((error / (1 - control rate))^2 + (control error (rate - 1) / (1 - control rate)^2)^2); risk and interval within 0 and 1
-- source: Giomi, Boenisch, Wehmeyer and Tasnadi, A unified framework for quantifying privacy risk in synthetic data, PETS 2023
-- missing: no value (NULL) where the control set is found without exception
-- portable: yes
--
-- parameter rate: number, how often the attack succeeds
-- parameter error: number, of that rate
-- parameter control_rate: number, how often it does against the control set
-- parameter control_error: number, of that rate
WITH given AS (
    SELECT
        CAST({{ rate | literal }} AS DOUBLE) AS rate,
        CAST({{ error | literal }} AS DOUBLE) AS error,
        CAST({{ control_rate | literal }} AS DOUBLE) AS control_rate,
        CAST({{ control_error | literal }} AS DOUBLE) AS control_error
),
residuals AS (
    SELECT
        (rate - control_rate) / NULLIF(1 - control_rate, 0) AS risk,
        SQRT(
            POWER(error / NULLIF(1 - control_rate, 0), 2)
            + POWER(control_error * (rate - 1) / NULLIF((1 - control_rate) * (1 - control_rate), 0), 2)
        ) AS error
    FROM given
)
SELECT
    CASE WHEN risk IS NOT NULL THEN GREATEST(0, LEAST(1, risk)) END AS risk,
    error,
    CASE WHEN risk IS NOT NULL THEN GREATEST(0, LEAST(1, risk - error)) END AS lower,
    CASE WHEN risk IS NOT NULL THEN GREATEST(0, LEAST(1, risk + error)) END AS upper
FROM residuals
