-- likelihood_scores
-- Makes the table of scores by the likelihood of the release's statistic with and without the candidate.
--
-- definition: statistic = -ln(1 + distance). With both normals: score = ln(N(statistic; with) / N(statistic; without)). With
--   that of the shadows without the candidate alone: score = -ln P(Z > statistic), so that P(Z <= statistic) = 1 - e^-score.
-- source: Carlini et al., Membership inference attacks from first principles, 2022; the normal integral: West, Better
--   approximations to cumulative normal functions, 2005
-- portable: no
--
-- parameter name: column, the table
-- parameter candidates: relation, each candidate with its nearest record of the release
-- parameter fits: relation, the normal distributions of each candidate
-- parameter online: integer, 1: with both of them, 0: with the second alone
CREATE OR REPLACE TEMP TABLE {{ name | identifier }} AS
WITH measured AS (
    SELECT
        fits.*
        , -LN(1 + SQRT(candidates.squared_distance)) AS statistic
    FROM {{ candidates | relation }} AS candidates
    JOIN {{ fits | relation }} AS fits ON fits.record = candidates.record
),
standing AS (
    SELECT
        record
        , (statistic - inside_mean) / inside_deviation AS inside
        , (statistic - outside_mean) / outside_deviation AS outside
        , LN(outside_deviation / inside_deviation) AS widths
        , ABS((statistic - outside_mean) / outside_deviation) AS far
    FROM measured
)
SELECT
    record
    , outside
{% if online %}
    , outside * outside / 2 - inside * inside / 2 + widths AS score
{% else %}
    , CASE
        WHEN outside >= 7.07106781186547
            THEN far * far / 2 + LN(far + 1 / (far + 2 / (far + 3 / (far + 4 / (far + 0.65))))) + LN(2.506628274631)
        WHEN outside <= -7.07106781186547
            THEN EXP(-far * far / 2) / (2.506628274631 * far)
        ELSE -LN(
            CASE WHEN outside < 0 THEN 1 ELSE 0 END + CASE WHEN outside < 0 THEN -1 ELSE 1 END * EXP(-far * far / 2)
            * ((((((0.0352624965998911 * far + 0.700383064443688) * far + 6.37396220353165) * far + 33.912866078383) * far + 112.079291497871) * far + 221.213596169931) * far + 220.206867912376)
            / (((((((0.0883883476483184 * far + 1.75566716318264) * far + 16.064177579207) * far + 86.7807322029461) * far + 296.564248779674) * far + 637.333633378831) * far + 793.826512519948) * far + 440.413735824752)
        )
    END AS score
{% endif %}
FROM standing
