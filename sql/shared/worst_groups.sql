-- worst_groups
-- The extremes of disclosure over all groups; reads groups and diversities.

        MIN(CASE
            WHEN groups.homogeneous THEN 1
            ELSE GREATEST(EXP(LN(groups.n) - CAST(diversities.logarithms AS DOUBLE) / groups.n), 1)
        END) AS entropy_l,
        MAX(CASE WHEN groups.homogeneous THEN 1
            ELSE CAST(diversities.largest AS DOUBLE) / NULLIF(diversities.tail, 0) END) AS recursive_c,
        MAX(CAST(diversities.excess AS DOUBLE) / groups.n) AS excess,
        MAX(groups.most) AS most,
        MIN(groups.least) AS least,
        CAST(SUM(groups.beyond) AS BIGINT) AS beyond,
        COUNT(CASE WHEN groups.homogeneous THEN 1 END) AS homogeneous_classes,
