-- disclosed_groups
-- The groups to which a sensitive value is disclosed, of what disclosing_groups lists.

disclosed AS (
    SELECT DISTINCT <KEYS>
    FROM disclosing
    WHERE
        10 * people >= 9 * size
        AND 2 * CAST(people AS HUGEINT) * total >= 3 * CAST(rare AS HUGEINT) * size
)
