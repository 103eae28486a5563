-- trees
-- Decision trees: agreement of a tree trained on a release with one trained on the original.
--
-- idea: the trees are fitted outside of SQL; SQL has their leaves as counters of records.
-- source: PWS Cup 2020, equation 3
-- runs: finish
--
-- parameter source: relation, the records
-- parameter positive: integer, index of the positive value in the list of the attribute
-- parameter category_lists: relation, the categories of each attribute as a list

-- name: tree_features
-- The training data of a decision tree: the dummies of all other attributes, and the target.
--
-- definition: positive is 1 where the target has the positive value; f0, f1, … in the order of dummies
-- source: PWS Cup 2020, equation 3
--
-- takes: source, positive, category_lists
-- parameter columns: columns, the column of each feature
-- parameter category_ids: integers, index in the list of the category for which a feature is 1; none for a number
-- parameter target: column, the target
SELECT
    CAST(CASE WHEN records.{{ target | identifier }} = known.{{ target | identifier }}[{{ positive }}] THEN 1
        ELSE 0 END AS TINYINT) AS positive
-- include: feature_columns
ORDER BY records.record

-- name: count_equal
-- The number of records of a category.
-- takes: source, category_lists
-- parameter column: column, the attribute
-- parameter category_id: integer, index of the category in the list of the attribute
SELECT COUNT(*) AS records
FROM {{ source | relation }} AS records
CROSS JOIN {{ category_lists | relation }} AS known
WHERE records.{{ column | identifier }} = known.{{ column | identifier }}[{{ category_id }}]

-- name: tree_agreement
-- The agreement of the predictions of two trees, one trained on the original and one on a release: U_DT.
--
-- definition: the F-measure 2 P R / (P + R), P = both / (both + only_release), R = both / (both + only_original)
-- source: PWS Cup 2020, equation 3
-- missing: 1 where neither tree predicts a positive, 0 where only one does
--
-- parameter both_positive: integer, records that both trees take for positive
-- parameter only_release: integer, that only the tree of the release does
-- parameter only_original: integer, that only the tree of the original does
SELECT
    COALESCE(
        CAST(2 * {{ both_positive }} AS DOUBLE)
            / NULLIF(2 * {{ both_positive }} + {{ only_release }} + {{ only_original }}, 0),
        1
    )
        AS value

-- name: move_positions
-- The records to be replaced, in the order of the proposals.
-- parameter moves: relation, the proposals
SELECT position
FROM {{ moves | relation }} AS moves
ORDER BY slot

-- name: tree_split
-- The number of the leaf to which a tree assigns a record, from one of its splits on.
--
-- definition: numbers up to the threshold go below, as single precision; records without the category go below
--
-- parameter column: column, that is asked
-- parameter category_id: integer or none, index of the tested category; none for a number
-- parameter threshold: text, of a number
-- parameter below: expression, the leaf below
-- parameter above: expression, the leaf above
CASE WHEN {% if category_id is none %}CAST(GREATEST(LEAST(records.{{ column | identifier }}, 3e38), -3e38) AS FLOAT)
    > CAST({{ threshold | literal }} AS DOUBLE){% else %}records.{{ column | identifier }}
    = known.{{ column | identifier }}[{{ category_id }}]{% endif %} THEN {{ above | expression }}
    ELSE {{ below | expression }} END

-- name: tree_cell
-- The index of the counter of a record, by its leaf and by whether the prediction is right.
-- takes: positive
-- parameter leaf: expression, the number of the leaf
-- parameter target: column, the predicted column
-- parameter first_index: integer, the first index
{{ first_index }} + 2 * {{ leaf | expression }}
    + CASE WHEN records.{{ target | identifier }} = known.{{ target | identifier }}[{{ positive }}] THEN 1 ELSE 0 END
