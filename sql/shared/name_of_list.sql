-- name_of_list
-- The name of a list of values in a release: that of its only member, else one that no value of the original has.

        CASE
            WHEN LEN(value) = 1 THEN CAST(value[1] AS VARCHAR)
            -- The character is for private use.
            ELSE '{' || CHR(57344) || ARRAY_TO_STRING(CAST(value AS VARCHAR[]), ', ') || '}'
        END AS name,
