-- identifying_columns
-- The columns whose values name people, in a DuckDB shell: what duckrisk assess finds by content alone.
--
-- idea: direct_identifiers of the columns whose types can hold one. What the name of a column says stays out, as do
--   kinds that identify only together with others, and values that many records share
-- source: as direct_identifiers
-- runs: finish

-- name: searched_cells
-- The cells of columns whose types can hold an identifier, as texts, and what is in cells with several.
--
-- parameter source: relation, the records
-- parameter cells: expression, the columns
-- parameter types: text, a pattern of these types
-- parameter nested: text, a pattern of the types of several values
SELECT
    UNNEST(CASE
        WHEN REGEXP_FULL_MATCH(TYPEOF({{ cells | expression }}), {{ types | literal }})
        THEN [CAST({{ cells | expression }} AS VARCHAR)]
        WHEN REGEXP_FULL_MATCH(TYPEOF({{ cells | expression }}), {{ nested | literal }})
        THEN
-- include: texts_of_cell, CELL: CAST(TRY_CAST({{ cells | expression }} AS JSON) AS VARCHAR)
    END) AS '\0'
FROM {{ source | relation }}

-- name: identifying_columns
-- A row for each column: the kinds of direct identifiers that its values are, if any.
--
-- parameter found: relation, direct_identifiers of the columns
-- parameter columns: columns, their names
-- parameter together: texts, kinds that identify only together with others
-- parameter few: integer, fewer values can be those of many people
-- parameter share: number, fewer values than this share of the cells are
SELECT
    [{{ columns | literals }}][position + 1] AS column_name,
    COALESCE(LIST(kind ORDER BY valid_cells DESC, kind) FILTER (identifies), []) AS kinds,
    COALESCE(MAX(valid_cells) FILTER (identifies), 0) AS valid_cells,
    MAX(present_cells) AS present_cells
FROM (
    SELECT
        *,
        likely AND kind NOT IN ({{ together | literals }})
            AND valid_values >= LEAST({{ few | literal }}, {{ share | literal }} * valid_cells) AS identifies
    FROM {{ found | relation }} AS kinds
) AS judged
GROUP BY position
ORDER BY position
