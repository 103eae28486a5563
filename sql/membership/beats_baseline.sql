-- beats_baseline
-- Whether an attack is better than the naive one.
--
-- definition: void is an attack whose rate is not above that of the naive one; clear one that is above it by more than the error of
--   their difference, sqrt(error^2 + naive error^2)
-- source: Anonymeter, which warns of the former; the latter is our own
-- missing: void, where no attack was made
-- portable: yes
--
-- parameter rate: number or none, how often the attack succeeds; no number without attacks
-- parameter error: number or none, of that rate
-- parameter naive_rate: number or none, how often the naive attack does
-- parameter naive_error: number or none, of that rate
WITH given AS (
    SELECT
        CAST({{ rate | literal }} AS DOUBLE) AS rate,
        CAST({{ error | literal }} AS DOUBLE) AS error,
        CAST({{ naive_rate | literal }} AS DOUBLE) AS naive_rate,
        CAST({{ naive_error | literal }} AS DOUBLE) AS naive_error
)
SELECT
    COALESCE(rate <= naive_rate, TRUE) AS void,
    COALESCE(rate - naive_rate > SQRT(error * error + naive_error * naive_error), FALSE) AS clear
FROM given
