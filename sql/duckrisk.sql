-- Re-identification risk in a DuckDB shell: every metric of duckrisk as a table macro.
--
--     .read sql/duckrisk.sql
--     FROM attribute_risk('retail.parquet', 'CustomerID', 'InvoiceDate', knowledge := 'date');
--     FROM attribute_risk('retail.parquet', 'CustomerID', 'StockCode', also := ['UnitPrice', 'Quantity']);
--
-- The macros are temporary: nothing is written into a database.
--
-- source: a file that ends in .parquet, .csv, .tsv, .json, .jsonl or .ndjson (the texts also in .gz or .zst;
--   with * ? or [ it is a pattern, in which [*] [?] and [[] are the characters themselves), or a table or
--   view, alone or as schema.table or catalog.schema.table. In these a part that is more than letters,
--   digits, _ and $ is put in double quotes: 'main."my table"'.
-- user_column: the column of the person behind a record; NULL takes each record as a person.
-- Names of columns are given as they are, without double quotes.
--
-- Written by python -m duckrisk.engine.macros from the templates in this folder: change those.

-- A cell as records are compared. Cells are equal where they are written alike: for the engine an INTERVAL of
-- a month equals 30 days, COLLATE makes different texts equal, and equal values of a VARIANT differ.
CREATE OR REPLACE TEMP MACRO duckrisk_cell
    (cell INTERVAL) AS CAST(cell AS VARCHAR),
    (cell VARIANT) AS CASE WHEN cell IS NOT NULL THEN CAST(CAST(cell AS JSON) AS VARCHAR) END,
    (cell VARCHAR) AS decode(encode(cell)),
    (cell) AS cell;

-- A name as an identifier.
CREATE OR REPLACE TEMP MACRO duckrisk_identifier(name) AS
    '"' || replace(CAST(coalesce(name, error('A name is missing.')) AS VARCHAR), '"', '""') || '"';

-- A column of the records.
CREATE OR REPLACE TEMP MACRO duckrisk_column(name) AS
    'duckrisk_cell(duckrisk_source.' || duckrisk_identifier(name) || ')';

-- The person behind a record.
CREATE OR REPLACE TEMP MACRO duckrisk_person(name) AS
    CASE WHEN name IS NULL THEN 'ROW_NUMBER() OVER ()' ELSE duckrisk_column(name) END;

-- A flag, a text, a whole number and a number as literals.
CREATE OR REPLACE TEMP MACRO duckrisk_flag(value) AS
    CASE WHEN CAST(coalesce(value, error('A flag is missing.')) AS BOOLEAN) THEN 'TRUE' ELSE 'FALSE' END;

CREATE OR REPLACE TEMP MACRO duckrisk_text(value) AS
    '''' || replace(CAST(coalesce(value, error('A text is missing.')) AS VARCHAR), '''', '''''') || '''';

CREATE OR REPLACE TEMP MACRO duckrisk_integer(value) AS
    CAST(CAST(coalesce(value, error('A number is missing.')) AS BIGINT) AS VARCHAR);

CREATE OR REPLACE TEMP MACRO duckrisk_number(value) AS
    CASE WHEN isfinite(CAST(value AS DOUBLE)) THEN CAST(CAST(value AS DOUBLE) AS VARCHAR)
         ELSE error('A number is missing or not finite.') END;

-- What follows FROM. A path is one identifier, which DuckDB opens as a file; a name of up to three
-- parts has each part quoted; everything else is the name of a table.
CREATE OR REPLACE TEMP MACRO duckrisk_relation(source) AS
    CASE
        WHEN source IS NULL THEN error('The source is missing.')
        WHEN regexp_full_match(source, '(?is).*\.(parquet|(csv|tsv|json|jsonl|ndjson)(\.(gz|zst))?)')
            THEN duckrisk_identifier(source)
        WHEN regexp_full_match(source, '("([^"]|"")+"|[\pL\pN_$]+)(\.("([^"]|"")+"|[\pL\pN_$]+)){0,2}')
            THEN array_to_string(list_transform(
                regexp_extract_all(source, '"(?:[^"]|"")+"|[\pL\pN_$]+'),
                lambda part: CASE WHEN starts_with(part, '"') THEN part ELSE duckrisk_identifier(part) END
            ), '.')
        ELSE duckrisk_identifier(source)
    END;

-- A column, written as an identifier, as an attacker knows it.
CREATE OR REPLACE TEMP MACRO duckrisk_known(written, knowledge, argument) AS
    list_transform([written], lambda known: CASE knowledge
        WHEN 'exact' THEN known
        WHEN 'as_narrow' THEN 'CASE WHEN CAST(TRY_CAST(' || known || ' AS FLOAT) AS DOUBLE) = ' || known || '
    THEN CAST(CAST(CAST(' || known || ' AS FLOAT) AS STRING) AS DOUBLE) ELSE ' || known || ' END'
        WHEN 'as_json' THEN 'CAST(TO_JSON(' || known || ') AS STRING)'
        WHEN 'as_text' THEN 'CAST(' || known || ' AS STRING)'
        WHEN 'as_double' THEN 'CAST(CAST(' || known || ' AS STRING) AS DOUBLE)'
        WHEN 'band' THEN 'FLOOR(CASE WHEN UPPER(TYPEOF(' || known || ')) = ''FLOAT''
    THEN CAST(CAST(' || known || ' AS STRING) AS DOUBLE) ELSE CAST(' || known || ' AS DOUBLE) END /
    ' || duckrisk_number(argument) || ' + 0.000000001) * ' || duckrisk_number(argument) || ' + 0'
        WHEN 'date' THEN 'CAST(' || known || ' AS DATE)'
        WHEN 'hour' THEN 'CAST(EXTRACT(HOUR FROM ' || known || ') AS INTEGER)'
        WHEN 'month' THEN 'CAST(DATE_TRUNC(''month'', ' || known || ') AS DATE)'
        WHEN 'number' THEN known || ' + 0'
        WHEN 'prefix' THEN 'SUBSTR(CAST(' || known || ' AS STRING), 1, ' || duckrisk_integer(argument) || ')'
        WHEN 'time' THEN 'CAST(EXTRACT(HOUR FROM ' || known || ') * 60 + EXTRACT(MINUTE FROM ' || known || ') AS INTEGER)'
        WHEN 'zoned_time' THEN 'SUBSTR(CAST(' || known || ' AS STRING), 1, 5)
    || REGEXP_EXTRACT(CAST(' || known || ' AS STRING), ''[-+][0-9:]+$'', 0)'
        WHEN 'week' THEN 'CAST(DATE_TRUNC(''week'', ' || known || ') AS DATE)'
        WHEN 'year' THEN 'CAST(EXTRACT(YEAR FROM ' || known || ') AS INTEGER)'
        ELSE error('The knowledge is one of exact, as_narrow, as_json, as_text, as_double, band, date, hour, month, number, prefix, time, zoned_time, week, year.')
    END)[1];

-- What the attacker learns; NULL where any part is missing.
CREATE OR REPLACE TEMP MACRO duckrisk_value(name, knowledge, argument, also) AS
    list_transform(
        [list_prepend(
            duckrisk_known(duckrisk_column(name), knowledge, argument),
            list_transform(CAST(also AS VARCHAR[]), lambda other: duckrisk_column(other)))],
        lambda parts: CASE WHEN len(parts) = 1 THEN parts[1] ELSE
            'CASE WHEN ' || array_to_string(parts, ' IS NOT NULL AND ') || ' IS NOT NULL'
            || ' THEN ROW(' || array_to_string(parts, ', ') || ') END' END
    )[1];

-- The 64-bit number that replaces a value.
CREATE OR REPLACE TEMP MACRO duckrisk_cell_number(cell) AS
    replace('CASE
    WHEN REGEXP_MATCHES(
        TYPEOF(duckrisk_cell),
        ''^(BOOLEAN|U?(TINY|SMALL|BIG)INT|U?INTEGER|FLOAT|DOUBLE|DATE|TIME|TIMESTAMP[ _A-Z]*|DECIMAL[(]([0-9]|1[0-8]),[0-9]+[)])$''
    ) THEN HASH(duckrisk_cell)
    WHEN REGEXP_MATCHES(TYPEOF(duckrisk_cell), ''FLOAT|DOUBLE'') AND duckrisk_cell IS NOT NULL
    THEN HASH(
        HASH(duckrisk_cell),
        MD5_NUMBER(REGEXP_REPLACE(CAST(duckrisk_cell AS VARCHAR), ''-(0[.]0|nan)([^0-9]|$)'', ''\1\2'', ''g''))
    )
    WHEN STRLEN(CAST(duckrisk_cell AS VARCHAR)) <= 12 THEN HASH(CAST(duckrisk_cell AS VARCHAR))
    ELSE HASH(MD5_NUMBER(CAST(duckrisk_cell AS VARCHAR)))
END', 'duckrisk_cell', cell);

-- attribute_risk
-- The probability that an attacker who learns one value of an attribute identifies the person.
--
--   source: the records
--   user_column: the column of the person behind a record; NULL takes each record as a person
--   attribute: the values that the attacker learns: a column or a composite of columns, or several, each by itself; more than 16 have values of one type
--   k: a value shared by fewer than k users counts as rare
--   counted: number of people that a record represents; NULL takes one
--   knowledge: how the attribute is known: exact, as_narrow, as_json, as_text, as_double, band, date, hour, month, number, prefix, time, zoned_time, week, year
--   argument: how many characters of a prefix, how wide a band
--   also: further columns that are known together with it
--
--   FROM attribute_risk('retail.parquet', 'CustomerID', 'StockCode');
CREATE OR REPLACE TEMP MACRO attribute_risk(source, user_column, attribute, k := 5, counted := NULL, knowledge := 'exact', argument := NULL, also := []) AS TABLE
SELECT * FROM query('WITH history AS (
    SELECT
' || CASE WHEN user_column IS NOT NULL THEN '        ' || duckrisk_person(user_column) || ' AS user_id,
' ELSE '' END || CASE WHEN counted IS NOT NULL THEN '        ' || duckrisk_column(counted) || ' AS people,
' ELSE '' END || CASE WHEN len([attribute]) > 16 THEN '        [' || array_to_string(list_transform([attribute], lambda each_item, each_number: duckrisk_value(each_item, knowledge, argument, also)), ', ') || '] AS listed
' ELSE array_to_string(list_transform([attribute], lambda each_attribute, each_attribute_number: '        ' || duckrisk_value(each_attribute, knowledge, argument, also) || ' AS value_' || each_attribute_number || CASE WHEN each_attribute_number < len([attribute]) THEN ',' ELSE '' END || '
'), '') END || '    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
knowledge AS (
' || CASE WHEN len([attribute]) > 16 THEN '    -- A part for each attribute takes the engine longer to plan than few records take to read.
    SELECT position, ' || CASE WHEN counted IS NOT NULL THEN 'SUM(people)' ELSE 'COUNT(*)' END || ' AS records,
' || CASE WHEN user_column IS NOT NULL THEN 'COUNT(DISTINCT
        user_id)' ELSE CASE WHEN counted IS NOT NULL THEN 'SUM(people)' ELSE 'COUNT(*)' END END || ' AS users
    FROM (
        SELECT ' || CASE WHEN user_column IS NOT NULL THEN 'user_id, ' ELSE '' END || CASE WHEN counted IS NOT NULL THEN 'people, ' ELSE '' END || '
            UNNEST(RANGE(' || len([attribute]) || ')) AS position, UNNEST(listed) AS value
        FROM history
    ) AS learnt
    WHERE value IS NOT NULL' || CASE WHEN user_column IS NOT NULL THEN ' AND user_id IS NOT NULL' ELSE '' END || '
    GROUP BY position, value
    UNION ALL
' ELSE array_to_string(list_transform([attribute], lambda each_attribute, each_attribute_number: '    SELECT ' || (each_attribute_number - 1) || ' AS position, ' || CASE WHEN counted IS NOT NULL THEN 'SUM(people)' ELSE 'COUNT(*)' END || ' AS records,
' || CASE WHEN user_column IS NOT NULL THEN 'COUNT(DISTINCT
        user_id)' ELSE CASE WHEN counted IS NOT NULL THEN 'SUM(people)' ELSE 'COUNT(*)' END END || ' AS users
    FROM history
    WHERE value_' || each_attribute_number || ' IS NOT NULL' || CASE WHEN user_column IS NOT NULL THEN ' AND user_id IS NOT NULL' ELSE '' END || '
    GROUP BY value_' || each_attribute_number || '
    UNION ALL
'), '') END || '    -- An attribute without values has its row as well.
    SELECT position, 0, NULL
    FROM (VALUES ' || array_to_string(list_transform([attribute], lambda each_item, each_number: '(' || (each_number - 1) || ')'), ', ') || ') AS positions (position)
),
-- Values with equally many users are summed as integers first: the result is exact to the last
-- digit and does not depend on the order of the records.
by_users AS (
    SELECT position, users, COUNT(users) AS distinct_values, SUM(records) AS records
    FROM knowledge
    GROUP BY position, users
),
totals AS (
    SELECT
        position,
        CAST(SUM(records) AS BIGINT) AS records,
        CAST(SUM(distinct_values) AS BIGINT) AS distinct_values,
        CAST(SUM(CAST(CAST(records AS DOUBLE) / users AS DECIMAL(38, 18))) AS DOUBLE) AS alphas,
        CAST(MIN(users) AS DOUBLE) AS fewest_users,
        CAST(SUM(CASE WHEN users = 1 THEN records ELSE 0 END) AS BIGINT) AS singled_out_records,
        CAST(SUM(CASE WHEN users < ' || duckrisk_integer(k) || ' THEN records ELSE 0 END) AS BIGINT) AS records_below_k,
        CAST(SUM(CASE WHEN users = 1 THEN distinct_values ELSE 0 END) AS BIGINT) AS singled_out_values
    FROM by_users
    GROUP BY position
)
SELECT
    position,
    records,
    distinct_values,
    alphas / NULLIF(records, 0) AS mean_risk,
    (alphas / NULLIF(distinct_values, 0)) * distinct_values / NULLIF(records, 0) AS mean_model_risk,
    alphas / NULLIF(distinct_values, 0) AS mean_records_per_user,
    CAST(distinct_values AS DOUBLE) / NULLIF(records, 0) AS minimum_cost_risk,
    1 / NULLIF(fewest_users, 0) AS max_value_risk,
    singled_out_records,
    CAST(singled_out_records AS DOUBLE) / NULLIF(records, 0) AS share_singled_out,
    records_below_k,
    CAST(records_below_k AS DOUBLE) / NULLIF(records, 0) AS share_below_k,
    singled_out_values
FROM totals
ORDER BY position');

-- attribute_risk_approximate
-- The figures of attribute_risk with an estimated instead of an exact number of users of each value.
--
--   source: the records
--   user_column: the column of the person behind a record; NULL takes each record as a person
--   attribute: the values that the attacker learns: a column or a composite of columns, or several, each by itself
--   k: a value shared by fewer than k users counts as rare
--   knowledge: how the attribute is known: exact, as_narrow, as_json, as_text, as_double, band, date, hour, month, number, prefix, time, zoned_time, week, year
--   argument: how many characters of a prefix, how wide a band
--   also: further columns that are known together with it
--
--   FROM attribute_risk_approximate('retail.parquet', 'CustomerID', 'StockCode');
CREATE OR REPLACE TEMP MACRO attribute_risk_approximate(source, user_column, attribute, k := 5, knowledge := 'exact', argument := NULL, also := []) AS TABLE
SELECT * FROM query('WITH history AS (
    SELECT
' || CASE WHEN user_column IS NOT NULL THEN '        ' || duckrisk_person(user_column) || ' AS user_id,
' ELSE '' END || array_to_string(list_transform([attribute], lambda each_attribute, each_attribute_number: '        ' || duckrisk_value(each_attribute, knowledge, argument, also) || ' AS value_' || each_attribute_number || CASE WHEN each_attribute_number < len([attribute]) THEN ',' ELSE '' END || '
'), '') || '    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
knowledge AS (
' || array_to_string(list_transform([attribute], lambda each_attribute, each_attribute_number: '    SELECT ' || (each_attribute_number - 1) || ' AS position, COUNT(*) AS records,
' || CASE WHEN user_column IS NOT NULL THEN 'GREATEST(1, LEAST(APPROX_COUNT_DISTINCT(user_id), COUNT(*)))' ELSE 'COUNT(*)' END || ' AS users
    FROM history
    WHERE value_' || each_attribute_number || ' IS NOT NULL' || CASE WHEN user_column IS NOT NULL THEN ' AND user_id IS NOT NULL' ELSE '' END || '
    GROUP BY value_' || each_attribute_number || '
    UNION ALL
'), '') || '    -- An attribute without values has its row as well.
    SELECT position, 0, NULL
    FROM (VALUES ' || array_to_string(list_transform([attribute], lambda each_item, each_number: '(' || (each_number - 1) || ')'), ', ') || ') AS positions (position)
),
-- Values with equally many users are summed as integers first: the result is exact to the last
-- digit and does not depend on the order of the records.
by_users AS (
    SELECT position, users, COUNT(users) AS distinct_values, SUM(records) AS records
    FROM knowledge
    GROUP BY position, users
),
totals AS (
    SELECT
        position,
        CAST(SUM(records) AS BIGINT) AS records,
        CAST(SUM(distinct_values) AS BIGINT) AS distinct_values,
        CAST(SUM(CAST(CAST(records AS DOUBLE) / users AS DECIMAL(38, 18))) AS DOUBLE) AS alphas,
        CAST(MIN(users) AS DOUBLE) AS fewest_users,
        CAST(SUM(CASE WHEN users = 1 THEN records ELSE 0 END) AS BIGINT) AS singled_out_records,
        CAST(SUM(CASE WHEN users < ' || duckrisk_integer(k) || ' THEN records ELSE 0 END) AS BIGINT) AS records_below_k,
        CAST(SUM(CASE WHEN users = 1 THEN distinct_values ELSE 0 END) AS BIGINT) AS singled_out_values
    FROM by_users
    GROUP BY position
)
SELECT
    position,
    records,
    distinct_values,
    alphas / NULLIF(records, 0) AS mean_risk,
    (alphas / NULLIF(distinct_values, 0)) * distinct_values / NULLIF(records, 0) AS mean_model_risk,
    alphas / NULLIF(distinct_values, 0) AS mean_records_per_user,
    CAST(distinct_values AS DOUBLE) / NULLIF(records, 0) AS minimum_cost_risk,
    1 / NULLIF(fewest_users, 0) AS max_value_risk,
    singled_out_records,
    CAST(singled_out_records AS DOUBLE) / NULLIF(records, 0) AS share_singled_out,
    records_below_k,
    CAST(records_below_k AS DOUBLE) / NULLIF(records, 0) AS share_below_k,
    singled_out_values
FROM totals
ORDER BY position');

-- attribute_sample
-- The risk of an attribute estimated from a sample of its values, with a confidence interval.
--
--   source: the records
--   user_column: the column of the person behind a record; NULL takes each record as a person
--   attribute: the value that the attacker learns
--   samples: s, number of sampled values, 1 or more
--   confidence: of the interval: 0.80, 0.90, 0.95 or 0.99; no ends for others
--   seed: chooses the values
--   users: the number of users where it is known and no value is missing; NULL counts them
--   knowledge: how the attribute is known: exact, as_narrow, as_json, as_text, as_double, band, date, hour, month, number, prefix, time, zoned_time, week, year
--   argument: how many characters of a prefix, how wide a band
--   also: further columns that are known together with it
--
--   FROM attribute_sample('retail.parquet', 'CustomerID', 'StockCode');
CREATE OR REPLACE TEMP MACRO attribute_sample(source, user_column, attribute, samples := 50, confidence := 0.90, seed := 0, users := NULL, knowledge := 'exact', argument := NULL, also := []) AS TABLE
SELECT * FROM query(CASE WHEN (NOT (user_column IS NOT NULL) AND users IS NULL) THEN 'WITH totals AS (
    SELECT CAST(COUNT(DISTINCT value) AS DOUBLE) / NULLIF(COUNT(value), 0) AS risk
    FROM (SELECT ' || duckrisk_value(attribute, knowledge, argument, also) || ' AS value FROM ' || duckrisk_relation(source) || ' AS duckrisk_source) AS history
)
SELECT CAST(0 AS BIGINT) AS sampled_values, CAST(0 AS BIGINT) AS records_read, risk AS estimate, risk AS lower,
    risk AS upper
FROM totals
' ELSE 'WITH history AS (
    SELECT ' || duckrisk_person(user_column) || ' AS user_id, ' || duckrisk_value(attribute, knowledge, argument, also) || ' AS value
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
quantiles (df, q80, q90, q95, q99) AS (
    VALUES
        (1, 3.0777, 6.3138, 12.7062, 63.6567), (2, 1.8856, 2.92, 4.3027, 9.9248), (3, 1.6377, 2.3534, 3.1824, 5.8409),
        (4, 1.5332, 2.1318, 2.7764, 4.6041), (5, 1.4759, 2.015, 2.5706, 4.0321), (6, 1.4398, 1.9432, 2.4469, 3.7074),
        (7, 1.4149, 1.8946, 2.3646, 3.4995), (8, 1.3968, 1.8595, 2.306, 3.3554), (9, 1.383, 1.8331, 2.2622, 3.2498),
        (10, 1.3722, 1.8125, 2.2281, 3.1693), (11, 1.3634, 1.7959, 2.201, 3.1058), (12, 1.3562, 1.7823, 2.1788, 3.0545),
        (13, 1.3502, 1.7709, 2.1604, 3.0123), (14, 1.345, 1.7613, 2.1448, 2.9768), (15, 1.3406, 1.7531, 2.1314, 2.9467),
        (16, 1.3368, 1.7459, 2.1199, 2.9208), (17, 1.3334, 1.7396, 2.1098, 2.8982),
            (18, 1.3304, 1.7341, 2.1009, 2.8784),
        (19, 1.3277, 1.7291, 2.093, 2.8609), (20, 1.3253, 1.7247, 2.086, 2.8453), (24, 1.3178, 1.7109, 2.0639, 2.7969),
        (29, 1.3114, 1.6991, 2.0452, 2.7564), (39, 1.3036, 1.6849, 2.0227, 2.7079), (49, 1.2991, 1.6766, 2.0096, 2.68),
        (74, 1.2931, 1.6657, 1.9925, 2.6439), (99, 1.2902, 1.6604, 1.9842, 2.6264),
            (199, 1.2858, 1.6525, 1.972, 2.6008),
        (499, 1.2833, 1.6479, 1.9647, 2.5857), (999, 1.2824, 1.6464, 1.9623, 2.5808)
),
totals AS (
    SELECT COUNT(*) AS records,
' || CASE WHEN NOT (users IS NULL) THEN duckrisk_integer(users) ELSE 'COUNT(DISTINCT user_id)' END || ' AS users
    FROM history
    WHERE value IS NOT NULL AND user_id IS NOT NULL
),
counted AS (
    SELECT value, COUNT(*) AS records
    FROM history
    WHERE value IS NOT NULL AND user_id IS NOT NULL
    GROUP BY value
),
-- A value has at most all users, and all but one of its records repeat a user at most as often as
-- the whole table does.
possible AS (
    SELECT
        counted.value,
        counted.records,
        LEAST(counted.records, totals.users) AS most_users,
        GREATEST(1, counted.records - (totals.records - totals.users)) AS fewest_users
    FROM counted CROSS JOIN totals
),
bounded AS (
    SELECT
        value,
        records,
        CAST(records AS DOUBLE) / most_users AS alpha_low,
        CAST(records AS DOUBLE) / fewest_users AS alpha_high,
        CASE WHEN fewest_users < most_users THEN 1 ELSE 0 END AS open
    FROM possible
),
bounds AS (
    SELECT
        CAST(SUM(CAST(alpha_low AS DECIMAL(38, 18))) AS DOUBLE) AS base,
        CAST(SUM(CAST(alpha_high - alpha_low AS DECIMAL(38, 18))) AS DOUBLE) AS room,
        SUM(open) AS open_values,
        LEAST(' || duckrisk_integer(samples) || ', SUM(open)) AS samples
    FROM bounded
),
ranked AS (
    SELECT
        bounded.value,
        bounded.records,
        bounded.alpha_low,
        bounded.alpha_high,
        bounds.open_values,
        bounds.samples,
        ROW_NUMBER() OVER (
            ORDER BY bounded.records DESC, MD5(''' || duckrisk_integer(seed) || ' order '' || CAST(bounded.value AS STRING)),
                bounded.value
        ) AS place
    FROM bounded CROSS JOIN bounds
    WHERE bounded.open = 1
),
tiled AS (
    SELECT
        value,
        records,
        alpha_low,
        alpha_high,
        FLOOR(CAST((place - 1) * samples AS DOUBLE) / open_values) AS tile
    FROM ranked
),
drawn AS (
    SELECT
        value,
        records,
        alpha_low,
        alpha_high,
        COUNT(*) OVER (PARTITION BY tile) AS tile_size,
        ROW_NUMBER() OVER (
            PARTITION BY tile ORDER BY MD5(''' || duckrisk_integer(seed) || ' draw '' || CAST(value AS STRING)), value
        ) AS turn
    FROM tiled
),
sampled AS (
    SELECT value, records, alpha_low, alpha_high, tile_size FROM drawn WHERE turn = 1
),
users_of_sampled AS (
    SELECT history.value, COUNT(DISTINCT history.user_id) AS users
    FROM history
    WHERE history.user_id IS NOT NULL AND history.value IN (SELECT value FROM sampled)
    GROUP BY history.value
),
-- Excess of alpha_x over its lower bound.
seen AS (
    SELECT
        sampled.records,
        sampled.tile_size,
        sampled.alpha_high - sampled.alpha_low AS room,
        CAST(sampled.records AS DOUBLE) / users_of_sampled.users - sampled.alpha_low AS excess
    FROM sampled JOIN users_of_sampled ON users_of_sampled.value = sampled.value
),
sums AS (
    SELECT
        COUNT(*) AS samples,
        CAST(SUM(records) AS BIGINT) AS records_read,
        MAX(excess) AS largest,
        MIN(excess) AS smallest,
        CAST(SUM(CAST(excess AS DECIMAL(38, 18))) AS DOUBLE) AS seen_excess,
        CAST(SUM(CAST(tile_size * excess AS DECIMAL(38, 18))) AS DOUBLE) AS total_excess,
        CAST(SUM(CAST(room AS DECIMAL(38, 18))) AS DOUBLE) AS seen_room
    FROM seen
),
-- The two more values. Where all excesses are equal they are taken one larger, so that no sample
-- claims certainty.
extended AS (
    SELECT
        samples,
        records_read,
        seen_excess,
        total_excess,
        seen_room,
        seen_excess / samples AS mean,
        CASE WHEN smallest = largest THEN 1 ELSE 0 END AS flat,
        CASE WHEN smallest = largest THEN largest + 1 ELSE largest END AS extra
    FROM sums
    WHERE samples > 0
),
-- Squares relative to the largest excess, so that the decimals cannot overflow.
spread AS (
    SELECT CAST(SUM(CAST(
        ((seen.excess - extended.mean) / extended.extra) * ((seen.excess - extended.mean) / extended.extra)
        AS DECIMAL(38, 18))) AS DOUBLE) AS squares
    FROM seen CROSS JOIN extended
),
quantile AS (
    SELECT quantiles.df, CASE
        WHEN ABS(' || duckrisk_number(confidence) || ' - 0.80) < 1e-4 THEN q80
        WHEN ABS(' || duckrisk_number(confidence) || ' - 0.90) < 1e-4 THEN q90
        WHEN ABS(' || duckrisk_number(confidence) || ' - 0.95) < 1e-4 THEN q95
        WHEN ABS(' || duckrisk_number(confidence) || ' - 0.99) < 1e-4 THEN q99
    END AS t
    FROM quantiles
    JOIN (
        SELECT MAX(quantiles.df) AS df
        FROM quantiles CROSS JOIN sums
        WHERE quantiles.df <= GREATEST(1, sums.samples - 1)
    ) AS nearest ON nearest.df = quantiles.df
),
centred AS (
    SELECT
        extended.samples,
        extended.records_read,
        extended.seen_excess,
        extended.total_excess,
        extended.flat,
        bounds.open_values,
        extended.seen_excess + bounds.room - extended.seen_room AS most_excess,
        extended.total_excess / bounds.open_values AS centre,
        (extended.samples * (extended.total_excess / bounds.open_values) + 2 * extended.extra)
            / (extended.samples + 2) AS upper_centre,
        quantile.t * extended.extra * SQRT(
            (spread.squares + CAST(extended.samples * 2 AS DOUBLE) / (extended.samples + 2)
                * (1 - extended.mean / extended.extra) * (1 - extended.mean / extended.extra))
            / (extended.samples + 1) / (extended.samples + 2)
        ) AS half_width
    FROM extended CROSS JOIN spread CROSS JOIN bounds CROSS JOIN quantile
),
ends AS (
    SELECT
        samples,
        records_read,
        total_excess,
        CASE WHEN samples = open_values OR flat = 1 THEN seen_excess
             WHEN half_width IS NULL THEN NULL
             ELSE GREATEST(seen_excess, open_values * centre * EXP(-LEAST(half_width / centre, 50)))
        END AS lower,
        CASE WHEN samples = open_values THEN seen_excess
             WHEN samples = 1 THEN most_excess
             WHEN half_width IS NULL THEN NULL
             ELSE LEAST(most_excess, open_values * upper_centre * EXP(LEAST(half_width / upper_centre, 50)))
        END AS upper
    FROM centred
)
SELECT
    CAST(COALESCE(ends.samples, 0) AS BIGINT) AS sampled_values,
    CAST(COALESCE(ends.records_read, 0) AS BIGINT) AS records_read,
    (bounds.base
        + CASE WHEN ends.samples IS NULL THEN 0 ELSE LEAST(GREATEST(ends.total_excess, ends.lower), ends.upper) END)
        / totals.records AS estimate,
    (bounds.base + CASE WHEN ends.samples IS NULL THEN 0 ELSE ends.lower END) / totals.records AS lower,
    (bounds.base + CASE WHEN ends.samples IS NULL THEN 0 ELSE ends.upper END) / totals.records AS upper
FROM totals CROSS JOIN bounds LEFT JOIN ends ON 1 = 1
' END);

-- attribute_sample_paper
-- The sampling model of the paper, with the interval of the paper.
--
--   source: the records
--   user_column: the column of the person behind a record; NULL takes each record as a person
--   attribute: the value that the attacker learns
--   samples: s, number of sampled values
--   seed: chooses the values
--   knowledge: how the attribute is known: exact, as_narrow, as_json, as_text, as_double, band, date, hour, month, number, prefix, time, zoned_time, week, year
--   argument: how many characters of a prefix, how wide a band
--   also: further columns that are known together with it
--
--   FROM attribute_sample_paper('retail.parquet', 'CustomerID', 'StockCode');
CREATE OR REPLACE TEMP MACRO attribute_sample_paper(source, user_column, attribute, samples := 50, seed := 0, knowledge := 'exact', argument := NULL, also := []) AS TABLE
SELECT * FROM query('WITH history AS (
    SELECT ' || duckrisk_person(user_column) || ' AS user_id, ' || duckrisk_value(attribute, knowledge, argument, also) || ' AS value
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
counted AS (
    SELECT value, COUNT(*) AS records
    FROM history
    WHERE value IS NOT NULL AND user_id IS NOT NULL
    GROUP BY value
),
totals AS (
    SELECT CAST(SUM(records) AS DOUBLE) AS records, COUNT(*) AS distinct_values FROM counted
),
-- Each draw takes the value that comes first in an order of its own.
drawn AS (
    SELECT
        numbers.draw,
        counted.value,
        counted.records,
        ROW_NUMBER() OVER (
            PARTITION BY numbers.draw
            ORDER BY MD5(
                ''' || duckrisk_integer(seed) || ' '' || CAST(numbers.draw AS STRING) || '' '' || CAST(counted.value AS STRING)),
                counted.value
        ) AS turn
    FROM counted CROSS JOIN range(0, ' || duckrisk_integer(samples) || ') AS numbers (draw)
),
sampled AS (
    SELECT draw, value, records FROM drawn WHERE turn = 1
),
users_of_sampled AS (
    SELECT history.value, COUNT(DISTINCT history.user_id) AS users
    FROM history
    WHERE history.user_id IS NOT NULL AND history.value IN (SELECT value FROM sampled)
    GROUP BY history.value
),
seen AS (
    SELECT sampled.records, CAST(sampled.records AS DOUBLE) / users_of_sampled.users AS alpha
    FROM sampled JOIN users_of_sampled ON users_of_sampled.value = sampled.value
),
sums AS (
    SELECT
        COUNT(*) AS samples,
        CAST(SUM(records) AS BIGINT) AS records_read,
        CAST(SUM(CAST(alpha AS DECIMAL(38, 18))) AS DOUBLE) / COUNT(*) AS mean
    FROM seen
),
spread AS (
    SELECT SQRT(
        CAST(SUM(CAST((seen.alpha - sums.mean) / sums.mean * ((seen.alpha - sums.mean) / sums.mean) AS DECIMAL(38, 18)))
        AS DOUBLE)
        / COUNT(*)) AS relative
    FROM seen CROSS JOIN sums
)
SELECT
    sums.samples AS sampled_values,
    COALESCE(sums.records_read, 0) AS records_read,
    sums.mean * totals.distinct_values / totals.records AS estimate,
    sums.mean * (1 - spread.relative) * totals.distinct_values / totals.records AS lower,
    sums.mean * (1 + spread.relative) * totals.distinct_values / totals.records AS upper
FROM sums CROSS JOIN spread CROSS JOIN totals');

-- attribute_values
-- The information gained by an attacker from each value of an attribute.
--
--   source: the records
--   user_column: the column of the person behind a record; NULL takes each record as a person
--   attribute: the value that the attacker learns
--   most: largest number of values to list; NULL lists all
--   knowledge: how the attribute is known: exact, as_narrow, as_json, as_text, as_double, band, date, hour, month, number, prefix, time, zoned_time, week, year
--   argument: how many characters of a prefix, how wide a band
--   also: further columns that are known together with it
--
--   FROM attribute_values('retail.parquet', 'CustomerID', 'StockCode');
CREATE OR REPLACE TEMP MACRO attribute_values(source, user_column, attribute, most := NULL, knowledge := 'exact', argument := NULL, also := []) AS TABLE
SELECT * FROM query('WITH history AS (
    SELECT ' || duckrisk_person(user_column) || ' AS user_id, ' || duckrisk_value(attribute, knowledge, argument, also) || ' AS value
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
knowledge AS (
    SELECT value, COUNT(*) AS records, ' || CASE WHEN user_column IS NOT NULL THEN 'COUNT(DISTINCT user_id)' ELSE 'COUNT(*)' END || ' AS users
    FROM history
    WHERE value IS NOT NULL AND user_id IS NOT NULL
    GROUP BY value
),
total AS (
    SELECT CAST(SUM(records) AS DOUBLE) AS m FROM knowledge
)
SELECT
    CAST(knowledge.value AS STRING) AS value,
    knowledge.records,
    knowledge.users,
    CAST(knowledge.records AS DOUBLE) / knowledge.users AS records_per_user,
    knowledge.records / total.m AS probability,
    1 / CAST(knowledge.users AS DOUBLE) AS identification_given_value,
    CAST(knowledge.records AS DOUBLE) / knowledge.users / total.m AS identification,
    COUNT(*) OVER () AS total,
    COUNT(*) OVER (ORDER BY knowledge.users, knowledge.records DESC) AS reached
FROM knowledge CROSS JOIN total
ORDER BY knowledge.users, knowledge.records DESC, knowledge.value
' || CASE WHEN NOT (most IS NULL) THEN 'LIMIT ' || duckrisk_integer(most) || '
' ELSE '' END);

-- known_records
-- The probability that an attacker who knows p records of one person by an attribute identifies the person.
--
--   source: the records
--   user_column: the column of the person behind a record; NULL takes each record as a person
--   attribute: the value that the attacker learns of each record
--   known: the largest p, 1 to 16
--   draws: number of drawn attackers
--   candidates: largest number of groups of candidate users before fewer draws are used; NULL sets no limit
--   confidence: of the intervals: 0.80, 0.90, 0.95 or 0.99; no ends for others
--   seed: chooses the draws
--   ordered: the table ordered_people, where each record has a value; NULL orders them here
--   knowledge: how the attribute is known: exact, as_narrow, as_json, as_text, as_double, band, date, hour, month, number, prefix, time, zoned_time, week, year
--   argument: how many characters of a prefix, how wide a band
--   also: further columns that are known together with it
--
--   FROM known_records('retail.parquet', 'CustomerID', 'StockCode');
CREATE OR REPLACE TEMP MACRO known_records(source, user_column, attribute, known := 4, draws := 1000, candidates := NULL, confidence := 0.90, seed := 0, ordered := NULL, knowledge := 'exact', argument := NULL, also := []) AS TABLE
SELECT * FROM query('WITH history AS NOT MATERIALIZED (
    SELECT
' || CASE WHEN user_column IS NOT NULL THEN duckrisk_person(user_column) ELSE 'ROW_NUMBER() OVER (ORDER BY ' || duckrisk_value(attribute, knowledge, argument, also) || ')' END || '            AS user_id,
        ' || duckrisk_value(attribute, knowledge, argument, also) || ' AS value
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
' || CASE WHEN NOT (ordered IS NULL) THEN 'users AS (
    SELECT user_id, records, number FROM ' || duckrisk_relation(ordered) || ' AS duckrisk_source
),
in_seed_order AS (
    SELECT user_id, records, records_before FROM ' || duckrisk_relation(ordered) || ' AS duckrisk_source
),
' ELSE '-- The order of users decides the estimated cost and so the number of draws; it must be fixed.
users AS MATERIALIZED (
    SELECT user_id, COUNT(*) AS records, ROW_NUMBER() OVER (ORDER BY user_id) AS number
    FROM history
    WHERE value IS NOT NULL AND user_id IS NOT NULL
    GROUP BY user_id
),
in_seed_order AS (
    SELECT
        user_id,
        records,
        number,
        CAST(SUM(records) OVER (
            ORDER BY MD5(
                ''' || duckrisk_integer(seed) || ' ''
                || CASE CAST(user_id AS STRING) WHEN ''-0.0'' THEN ''0.0'' ELSE CAST(user_id AS STRING) END),
                user_id
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS BIGINT) - records AS records_before
    FROM users
),
' END || '-- Draw d takes the record at the middle of the d-th of equal parts of all records: a user with twice
-- the records is drawn twice as often.
places AS (
    SELECT
        numbers.draw,
        CAST(FLOOR((numbers.draw + CAST(0.5 AS DOUBLE)) * totals.records / ' || duckrisk_integer(draws) || ') AS BIGINT) AS place
    FROM range(0, ' || duckrisk_integer(draws) || ') AS numbers (draw)
    CROSS JOIN (SELECT CAST(SUM(records) AS BIGINT) AS records FROM users) AS totals
    WHERE totals.records > 0
),
drawn_users AS MATERIALIZED (
    SELECT places.draw, in_seed_order.user_id, in_seed_order.records
    FROM places ASOF JOIN in_seed_order ON places.place >= in_seed_order.records_before
),
-- Four candidate records for each that is wanted, and four, are enough to find different ones; a user with no more
-- records than that offers each of them.
candidates AS (
    SELECT
        draw,
        user_id,
        CASE WHEN records <= ' || ((4 * CAST(known AS BIGINT)) + 4) || ' THEN attempt
             ELSE CAST(''0x'' || SUBSTR(MD5(''' || duckrisk_integer(seed) || ' '' || draw || '' '' || attempt), 1, 15) AS BIGINT) %
                 records
        END AS place,
        MD5(''' || duckrisk_integer(seed) || ' order '' || draw || '' '' || attempt) AS turn
    FROM (SELECT draw, user_id, records, UNNEST(RANGE(0, LEAST(records, ' || ((4 * CAST(known AS BIGINT)) + 4) || '))) AS attempt
        FROM drawn_users) AS tries
),
picked AS (
    SELECT draw, user_id, place, ROW_NUMBER() OVER (PARTITION BY draw ORDER BY turn, place) AS turn
    FROM (
        SELECT draw, user_id, place, MIN(turn) AS turn
        FROM candidates
        GROUP BY draw, user_id, place
    ) AS different
    QUALIFY ROW_NUMBER() OVER (PARTITION BY draw ORDER BY turn, place) <= ' || duckrisk_integer(known) || '
),
-- The records of a drawn user, in the order of their values: equal values are interchangeable.
own_values AS (
    SELECT
        user_id,
        value,
        CAST(SUM(records) OVER (
            PARTITION BY user_id ORDER BY value
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS BIGINT) - records AS records_before
    FROM (
        SELECT user_id, value, COUNT(*) AS records
        FROM history
        WHERE value IS NOT NULL AND user_id IN (SELECT user_id FROM drawn_users)
        GROUP BY user_id, value
    ) AS counted
),
picked_values AS MATERIALIZED (
    SELECT picked.draw, picked.turn, own_values.value
    FROM picked ASOF JOIN own_values
        ON picked.user_id = own_values.user_id AND picked.place >= own_values.records_before
),
known_values AS MATERIALIZED (
    SELECT value, ROW_NUMBER() OVER (ORDER BY value) AS number
    FROM (SELECT DISTINCT value FROM picked_values) AS different
),
knowledge AS MATERIALIZED (
    SELECT picked_values.draw, picked_values.turn, known_values.number
    FROM picked_values JOIN known_values ON known_values.value = picked_values.value
),
-- Holders of a value: sixty users are the bits of a word, four words a row. Few rows, compared many users at once.
holders AS MATERIALIZED (
    SELECT
        place' || array_to_string(list_transform(range(0, 4), lambda each_word, each_word_number: ',
        BIT_OR(CASE WHEN word = ' || each_word || ' THEN user_bit ELSE 0 END) AS members_' || each_word), '') || '
    FROM (
        SELECT
            (known_values.number << 32) | (users.number // 240) AS place,
            users.number // 60 % 4 AS word,
            CAST(1 AS BIGINT) << CAST(users.number % 60 AS INTEGER) AS user_bit
        FROM history
        JOIN known_values ON known_values.value = history.value
        JOIN users ON users.user_id = history.user_id
    ) AS placed
    GROUP BY place
),
-- Values numbered from the one with the fewest groups of sixty users: users with all values of a set are searched
-- among the users of its rarest value.
codes AS MATERIALIZED (
    SELECT number, users, user_groups, ROW_NUMBER() OVER (ORDER BY user_groups, number) AS code
    FROM (
        SELECT
            place >> 32 AS number,
            CAST(SUM(' || array_to_string(list_transform(range(0, 4), lambda each_word, each_word_number: CASE WHEN NOT (each_word_number = 1) THEN '                + ' ELSE '' END || 'CAST(BIT_COUNT(members_' || each_word || ') AS SMALLINT)'), '') || ') AS BIGINT) AS users,
            CAST(SUM(' || array_to_string(list_transform(range(0, 4), lambda each_word, each_word_number: CASE WHEN NOT (each_word_number = 1) THEN ' + ' ELSE '' END || 'CAST(members_' || each_word || '
                <> 0 AS INTEGER)'), '') || ') AS BIGINT) AS user_groups
        FROM holders
        GROUP BY place >> 32
    ) AS counted
),
-- The different values of a draw, by the turn in which each is first known.
told AS MATERIALIZED (
    SELECT knowledge.draw, codes.code, codes.number, MIN(knowledge.turn) AS turn
    FROM knowledge JOIN codes ON knowledge.number = codes.number
    GROUP BY knowledge.draw, codes.code, codes.number
),
attackers AS MATERIALIZED (
    SELECT attackers.known, told.draw, LIST_SORT(LIST(told.code)) AS known_values
    FROM range(1, ' || duckrisk_integer(known) || ' + 1) AS attackers (known)
    JOIN told ON told.turn <= attackers.known
    GROUP BY attackers.known, told.draw
),
-- The search for the users of a set costs as many steps as its rarest value has groups of users. Where all sets
-- together cost too much, a random part of the draws is used, thirty at the least.
cost AS (
    SELECT CAST(COALESCE(SUM(codes.user_groups), 0) AS DOUBLE) AS candidates
    FROM (SELECT DISTINCT known_values FROM attackers WHERE LENGTH(known_values) > 1) AS different
    JOIN codes ON codes.code = different.known_values[1]
),
used_draws AS (
    SELECT shuffled.draw
    FROM (
        SELECT draw, ROW_NUMBER() OVER (ORDER BY MD5(''' || duckrisk_integer(seed) || ' use '' || CAST(draw AS STRING)), draw) AS turn
        FROM drawn_users
    ) AS shuffled
    CROSS JOIN cost
' || CASE WHEN NOT (candidates IS NULL) THEN '    WHERE shuffled.turn
        <= GREATEST(
        30, CAST(' || duckrisk_integer(draws) || ' AS DOUBLE) * ' || duckrisk_integer(candidates) || '
        / GREATEST(cost.candidates, ' || duckrisk_integer(candidates) || '))
' ELSE '' END || '),
-- An attacker learns the values one after the other. The holders of all known values are searched among those of the
-- previous step, which attackers with the same first values share. Of the first two values the rarer comes first.
chains_of_draws AS MATERIALIZED (
    SELECT draw, LIST_CONCAT(LIST_SORT(learnt[1:2]), learnt[3:]) AS chain
    FROM (
        SELECT told.draw, LIST(STRUCT_PACK(code := told.code, number := told.number) ORDER BY told.turn) AS learnt
        FROM told JOIN used_draws ON used_draws.draw = told.draw
        GROUP BY told.draw
    ) AS by_turn
),
chains AS MATERIALIZED (
    SELECT chain, ROW_NUMBER() OVER (ORDER BY chain) AS chain_number' || array_to_string(list_transform(range(1, (CAST(known AS BIGINT) + 1)), lambda each_size, each_size_number: ',
        chain[' || each_size || '].number << 32 AS place_' || each_size), '') || '
    FROM (SELECT DISTINCT chain FROM chains_of_draws WHERE LENGTH(chain) > 1) AS different
),
having_1 AS (
    SELECT
        chains.chain_number,
        holders.place & 4294967295 AS user_block' || array_to_string(list_transform(range(0, 4), lambda each_word, each_word_number: ',
        holders.members_' || each_word), '') || array_to_string(list_transform(range(2, (CAST(known AS BIGINT) + 1)), lambda each_later, each_later_number: ',
        chains.place_' || each_later), '') || '
    FROM chains JOIN holders ON holders.place >> 32 = chains.place_1 >> 32
),
' || array_to_string(list_transform(range(2, (CAST(known AS BIGINT) + 1)), lambda each_size, each_size_number: 'having_' || each_size || ' AS MATERIALIZED (
    SELECT
        having_' || (each_size - 1) || '.chain_number,
        having_' || (each_size - 1) || '.user_block' || array_to_string(list_transform(range(0, 4), lambda each_word, each_word_number: ',
        having_' || (each_size - 1) || '.members_' || each_word || '
            & holders.members_' || each_word || ' AS members_' || each_word), '') || array_to_string(list_transform(range((each_size + 1), (CAST(known AS BIGINT) + 1)), lambda each_later, each_later_number: ',
        having_' || (each_size - 1) || '.place_' || each_later), '') || '
    FROM having_' || (each_size - 1) || '
    JOIN holders
        ON holders.place = having_' || (each_size - 1) || '.place_' || each_size || ' | having_' || (each_size - 1) || '.user_block
        AND (' || array_to_string(list_transform(range(0, 4), lambda each_word, each_word_number: CASE WHEN NOT (each_word_number = 1) THEN ' | ' ELSE '' END || '(
            having_' || (each_size - 1) || '.members_' || each_word || ' & holders.members_' || each_word || ')'), '') || ') <> 0
),
'), '') || 'users_of_draws AS (
    SELECT told.draw, 1 AS size, codes.users
    FROM told
    JOIN used_draws ON used_draws.draw = told.draw
    JOIN codes ON codes.code = told.code
    WHERE told.turn = 1
' || array_to_string(list_transform(range(2, (CAST(known AS BIGINT) + 1)), lambda each_size, each_size_number: '    UNION ALL
    SELECT chains_of_draws.draw, ' || each_size || ' AS size, found.users
    FROM chains_of_draws
    JOIN chains ON chains.chain = chains_of_draws.chain
    JOIN (
        SELECT
            chain_number,
            CAST(SUM(' || array_to_string(list_transform(range(0, 4), lambda each_word, each_word_number: CASE WHEN NOT (each_word_number = 1) THEN '                + ' ELSE '' END || 'CAST(BIT_COUNT(members_' || each_word || ') AS SMALLINT)'), '') || ') AS BIGINT) AS users
        FROM having_' || each_size || '
        GROUP BY chain_number
    ) AS found ON found.chain_number = chains.chain_number
'), '') || '),
by_users AS (
    SELECT attackers.known, users_of_draws.users, COUNT(*) AS draws
    FROM attackers
    JOIN users_of_draws
        ON users_of_draws.draw = attackers.draw AND users_of_draws.size = LENGTH(attackers.known_values)
    GROUP BY attackers.known, users_of_draws.users
),
sums AS (
    SELECT
        known,
        CAST(SUM(draws) AS BIGINT) AS draws,
        CAST(SUM(CAST(CAST(draws AS DOUBLE) / users AS DECIMAL(38, 18))) AS DOUBLE) AS inverse,
        CAST(SUM(CAST(CAST(draws AS DOUBLE) / users / users AS DECIMAL(38, 18))) AS DOUBLE) AS inverse_squared,
        CAST(SUM(CASE WHEN users = 1 THEN draws ELSE 0 END) AS DOUBLE) AS alone
    FROM by_users
    GROUP BY known
),
quantile AS (
    SELECT MAX(CASE WHEN ABS(normal.confidence - ' || duckrisk_number(confidence) || ') < 1e-4 THEN normal.z END) AS z
    FROM (VALUES (0.80, 1.2816), (0.90, 1.6449), (0.95, 1.96), (0.99, 2.5758)) AS normal (confidence, z)
),
moments AS (
    SELECT
        known,
        draws,
        inverse / draws AS risk,
        quantile.z * SQRT(GREATEST(0, inverse_squared / draws - (inverse / draws) * (inverse / draws)) / draws)
            AS half_width,
        alone / draws AS unicity,
        (alone + quantile.z * quantile.z / 2) / (draws + quantile.z * quantile.z) AS centre,
        quantile.z * SQRT(alone * (draws - alone) / draws + quantile.z * quantile.z / 4)
            / (draws + quantile.z * quantile.z) AS spread
    FROM sums CROSS JOIN quantile
)
SELECT
    CAST(known AS INTEGER) AS known_records,
    draws,
    risk,
    CASE WHEN half_width IS NULL THEN NULL ELSE GREATEST(0, risk - half_width) END AS risk_lower,
    CASE WHEN half_width IS NULL THEN NULL ELSE LEAST(1, risk + half_width) END AS risk_upper,
    unicity,
    CASE WHEN spread IS NULL THEN NULL WHEN unicity = 0 THEN 0 ELSE GREATEST(0, centre - spread) END AS unicity_lower,
    CASE WHEN spread IS NULL THEN NULL WHEN unicity = 1 THEN 1 ELSE LEAST(1, centre + spread) END AS unicity_upper
FROM moments
ORDER BY known_records');

-- sampling_centroid
-- The mean cost and the mean error of the sampling model with a sample of one value.
--
--   source: the records
--   user_column: the column of the person behind a record; NULL takes each record as a person
--   attribute: the value that the attacker learns
--   knowledge: how the attribute is known: exact, as_narrow, as_json, as_text, as_double, band, date, hour, month, number, prefix, time, zoned_time, week, year
--   argument: how many characters of a prefix, how wide a band
--   also: further columns that are known together with it
--
--   FROM sampling_centroid('retail.parquet', 'CustomerID', 'StockCode');
CREATE OR REPLACE TEMP MACRO sampling_centroid(source, user_column, attribute, knowledge := 'exact', argument := NULL, also := []) AS TABLE
SELECT * FROM query('WITH history AS (
    SELECT ' || duckrisk_person(user_column) || ' AS user_id, ' || duckrisk_value(attribute, knowledge, argument, also) || ' AS value
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
knowledge AS (
    SELECT value, COUNT(*) AS records, ' || CASE WHEN user_column IS NOT NULL THEN 'COUNT(DISTINCT user_id)' ELSE 'COUNT(*)' END || ' AS users
    FROM history
    WHERE value IS NOT NULL AND user_id IS NOT NULL
    GROUP BY value
),
-- Values with equally many records and users are one point; decimals, so that the order does not matter.
points AS (
    SELECT COUNT(*) AS many, records, CAST(records AS DOUBLE) / users AS alpha
    FROM knowledge
    GROUP BY records, users
),
totals AS (
    SELECT
        CAST(SUM(many * records) AS DOUBLE) AS records,
        SUM(many) AS distinct_values,
        CAST(SUM(CAST(many * alpha AS DECIMAL(38, 18))) AS DOUBLE) AS alphas
    FROM points
)
SELECT
    CAST(COALESCE(MAX(totals.distinct_values), 0) AS BIGINT) AS distinct_values,
    MAX(totals.records / totals.distinct_values) AS mean_cost,
    CAST(
        SUM(CAST(points.many * ABS(points.alpha - totals.alphas / totals.distinct_values) AS DECIMAL(38, 18)))
        AS DOUBLE
    ) / MAX(totals.records) AS mean_error
FROM points CROSS JOIN totals');

-- single_values
-- The cost and the error of the sampling model for each single value.
--
--   source: the records
--   user_column: the column of the person behind a record; NULL takes each record as a person
--   attribute: the value that the attacker learns
--   most: largest number of values, chosen by MD5
--   seed: chooses the values
--   knowledge: how the attribute is known: exact, as_narrow, as_json, as_text, as_double, band, date, hour, month, number, prefix, time, zoned_time, week, year
--   argument: how many characters of a prefix, how wide a band
--   also: further columns that are known together with it
--
--   FROM single_values('retail.parquet', 'CustomerID', 'StockCode');
CREATE OR REPLACE TEMP MACRO single_values(source, user_column, attribute, most := 100, seed := 0, knowledge := 'exact', argument := NULL, also := []) AS TABLE
SELECT * FROM query('WITH history AS (
    SELECT ' || duckrisk_person(user_column) || ' AS user_id, ' || duckrisk_value(attribute, knowledge, argument, also) || ' AS value
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
knowledge AS (
    SELECT value, COUNT(*) AS records, ' || CASE WHEN user_column IS NOT NULL THEN 'COUNT(DISTINCT user_id)' ELSE 'COUNT(*)' END || ' AS users
    FROM history
    WHERE value IS NOT NULL AND user_id IS NOT NULL
    GROUP BY value
),
totals AS (
    SELECT
        CAST(SUM(records) AS DOUBLE) AS records,
        COUNT(*) AS distinct_values,
        CAST(SUM(CAST(CAST(records AS DOUBLE) / users AS DECIMAL(38, 18))) AS DOUBLE) AS alphas
    FROM knowledge
),
chosen AS (
    SELECT value, records, users
    FROM knowledge
    ORDER BY MD5(''' || duckrisk_integer(seed) || ' '' || CAST(value AS STRING)), value
    LIMIT ' || duckrisk_integer(most) || '
)
SELECT
    chosen.records AS cost,
    CAST(chosen.records AS DOUBLE) / chosen.users * totals.distinct_values / totals.records AS risk,
    ABS(CAST(chosen.records AS DOUBLE) / chosen.users * totals.distinct_values - totals.alphas)
        / totals.records AS error
FROM chosen CROSS JOIN totals
ORDER BY cost, risk, error');

-- correlation_change
-- The correlation of two numeric columns in the original and in a release.
--
--   original: the original
--   release: the release
--   first: one of the two; both tables have them
--   second: the other
--
--   FROM correlation_change('retail.parquet', 'retail.parquet', 'StockCode', 'StockCode');
CREATE OR REPLACE TEMP MACRO correlation_change(original, release, first, second) AS TABLE
SELECT * FROM query('WITH records AS (
    SELECT 0 AS side, TRY_CAST(originals.' || duckrisk_identifier(first) || ' AS DOUBLE) AS a,
        TRY_CAST(originals.' || duckrisk_identifier(second) || ' AS DOUBLE) AS b FROM ' || duckrisk_relation(original) || ' AS originals
    UNION ALL
    SELECT 1 AS side, TRY_CAST(releases.' || duckrisk_identifier(first) || ' AS DOUBLE) AS a,
        TRY_CAST(releases.' || duckrisk_identifier(second) || ' AS DOUBLE) AS b FROM ' || duckrisk_relation(release) || ' AS releases
),
numbers AS (
    SELECT side, a, b
    FROM records
    WHERE ISFINITE(a) AND ISFINITE(b)
),
ends AS (
    SELECT MIN(a) AS low_a, NULLIF(MAX(a) - MIN(a), 0) AS wide_a, MIN(b) AS low_b, NULLIF(MAX(b) - MIN(b), 0) AS wide_b
    FROM numbers
),
scaled AS (
    -- Between 0 and 1, so that decimals hold them and add up alike in any order.
    SELECT side, COALESCE((a - low_a) / wide_a, 0) AS x, COALESCE((b - low_b) / wide_b, 0) AS y
    FROM numbers, ends
),
sums AS (
    SELECT
        side,
        CAST(COUNT(*) AS DOUBLE) AS n,
        CAST(SUM(CAST(x AS DECIMAL(38, 18))) AS DOUBLE) AS x,
        CAST(SUM(CAST(y AS DECIMAL(38, 18))) AS DOUBLE) AS y,
        CAST(SUM(CAST(x * x AS DECIMAL(38, 18))) AS DOUBLE) AS xx,
        CAST(SUM(CAST(y * y AS DECIMAL(38, 18))) AS DOUBLE) AS yy,
        CAST(SUM(CAST(x * y AS DECIMAL(38, 18))) AS DOUBLE) AS xy
    FROM scaled
    GROUP BY side
),
correlations AS (
    SELECT
        side,
        CASE WHEN n * xx - x * x > 1e-12 * n * n AND n * yy - y * y > 1e-12 * n * n
            THEN (n * xy - x * y) / SQRT(n * xx - x * x) / SQRT(n * yy - y * y) END AS correlation
    FROM sums
)
SELECT
    ANY_VALUE(CASE WHEN side = 0 THEN correlation END) AS original_correlation,
    ANY_VALUE(CASE WHEN side = 1 THEN correlation END) AS correlation,
    ANY_VALUE(CASE WHEN side = 1 THEN correlation END) - ANY_VALUE(CASE WHEN side = 0 THEN correlation END) AS change
FROM correlations');

-- equivalence_classes
-- The sizes of the equivalence classes of a table: records that agree on the quasi-identifiers.
--
--   source: the table
--   columns: the quasi-identifiers that it has
--   k: a smaller class is rare
--
--   FROM equivalence_classes('retail.parquet', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO equivalence_classes(source, columns, k := 5) AS TABLE
SELECT * FROM query('WITH records AS (
    SELECT ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: duckrisk_column(each_column) || ' AS a' || each_column_number || ', '), '') || '1 AS one
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
classes AS (
    SELECT COUNT(*) AS size
    FROM records
    GROUP BY one' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ', a' || each_column_number), '') || '
)
SELECT
    COUNT(*) AS classes,
    MIN(size) AS smallest_class,
    CAST(COALESCE(SUM(CASE WHEN size < ' || duckrisk_integer(k) || ' THEN size ELSE 0 END), 0) AS BIGINT) AS records_below_k,
    CAST(COALESCE(SUM(CASE WHEN size = 1 THEN 1 ELSE 0 END), 0) AS BIGINT) AS unique_records,
    CAST(SUM(size) AS DOUBLE) / NULLIF(COUNT(*), 0) AS average_class_size,
    CAST(SUM(CAST(size AS DECIMAL(38, 0)) * size) AS DOUBLE) AS discernibility
FROM classes');

-- information_of_release
-- The information about some columns that is left in a release whose values are unchanged or *.
--
--   original: the original
--   release: the release
--   columns: the columns of the combinations; both tables have them
--
--   FROM information_of_release('retail.parquet', 'retail.parquet', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO information_of_release(original, release, columns) AS TABLE
SELECT * FROM query('WITH records AS (
    SELECT 0 AS side,
        1 AS one' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ',
        CAST(originals.' || duckrisk_identifier(each_column) || ' AS VARCHAR) AS a' || each_column_number), '') || '    FROM ' || duckrisk_relation(original) || ' AS originals
    UNION ALL
    SELECT 1 AS side,
        1 AS one' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ',
        CAST(releases.' || duckrisk_identifier(each_column) || ' AS VARCHAR) AS a' || each_column_number), '') || '    FROM ' || duckrisk_relation(release) || ' AS releases
),
originals AS (
    SELECT one' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ', a' || each_column_number), '') || ', COUNT(*) AS records,
        ROW_NUMBER() OVER () AS combination
    FROM records
    WHERE side = 0
    GROUP BY one' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ', a' || each_column_number), '') || '
),
totals AS (
    SELECT
        CAST(SUM(1 - side) AS DOUBLE) AS records,
        CAST(SUM(side) AS DOUBLE) AS released
    FROM records
),
leaves AS (
    SELECT
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '        CAST(COUNT(DISTINCT a' || each_column_number || ') + MAX(CASE WHEN a' || each_column_number || ' IS NULL THEN 1 ELSE 0 END) AS DOUBLE)
            AS n' || each_column_number || ',
'), '') || '        1 AS one
    FROM originals
),
releases AS (
    SELECT
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '        a' || each_column_number || ',
        COALESCE(a' || each_column_number || ' = ''*'', FALSE) AS s' || each_column_number || ',
'), '') || '        1 AS one,
        COUNT(*)' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '            / CASE WHEN a' || each_column_number || ' = ''*'' THEN MIN(n' || each_column_number || ') ELSE 1 END'), '') || ' AS mass
    FROM records, leaves
    WHERE side = 1
    GROUP BY side' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ', a' || each_column_number), '') || '
),
patterns AS (
    SELECT DISTINCT one' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ', s' || each_column_number), '') || ' FROM releases
),
probes AS (
    SELECT
        originals.combination' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ',
        patterns.s' || each_column_number || ',
        CASE WHEN patterns.s' || each_column_number || ' THEN ''*''
            ELSE originals.a' || each_column_number || ' END AS a' || each_column_number), '') || '
    FROM originals, patterns
),
masses AS (
    SELECT probes.combination, SUM(releases.mass ORDER BY releases.mass) AS mass
    FROM probes
    JOIN releases
        ON releases.one
            = 1' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '            AND (releases.a' || each_column_number || ' IS NOT DISTINCT FROM probes.a' || each_column_number || ')
            AND releases.s' || each_column_number || ' = probes.s' || each_column_number), '') || '
    GROUP BY probes.combination
),
shares AS (
    SELECT
        originals.records,
        originals.records / totals.records AS p,
        (COALESCE(masses.mass, 0)
            + GREATEST(totals.records - totals.released,
            0)' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ' / leaves.n' || each_column_number), '') || ')
            / GREATEST(totals.records, totals.released) AS whole,
        1.0' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ' / leaves.n' || each_column_number), '') || ' AS nothing
    FROM originals
    CROSS JOIN totals
    CROSS JOIN leaves
    LEFT JOIN masses ON masses.combination = originals.combination
),
summed AS (
    SELECT
        COUNT(*) AS combinations,
        CAST(COALESCE(SUM(CASE WHEN whole > 0 THEN 0 ELSE records END), 0) AS BIGINT) AS uncovered,
        CAST(SUM(CASE WHEN whole > 0 THEN CAST(p * LOG2(p / whole) AS DECIMAL(38, 18)) ELSE 0 END) AS DOUBLE) AS kl,
        CAST(SUM(CAST(p * LOG2(p / nothing) AS DECIMAL(38, 18))) AS DOUBLE) AS kl_of_nothing
    FROM shares
)
SELECT
    combinations,
    CASE WHEN uncovered = 0 THEN kl END AS kl,
    kl_of_nothing,
    CASE
        WHEN uncovered = 0 AND kl_of_nothing > 1e-12 THEN 1 - kl / kl_of_nothing
        WHEN uncovered = 0 AND kl < 1e-12 THEN 1.0
    END AS information,
    uncovered
FROM summed');

-- record_linkage
-- The share of records that an attacker with both tables links correctly by their numeric columns.
--
--   original: the original
--   release: the release
--   key: the key of a record; both tables have it
--   columns: the numbers to link by; both tables have them
--   most: largest number of sampled records
--   permutations: how often columns are shuffled
--   seed: of the draw and of the shuffling
--
--   FROM record_linkage('retail.parquet', 'retail.parquet', 'StockCode', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO record_linkage(original, release, key, columns, most := 100, permutations := 200, seed := 0) AS TABLE
SELECT * FROM query('WITH records AS (
    SELECT 0 AS side,
        CAST(originals.' || duckrisk_identifier(key) || ' AS VARCHAR)
        AS record' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ',
        TRY_CAST(originals.' || duckrisk_identifier(each_column) || ' AS DOUBLE) AS a' || each_column_number), '') || '    FROM ' || duckrisk_relation(original) || ' AS originals
    UNION ALL
    SELECT 1 AS side,
        CAST(releases.' || duckrisk_identifier(key) || ' AS VARCHAR)
        AS record' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ',
        TRY_CAST(releases.' || duckrisk_identifier(each_column) || ' AS DOUBLE) AS a' || each_column_number), '') || '    FROM ' || duckrisk_relation(release) || ' AS releases
),
drawn AS (
    SELECT record, ROW_NUMBER() OVER (ORDER BY MD5(' || duckrisk_integer(seed) || ' || '' '' || record), record) AS number
    FROM (
        SELECT record
        FROM records
        WHERE record IS NOT NULL
        GROUP BY record
        HAVING COUNT(*) = 2 AND SUM(side) = 1
    ) AS matched
    ORDER BY MD5(' || duckrisk_integer(seed) || ' || '' '' || record), record
    LIMIT ' || duckrisk_integer(most) || '
),
sizes AS (
    SELECT side, COUNT(*) AS size FROM records GROUP BY side
),
ranked AS (
    -- Twice the average rank, times the records of the other table: whole numbers that compare.
    SELECT
        records.side,
        records.record' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ',
        (2 * RANK() OVER (PARTITION BY records.side ORDER BY a' || each_column_number || ' NULLS LAST)
            + COUNT(*) OVER (PARTITION BY records.side, a' || each_column_number || ') - 1)
            * sizes.size AS r' || each_column_number), '') || '
    FROM records
    JOIN sizes ON sizes.side = 1 - records.side
),
originals AS (
    SELECT drawn.number' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ', r' || each_column_number), '') || '
    FROM ranked
    JOIN drawn ON drawn.record = ranked.record
    WHERE side = 0
),
releases AS (
    SELECT drawn.number' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ', r' || each_column_number), '') || '
    FROM ranked
    JOIN drawn ON drawn.record = ranked.record
    WHERE side = 1
),
shuffles AS (
    SELECT releases.*, shuffle' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ',
        ROW_NUMBER() OVER (
            PARTITION BY shuffle
            ORDER BY MD5(' || duckrisk_integer(seed) || ' || '' ' || each_column_number || ' '' || shuffle || '' '' || number), number)
            AS p' || each_column_number), '') || '
    FROM releases, RANGE(1, CAST(' || duckrisk_integer(permutations) || ' AS BIGINT) + 1) AS shuffles(shuffle)
),
candidates AS (
    SELECT CAST(0 AS BIGINT) AS shuffle, number' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ', r' || each_column_number), '') || ' FROM releases
    UNION ALL
    SELECT base.shuffle, base.number' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ', s' || each_column_number || '.r' || each_column_number), '') || '
    FROM shuffles AS base
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '    JOIN shuffles AS s' || each_column_number || ' ON s' || each_column_number || '.shuffle = base.shuffle
        AND s' || each_column_number || '.p' || each_column_number || ' = base.number
'), '') || '),
distances AS (
    SELECT
        candidates.shuffle,
        originals.number,
        candidates.number = originals.number AS own,
        GREATEST(0' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ',
            ABS(originals.r' || each_column_number || ' - candidates.r' || each_column_number || ')'), '') || ') AS distance
    FROM originals, candidates
),
nearest AS (
    SELECT shuffle, number, MIN(distance) AS least, MIN(CASE WHEN own THEN distance END) AS own
    FROM distances
    GROUP BY shuffle, number
),
ties AS (
    SELECT nearest.shuffle, nearest.number, COUNT(*) AS ties
    FROM nearest
    JOIN distances ON distances.shuffle = nearest.shuffle AND distances.number = nearest.number
        AND distances.distance = nearest.least
    WHERE nearest.own = nearest.least
    GROUP BY nearest.shuffle, nearest.number
),
rates AS (
    SELECT nearest.shuffle, CAST(SUM(CAST(COALESCE(1.0 / ties.ties, 0) AS DECIMAL(38, 18))) AS DOUBLE)
        / COUNT(*) AS rate
    FROM nearest
    LEFT JOIN ties ON ties.shuffle = nearest.shuffle AND ties.number = nearest.number
    GROUP BY nearest.shuffle
)
SELECT
    (SELECT COUNT(*) FROM originals) AS records,
    ANY_VALUE(CASE WHEN shuffle = 0 THEN rate END) AS rate,
    CAST(SUM(CAST(CASE WHEN shuffle > 0 THEN rate END AS DECIMAL(38, 18))) AS DOUBLE)
        / NULLIF(COUNT(CASE WHEN shuffle > 0 THEN 1 END), 0) AS blind_rate,
    COUNT(CASE WHEN rate >= (SELECT rate FROM rates WHERE shuffle = 0) THEN 1 END)
        / CAST(NULLIF(COUNT(*), 0) AS DOUBLE) AS p_value
FROM rates');

-- total_variation
-- The total variation distance between the original and a release over the combinations of some columns.
--
--   original: the original
--   release: the release
--   columns: the columns of the combinations; both tables have them
--
--   FROM total_variation('retail.parquet', 'retail.parquet', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO total_variation(original, release, columns) AS TABLE
SELECT * FROM query('WITH records AS (
    SELECT 0 AS side,
        1 AS one' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ',
        CAST(originals.' || duckrisk_identifier(each_column) || ' AS TEXT) AS a' || each_column_number), '') || '    FROM ' || duckrisk_relation(original) || ' AS originals
    UNION ALL
    SELECT 1 AS side,
        1 AS one' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ',
        CAST(releases.' || duckrisk_identifier(each_column) || ' AS TEXT) AS a' || each_column_number), '') || '    FROM ' || duckrisk_relation(release) || ' AS releases
),
combinations AS (
    SELECT SUM(1 - side) AS before, SUM(side) AS after
    FROM records
    GROUP BY one' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ', a' || each_column_number), '') || '
),
totals AS (
    SELECT CAST(SUM(before) AS DOUBLE) AS before, CAST(SUM(after) AS DOUBLE) AS after
    FROM combinations
),
differences AS (
    SELECT ABS(combinations.before / NULLIF(totals.before, 0) - combinations.after / NULLIF(totals.after, 0))
        AS difference
    FROM combinations, totals
)
SELECT
    COUNT(*) AS combinations,
    CAST(SUM(CAST(difference AS DECIMAL(38, 18))) AS DOUBLE) / 2 AS total_variation,
    MAX(difference) AS largest_difference
FROM differences');

-- attribute_disclosure
-- Attribute disclosure by the classes of a quasi-identifier: l-diversity, t-closeness and related measures.
--
--   source: the records
--   column_name: the sensitive attribute
--   columns: the quasi-identifiers
--   l: the l of recursive_c; NULL takes distinct_l
--
--   FROM attribute_disclosure('retail.parquet', 'StockCode', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO attribute_disclosure(source, column_name, columns, l := NULL) AS TABLE
SELECT * FROM query('WITH known AS (
    SELECT
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_name, each_name_number: duckrisk_column(each_name) || ' AS a' || each_name_number || ', '), '') || '
        ' || duckrisk_column(column_name) || ' AS value
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
cells AS (
    SELECT ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each__, each___number: 'a' || each___number || ', '), '') || 'value, COUNT(*) AS records
    FROM known
    GROUP BY ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each__, each___number: 'a' || each___number || ', '), '') || 'value
),
counts AS (
    SELECT value, CAST(SUM(records) AS BIGINT) AS records
    FROM cells
    GROUP BY value
),
places AS (
    SELECT
        value,
        records,
        ROW_NUMBER() OVER (ORDER BY value NULLS LAST) AS place,
        CAST(SUM(records) OVER (ORDER BY value NULLS LAST) AS BIGINT) AS so_far
    FROM counts
),
domain AS (
    SELECT value, records, place, so_far, CAST(SUM(so_far) OVER (ORDER BY place) AS HUGEINT) AS area
    FROM places
),
totals AS (
    SELECT CAST(SUM(records) AS HUGEINT) AS records, COUNT(*) AS distinct_values, MIN(records) AS rarest
    FROM domain
),
held AS (
    SELECT ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each__, each___number: 'cells.a' || each___number || ', '), '') || 'domain.place, cells.records
    FROM cells
    INNER JOIN domain ON (cells.value IS NOT DISTINCT FROM domain.value)
),
class_lists AS (
    SELECT
        CAST(SUM(records) AS BIGINT) AS class_records,
        COUNT(*) AS class_values,
        LIST({''place'': place, ''records'': records}) AS class_cells
    FROM held
    GROUP BY ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: 'a' || each_number), ', ') || '

),
classes AS (
    SELECT ROW_NUMBER() OVER () AS class, class_records, class_values, UNNEST(class_cells) AS cell
    FROM class_lists
),
opened AS (
    SELECT
        class, CAST(class_records AS HUGEINT) AS class_records, class_values,
        cell.place AS place, cell.records AS records
    FROM classes
),
fewest AS (
    SELECT ' || CASE WHEN l IS NULL THEN 'MIN(class_values)' ELSE 'MAX(' || duckrisk_integer(l) || ')' END || ' AS l
    FROM class_lists
),
-- From the largest count of a class down, and from the smallest index up.
ranked AS (
    SELECT
        class, class_records, class_values, place, records,
        ROW_NUMBER() OVER (PARTITION BY class ORDER BY records DESC, place) AS rank,
        CAST(SUM(records) OVER (PARTITION BY class ORDER BY place) AS HUGEINT) AS class_so_far,
        LEAD(place) OVER (PARTITION BY class ORDER BY place) AS next_place
    FROM opened
),
-- Between two values of a class its own sum is constant while that of the table exceeds it at a turning point, so
-- values missing in the class need no row.
steps AS (
    SELECT
        ranked.class,
        ranked.class_records,
        ranked.class_values,
        ranked.records,
        ranked.rank,
        domain.records AS value_records,
        ranked.place,
        COALESCE(ranked.next_place, totals.distinct_values) AS until,
        ranked.class_so_far * totals.records AS height,
        ranked.class_so_far * totals.records // ranked.class_records AS turning,
        domain.area - domain.so_far AS area_before,
        ROW_NUMBER() OVER (PARTITION BY ranked.class ORDER BY ranked.place) AS step
    FROM ranked
    INNER JOIN domain ON ranked.place = domain.place
    CROSS JOIN totals
),
turned AS (
    SELECT
        steps.class,
        steps.class_records,
        steps.class_values,
        steps.records,
        steps.rank,
        steps.value_records,
        steps.step,
        steps.place,
        steps.until,
        steps.height,
        steps.area_before,
        GREATEST(LEAST(COALESCE(domain.place, 0), steps.until - 1), steps.place - 1) AS turn
    FROM steps
    ASOF LEFT JOIN domain ON steps.turning >= domain.so_far
),
gaps AS (
    SELECT
        turned.class,
        turned.class_records,
        turned.class_values,
        turned.records,
        turned.rank,
        turned.value_records,
        CASE WHEN turned.step = 1 THEN turned.class_records * turned.area_before ELSE 0 END
        + turned.height * (2 * turned.turn - turned.place - turned.until + 2)
        + turned.class_records * (
            turned.area_before + ending.area
            - 2 * CASE WHEN turned.turn = turned.place - 1 THEN turned.area_before ELSE turning.area END
        ) AS distance
    FROM turned
    LEFT JOIN domain AS turning ON turned.turn = turning.place
    INNER JOIN (
        SELECT place + 1 AS until, area FROM domain
        UNION ALL
        SELECT 1 AS until, 0 AS area
    ) AS ending ON turned.until = ending.until
),
measured AS (
    SELECT
        gaps.class,
        gaps.class_records,
        gaps.class_values,
        MAX(gaps.records) AS largest,
        CAST(SUM(CASE WHEN gaps.rank >= fewest.l THEN gaps.records ELSE 0 END) AS BIGINT) AS tail,
        SUM(CAST(gaps.records * LN(gaps.records) AS DECIMAL(38, 15))) AS logarithms,
        SUM(GREATEST(gaps.records * totals.records - gaps.value_records * gaps.class_records, 0)) AS excess,
        SUM(gaps.distance) AS distance,
        MAX(CAST(gaps.records AS DOUBLE) * totals.records / (gaps.class_records * gaps.value_records)) AS most,
        MIN(CAST(gaps.records AS DOUBLE) * totals.records / (gaps.class_records * gaps.value_records)) AS least,
        SUM(CASE
            WHEN CAST(gaps.records AS DOUBLE) * totals.records / (gaps.class_records * gaps.value_records) - 1
                > LN(CAST(totals.records AS DOUBLE) / gaps.value_records) THEN 1
            ELSE 0
        END) AS beyond
    FROM gaps
    CROSS JOIN totals
    CROSS JOIN fewest
    GROUP BY gaps.class, gaps.class_records, gaps.class_values
),
worst AS (
    SELECT
        COUNT(*) AS classes,
        MIN(class_records) AS k,
        MAX(CAST(largest AS DOUBLE) / class_records) AS alpha,
        MIN(class_values) AS distinct_l,
        GREATEST(MIN(EXP(LN(class_records) - CAST(logarithms AS DOUBLE) / class_records)), 1) AS entropy_l,
        MAX(CAST(largest AS DOUBLE) / NULLIF(tail, 0)) AS recursive_c,
        SUM(CASE WHEN tail = 0 THEN 1 ELSE 0 END) AS without_tail,
        MAX(CAST(excess AS DOUBLE) / class_records) AS excess,
        MAX(CAST(distance AS DOUBLE) / class_records) AS distance,
        MAX(most) AS most,
        MIN(least) AS least,
        CAST(SUM(beyond) AS BIGINT) AS beyond,
        CAST(SUM(CASE WHEN class_values = 1 THEN 1 ELSE 0 END) AS BIGINT) AS homogeneous_classes,
        CAST(SUM(CASE WHEN class_values = 1 THEN class_records ELSE 0 END) AS BIGINT) AS homogeneous_records
    FROM measured
)
SELECT
    CAST(COALESCE(totals.records, 0) AS BIGINT) AS records,
    worst.classes,
    totals.distinct_values,
    CAST(worst.k AS BIGINT) AS k,
    worst.alpha,
    worst.distinct_l,
    worst.entropy_l,
    CAST(fewest.l AS BIGINT) AS recursive_l,
    CASE WHEN worst.without_tail = 0 THEN worst.recursive_c END AS recursive_c,
    worst.excess / totals.records AS equal_t,
    CASE
        WHEN totals.distinct_values = 1 THEN 0
        ELSE worst.distance / totals.records / (totals.distinct_values - 1)
    END AS ordered_t,
    worst.most - 1 AS basic_beta,
    LEAST(worst.most - 1, LN(CAST(totals.records AS DOUBLE) / totals.rarest)) AS enhanced_beta,
    COALESCE(worst.beyond, 0) AS beyond_enhanced,
    GREATEST(LN(worst.most), -LN(worst.least)) AS delta,
    COALESCE(worst.homogeneous_classes, 0) AS homogeneous_classes,
    COALESCE(worst.homogeneous_records, 0) AS homogeneous_records,
    CAST(worst.homogeneous_records AS DOUBLE) / NULLIF(totals.records, 0) AS share_homogeneous
FROM worst
CROSS JOIN totals
CROSS JOIN fewest');

-- attribute_disclosure_users
-- Attribute disclosure by classes of users with the same history: as attribute_disclosure, for users.
--
--   source: the records
--   user_column: of the record
--   column_name: the sensitive attribute
--   columns: the quasi-identifiers
--
--   FROM attribute_disclosure_users('retail.parquet', 'CustomerID', 'StockCode', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO attribute_disclosure_users(source, user_column, column_name, columns) AS TABLE
SELECT * FROM query('WITH known AS (
    SELECT
        ' || duckrisk_column(user_column) || ' AS person,
        ROW(' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: duckrisk_column(each_item)), ', ') || ') AS record,
        ' || duckrisk_column(column_name) || ' AS value
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
profiles AS (
    SELECT person, LIST(record ORDER BY record) AS profile
    FROM known
    WHERE person IS NOT NULL
    GROUP BY person
),
classes AS MATERIALIZED (
    SELECT ROW_NUMBER() OVER () AS class, people
    FROM (SELECT LIST(person) AS people FROM profiles GROUP BY profile) AS alike
),
members AS MATERIALIZED (
    SELECT class, UNNEST(people) AS person
    FROM classes
),
sizes AS (
    SELECT class, COUNT(*) AS n
    FROM members
    GROUP BY class
),
held AS MATERIALIZED (
    SELECT members.class, told.person, told.value
    FROM (SELECT DISTINCT person, value FROM known WHERE person IS NOT NULL) AS told
    JOIN members ON members.person = told.person
),
wholes AS MATERIALIZED (
    SELECT class, person, LIST(value ORDER BY value NULLS LAST) AS value
    FROM held
    GROUP BY class, person
),
totals AS (
    SELECT
        CAST(COUNT(*) AS HUGEINT) AS n,
        COUNT(DISTINCT value) AS different,
        MAX(LEN(value)) AS most_values
    FROM wholes
),
value_counts AS (
    SELECT value, CAST(COUNT(*) AS HUGEINT) AS n
    FROM held
    GROUP BY value
),
cells AS (
    SELECT held.class, held.value, CAST(COUNT(*) AS HUGEINT) AS n
    FROM held
    GROUP BY held.class, held.value
),
ratios AS (
    SELECT
        cells.class,
        cells.n,
        CAST(cells.n AS DOUBLE) * totals.n / (sizes.n * value_counts.n) AS ratio,
        LN(CAST(totals.n AS DOUBLE) / value_counts.n) AS surprise
    FROM cells
    JOIN sizes ON sizes.class = cells.class
    JOIN value_counts ON (value_counts.value IS NOT DISTINCT FROM cells.value)
    CROSS JOIN totals
),
gains AS (
    SELECT
        class,
        MAX(n) AS largest,
        MAX(ratio) AS most,
        MIN(ratio) AS least,
        SUM(CASE WHEN ratio - 1 > surprise THEN 1 ELSE 0 END) AS beyond
    FROM ratios
    GROUP BY class
),
set_counts AS (
    SELECT value, CAST(COUNT(*) AS HUGEINT) AS n
    FROM wholes
    GROUP BY value
),
set_cells AS (
    SELECT class, value, CAST(COUNT(*) AS HUGEINT) AS n
    FROM wholes
    GROUP BY class, value
),
groups AS (
    SELECT
        gains.class,
        sizes.n,
        gains.most,
        gains.least,
        gains.beyond,
        CAST(gains.largest AS DOUBLE) / sizes.n AS alpha,
        gains.largest = sizes.n AS homogeneous,
        CASE WHEN gains.largest = sizes.n THEN 1 ELSE different.n END AS l
    FROM gains
    JOIN sizes ON sizes.class = gains.class
    JOIN (SELECT class, COUNT(*) AS n FROM set_cells GROUP BY class) AS different ON different.class = gains.class
),
fewest AS (
    SELECT MIN(l) AS l
    FROM groups
),
ranked AS (
    SELECT
        set_cells.class,
        set_cells.n,
        set_counts.n AS set_n,
        ROW_NUMBER() OVER (PARTITION BY set_cells.class ORDER BY set_cells.n DESC) AS rank
    FROM set_cells
    JOIN set_counts ON set_counts.value = set_cells.value
),
diversities AS (
    SELECT
        ranked.class,
        MAX(ranked.n) AS largest,
        SUM(CASE WHEN ranked.rank >= fewest.l THEN ranked.n ELSE 0 END) AS tail,
        SUM(CAST(ranked.n * LN(ranked.n) AS DECIMAL(38, 15))) AS logarithms,
        SUM(GREATEST(ranked.n * totals.n - ranked.set_n * groups.n, 0)) AS excess
    FROM ranked
    JOIN groups ON groups.class = ranked.class
    CROSS JOIN totals
    CROSS JOIN fewest
    GROUP BY ranked.class
),
places AS MATERIALIZED (
    SELECT value, SUM(n) OVER (ORDER BY value[1] NULLS LAST) AS so_far
    FROM set_counts
    WHERE (SELECT most_values FROM totals) = 1
        AND (SELECT COUNT(*) FROM classes) * (SELECT different FROM totals) <= 20000000
),
climbing AS (
    SELECT
        groups.class,
        groups.n,
        places.so_far,
        SUM(COALESCE(set_cells.n, 0)) OVER (PARTITION BY groups.class ORDER BY places.so_far) AS class_so_far
    FROM groups
    CROSS JOIN places
    LEFT JOIN set_cells ON set_cells.class = groups.class AND set_cells.value = places.value
),
distances AS (
    SELECT
        climbing.class,
        CAST(SUM(ABS(climbing.class_so_far * totals.n - climbing.so_far * climbing.n)) AS DOUBLE)
            / climbing.n AS distance
    FROM climbing
    CROSS JOIN totals
    GROUP BY climbing.class, climbing.n
),
worst AS (
    SELECT
        MIN(groups.n) AS k,
        MAX(groups.alpha) AS alpha,
        MIN(groups.l) AS distinct_l,
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
        CAST(COALESCE(SUM(CASE WHEN groups.homogeneous THEN groups.n END), 0) AS BIGINT) AS homogeneous_records
    FROM groups
    JOIN diversities ON diversities.class = groups.class
)
SELECT
    CAST(totals.n AS BIGINT) AS records,
    (SELECT COUNT(*) FROM classes) AS classes,
    (SELECT COUNT(*) FROM value_counts) AS distinct_values,
    CAST(worst.k AS BIGINT) AS k,
    worst.alpha,
    CAST(worst.distinct_l AS BIGINT) AS distinct_l,
    worst.entropy_l,
    CAST(worst.distinct_l AS BIGINT) AS recursive_l,
    worst.recursive_c,
    worst.excess / totals.n AS equal_t,
    CASE
        WHEN totals.most_values > 1 THEN NULL
        WHEN totals.different = 1 THEN 0
        ELSE (SELECT MAX(distance) FROM distances) / totals.n / (totals.different - 1)
    END AS ordered_t,
    worst.most - 1 AS basic_beta,
    LEAST(worst.most - 1, (SELECT MAX(surprise) FROM ratios)) AS enhanced_beta,
    COALESCE(worst.beyond, 0) AS beyond_enhanced,
    GREATEST(LN(worst.most), -LN(worst.least)) AS delta,
    worst.homogeneous_classes,
    worst.homogeneous_records,
    CAST(worst.homogeneous_records AS DOUBLE) / NULLIF(totals.n, 0) AS share_homogeneous
FROM worst
CROSS JOIN totals');

-- attribute_sets
-- Distinction, separation and uniqueness of each small attribute set.
--
--   source: the records
--   columns: the attributes an attacker may know
--   max_size: attributes of a set at most
--
--   FROM attribute_sets('retail.parquet', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO attribute_sets(source, columns, max_size := 3) AS TABLE
SELECT * FROM query('WITH records AS (
    SELECT
        1 AS record
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '        , ' || duckrisk_column(each_column) || ' AS v' || (each_column_number - 1) || '
'), '') || '    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: 'codes' || (each_column_number - 1) || ' AS MATERIALIZED (
    SELECT value, ROW_NUMBER() OVER () AS code
    FROM (SELECT DISTINCT v' || (each_column_number - 1) || ' AS value FROM records) AS different
    WHERE value IS NOT NULL
),
'), '') || 'combinations AS MATERIALIZED (
    SELECT
        COUNT(*) AS records,
        CASE WHEN COUNT(*) = 1 THEN ANY_VALUE(record) END AS record
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '        , COALESCE(codes' || (each_column_number - 1) || '.code, 0) AS c' || (each_column_number - 1) || '
'), '') || '    FROM records
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '    LEFT JOIN codes' || (each_column_number - 1) || ' ON codes' || (each_column_number - 1) || '.value = records.v' || (each_column_number - 1) || '
'), '') || '    GROUP BY ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: 'COALESCE(codes' || (each_number - 1) || '.code, 0)'), ', ') || '

),
attributes AS MATERIALIZED (
    SELECT place - 1 AS position, names[place] AS name, CAST(1 AS BIGINT) << (place - 1) AS bit
    FROM (SELECT [' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: duckrisk_text(each_item)), ', ') || '] AS names) AS given
    CROSS JOIN (SELECT UNNEST(RANGE(1, ' || len(CAST(columns AS VARCHAR[])) || ' + 1)) AS place) AS places
),
sets AS MATERIALIZED (
    SELECT mask
    FROM (SELECT UNNEST(RANGE(1, 1 << ' || len(CAST(columns AS VARCHAR[])) || ')) AS mask) AS masks
    WHERE BIT_COUNT(mask) <= ' || duckrisk_integer(max_size) || '
),
classes AS (
    SELECT mask, SUM(records) AS records
    FROM combinations
    CROSS JOIN sets
    GROUP BY mask' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ',
        CASE WHEN ((mask >> ' || (each_column_number - 1) || ') & 1) = 1 THEN c' || (each_column_number - 1) || ' END'), '') || '
),
counted AS MATERIALIZED (
    SELECT
        mask,
        CAST(SUM(records) AS DOUBLE) AS records,
        COUNT(*) AS classes,
        COUNT(CASE WHEN records = 1 THEN 1 END) AS singled,
        CAST(SUM(CAST(records AS HUGEINT) * records) AS DOUBLE) AS squares,
        CAST(MIN(records) AS BIGINT) AS smallest
    FROM classes
    GROUP BY mask
)
SELECT
    (SELECT LIST(name ORDER BY position) FROM attributes WHERE (counted.mask & attributes.bit) <> 0) AS attributes,
    classes,
    classes / records AS distinction,
    1 - (squares - records) / NULLIF(records * (records - 1), 0) AS separation,
    singled AS singled_out,
    singled / records AS share_singled_out,
    smallest AS smallest_class
FROM counted
ORDER BY BIT_COUNT(mask), singled DESC, classes DESC, mask');

-- class_sizes
-- The sizes of the equivalence classes of records, and the records lost if a minimum size is required.
--
--   source: the records
--   columns: the quasi-identifiers
--
--   FROM class_sizes('retail.parquet', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO class_sizes(source, columns) AS TABLE
SELECT * FROM query('WITH records AS (
    SELECT ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: duckrisk_column(each_column) || ' AS a' || each_column_number || ', '), '') || '1 AS one
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
classes AS (
    SELECT COUNT(*) AS class_size
    FROM records
    GROUP BY one' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ', a' || each_column_number), '') || '
),
sizes AS (
    SELECT class_size, COUNT(*) AS classes, CAST(SUM(class_size) AS BIGINT) AS records
    FROM classes
    GROUP BY class_size
),
below AS (
    SELECT
        class_size,
        classes,
        records,
        CAST(COALESCE(SUM(records) OVER (
            ORDER BY class_size ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0) AS BIGINT) AS records_below,
        SUM(records) OVER () AS all_records
    FROM sizes
)
SELECT
    class_size,
    classes,
    records,
    records_below,
    CAST(records_below AS DOUBLE) / CAST(all_records AS DOUBLE) AS share_below
FROM below
ORDER BY class_size');

-- class_sizes_users
-- The sizes of the classes of users with the same history on the quasi-identifiers.
--
--   source: the records
--   user_column: of the record
--   columns: the quasi-identifiers
--
--   FROM class_sizes_users('retail.parquet', 'CustomerID', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO class_sizes_users(source, user_column, columns) AS TABLE
SELECT * FROM query('WITH known AS (
    SELECT
        ' || duckrisk_column(user_column) || ' AS person,
        ROW(' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: duckrisk_column(each_item)), ', ') || ') AS record
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
profiles AS (
    SELECT LIST(record ORDER BY record) AS profile
    FROM known
    WHERE person IS NOT NULL
    GROUP BY person
),
classes AS (
    SELECT COUNT(*) AS class_size
    FROM profiles
    GROUP BY profile
),
sizes AS (
    SELECT class_size, COUNT(*) AS classes, CAST(SUM(class_size) AS BIGINT) AS records
    FROM classes
    GROUP BY class_size
),
below AS (
    SELECT
        class_size,
        classes,
        records,
        CAST(COALESCE(SUM(records) OVER (
            ORDER BY class_size ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0) AS BIGINT) AS records_below,
        SUM(records) OVER () AS all_records
    FROM sizes
)
SELECT
    class_size,
    classes,
    records,
    records_below,
    CAST(records_below AS DOUBLE) / CAST(all_records AS DOUBLE) AS share_below
FROM below
ORDER BY class_size');

-- direct_identifiers
-- The kinds of direct identifiers in columns, by the form of their values and by check digits.
--
--   source: the records
--   columns: the columns to examine
--   missing_tokens: further texts of a missing value
--   named: what names of columns suggest: '0 My Number' of the first column
--
--   FROM direct_identifiers('retail.parquet', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO direct_identifiers(source, columns, missing_tokens := NULL, named := NULL) AS TABLE
SELECT * FROM query('WITH different AS MATERIALIZED (
    -- Combined first: the engine would otherwise set up all that follows for each column. With many columns and few
    -- records, values are read in one pass.
' || CASE WHEN len(CAST(columns AS VARCHAR[])) > 32 THEN '    SELECT place, cell, COUNT(*) AS cells
    FROM (
        SELECT
            UNNEST(RANGE(1, ' || (len(CAST(columns AS VARCHAR[])) + 1) || ')) AS place,
            UNNEST([' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: 'CAST(' || duckrisk_column(each_item) || ' AS VARCHAR)'), ', ') || ']) AS cell
        FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
    ) AS every_cell
    GROUP BY place, cell
' ELSE array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '    SELECT ' || each_column_number || ' AS place, CAST(' || duckrisk_column(each_column) || ' AS VARCHAR) AS cell, COUNT(*) AS cells
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
    GROUP BY ' || duckrisk_column(each_column) || '
' || CASE WHEN NOT (each_column_number = len(CAST(columns AS VARCHAR[]))) THEN '    UNION ALL
' ELSE '' END), '') END || '),
kinds (bit, kind, chance) AS (
    VALUES
        (1, ''e-mail address'', CAST(1.0 AS DOUBLE)),
        (2, ''telephone number'', 1.0),
        (4, ''postal code'', 1.0),
        (8, ''web address'', 1.0),
        (16, ''network address'', 1.0),
        (32, ''device address (MAC)'', 1.0),
        (64, ''full date'', 1.0),
        (128, ''payment card number'', 0.1),
        (256, ''device number (IMEI)'', 0.1),
        (512, ''My Number'', 1.0 / 11),
        (1024, ''bank account (IBAN)'', 1.0 / 97),
        (2048, ''vehicle identification number'', 1.0 / 11),
        (4096, ''US social security number'', 1.0)
),
-- Contribution of each four digits to Luhn''s sum: every second digit from the right is doubled, and its digits are
-- added up.
fours AS (
    SELECT LIST(
        n % 10 + [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][n // 10 % 10 + 1]
        + n // 100 % 10 + [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][n // 1000 + 1]
        ORDER BY n
    ) AS sums
    FROM RANGE(10000) AS every (n)
),
-- A number with enough digits is an integer if it is written with the decimals ".0".
texts AS (
    SELECT
        place,
        cells,
        CASE
            WHEN cell LIKE ''%.0'' AND LENGTH(cell) > 10 AND REGEXP_FULL_MATCH(cell, ''[0-9]+\.0'')
                THEN REPLACE(cell, ''.0'', '''')
            WHEN cell LIKE '' %'' OR cell LIKE ''% '' OR STRLEN(cell) > LENGTH(cell) THEN TRIM(cell)
            ELSE cell
        END AS trimmed
    FROM different
),
present AS (
    SELECT
        place,
        cells,
        CASE
            WHEN trimmed
                IN (''''' || CASE WHEN NOT (CAST(missing_tokens AS VARCHAR[]) IS NULL) THEN array_to_string(list_transform(CAST(missing_tokens AS VARCHAR[]), lambda each_token, each_token_number: ',
                ' || duckrisk_text(each_token)), '') ELSE '' END || ') THEN NULL
            WHEN STRLEN(trimmed) = LENGTH(trimmed) THEN trimmed
            ELSE TRANSLATE(
                trimmed,
                CHR(65296) || CHR(65297) || CHR(65298) || CHR(65299) || CHR(65300) || CHR(65301) || CHR(65302)
                || CHR(65303) || CHR(65304) || CHR(65305) || CHR(65293) || CHR(65291) || CHR(12288),
                ''0123456789-+ ''
            )
        END AS written
    FROM texts
),
-- Most numbers are digits alone: a cast recognises them faster than a pattern.
digits AS (
    SELECT
        place,
        cells,
        written,
        LENGTH(written) AS signs,
        COALESCE(CAST(
            TRY_CAST(CASE WHEN written BETWEEN ''1'' AND '':'' AND LENGTH(written) <= 19 THEN written END AS BIGINT)
            AS VARCHAR) = written, FALSE) AS plain
    FROM present
),
-- Values without any of these characters have the shape of no kind.
others AS (
    SELECT
        place,
        cells,
        written,
        signs,
        plain,
        CASE WHEN NOT plain AND signs >= 3 THEN REGEXP_MATCHES(written, ''[0-9@:]|^[Ww][Ww][Ww]\.|^(..-){5}..$'')
            ELSE FALSE END AS other
    FROM digits
),
-- A pattern is tried only where the length, or one sign, lets it match.
packed AS (
    SELECT
        place,
        cells,
        written,
        signs,
        other,
        CASE WHEN other AND signs >= 7 THEN REGEXP_FULL_MATCH(written, ''\+?[0-9 .()\-]+'') ELSE FALSE END AS numeric,
        CASE
            WHEN plain THEN written
            -- The dots of a network address part four numbers, and no digits of one.
            WHEN numeric AND signs >= 10 AND NOT REGEXP_FULL_MATCH(
                written, ''((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\.){3}(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])''
            )
                THEN REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(written, '' '', ''''), ''-'', ''''), ''.'', ''''), ''('', ''''), '')'', '''')
        END AS number,
        CASE
            WHEN other AND signs >= 15 AND REGEXP_FULL_MATCH(
                UPPER(written),
                    ''[ .()\-]*[A-Z][ .()\-]*[A-Z][ .()\-]*[0-9][ .()\-]*[0-9][ .()\-]*([A-Z0-9][ .()\-]*){11,30}''
            ) THEN REGEXP_REPLACE(UPPER(written), ''[ .()\-]'', '''', ''g'')
        END AS account,
        CASE
            WHEN other AND signs = 17 AND REGEXP_FULL_MATCH(UPPER(written), ''[A-HJ-NPR-Z0-9]{17}'')
                AND REGEXP_MATCHES(UPPER(written), ''[A-Z]'') AND REGEXP_MATCHES(written, ''[0-9]'')
                THEN UPPER(written)
        END AS vehicle
    FROM others
),
numbers AS (
    SELECT
        place,
        cells,
        written,
        signs,
        other,
        numeric,
        LENGTH(number) AS number_signs,
        CASE WHEN number >= ''0'' AND LENGTH(number) BETWEEN 12 AND 19 THEN LENGTH(number) ELSE 0 END AS length,
        number BETWEEN ''2'' AND ''7'' AS of_cards,
        TRY_CAST(CASE WHEN number >= ''0'' AND LENGTH(number) BETWEEN 12 AND 19 THEN number END AS BIGINT) AS number,
        -- Each country of the register has a length and an alphabet of its own.
        CASE WHEN account IS NOT NULL AND REGEXP_FULL_MATCH(
            account,
            ''AD[0-9]{10}[A-Z0-9]{12}|(AE|IL|SO|TL)[0-9]{21}|(AL|CY)[0-9]{10}[A-Z0-9]{16}''
            || ''|(AT|BA|EE|LT|MN|XK)[0-9]{18}|AZ[0-9]{2}[A-Z]{4}[A-Z0-9]{20}|BE[0-9]{14}''
            || ''|BG[0-9]{2}[A-Z]{4}[0-9]{6}[A-Z0-9]{8}|BH[0-9]{2}[A-Z]{4}[A-Z0-9]{14}|BR[0-9]{25}[A-Z][A-Z0-9]''
            || ''|BY[0-9]{2}[A-Z0-9]{4}[0-9]{4}[A-Z0-9]{16}|(CH|LI)[0-9]{7}[A-Z0-9]{12}|(CR|DE|ME|RS|VA)[0-9]{20}''
            || ''|(CZ|ES|SE|SK|TN)[0-9]{22}|(DJ|MR)[0-9]{25}|(DK|FI|FO|GL|SD)[0-9]{16}''
            || ''|DO[0-9]{2}[A-Z0-9]{4}[0-9]{20}|EG[0-9]{27}|FK[0-9]{2}[A-Z]{2}[0-9]{12}''
            || ''|(FR|MC)[0-9]{12}[A-Z0-9]{11}[0-9]{2}|(GB|IE)[0-9]{2}[A-Z]{4}[0-9]{14}''
            || ''|GE[0-9]{2}[A-Z]{2}[0-9]{16}|GI[0-9]{2}[A-Z]{4}[A-Z0-9]{15}|GR[0-9]{9}[A-Z0-9]{16}''
            || ''|GT[0-9]{2}[A-Z0-9]{24}|(HN|NI|SV)[0-9]{2}[A-Z]{4}[0-9]{20}|HR[0-9]{19}|(HU|PL)[0-9]{26}''
            || ''|IQ[0-9]{2}[A-Z]{4}[0-9]{15}|IS[0-9]{24}|(IT|SM)[0-9]{2}[A-Z][0-9]{10}[A-Z0-9]{12}''
            || ''|(JO|YE)[0-9]{2}[A-Z]{4}[0-9]{4}[A-Z0-9]{18}|KW[0-9]{2}[A-Z]{4}[A-Z0-9]{22}''
            || ''|(KZ|LU)[0-9]{5}[A-Z0-9]{13}|LB[0-9]{6}[A-Z0-9]{20}|LC[0-9]{2}[A-Z]{4}[A-Z0-9]{24}''
            || ''|LV[0-9]{2}[A-Z]{4}[A-Z0-9]{13}|(LY|PT|ST)[0-9]{23}|MD[0-9]{2}[A-Z0-9]{20}''
            || ''|MK[0-9]{5}[A-Z0-9]{10}[0-9]{2}|MT[0-9]{2}[A-Z]{4}[0-9]{5}[A-Z0-9]{18}''
            || ''|MU[0-9]{2}[A-Z]{4}[0-9]{19}[A-Z]{3}|NL[0-9]{2}[A-Z]{4}[0-9]{10}|NO[0-9]{13}''
            || ''|OM[0-9]{5}[A-Z0-9]{16}|(PK|RO)[0-9]{2}[A-Z]{4}[A-Z0-9]{16}|(PS|QA)[0-9]{2}[A-Z]{4}[A-Z0-9]{21}''
            || ''|RU[0-9]{16}[A-Z0-9]{15}|SA[0-9]{4}[A-Z0-9]{18}|SC[0-9]{2}[A-Z]{4}[0-9]{20}[A-Z]{3}|SI[0-9]{17}''
            || ''|TR[0-9]{8}[A-Z0-9]{16}|UA[0-9]{8}[A-Z0-9]{19}|VG[0-9]{2}[A-Z]{4}[0-9]{16}''
        ) THEN account END AS account,
        vehicle
    FROM packed
),
-- A number that does not fit into 64 bits begins with 9, and no card does.
rests AS (
    SELECT
        place,
        cells,
        written,
        signs,
        other,
        numeric,
        number_signs,
        length,
        of_cards,
        CASE WHEN length >= 13 THEN (
            sums[number % 10000 + 1] + sums[number // 10000 % 10000 + 1] + sums[number // 100000000 % 10000 + 1]
            + sums[number // 1000000000000 % 10000 + 1] + sums[number // 10000000000000000 + 1]
        ) % 10 END AS luhn,
        number % 10 AS last,
        CASE WHEN length = 12 THEN (
            number // 10 % 10 * 2 + number // 100 % 10 * 3 + number // 1000 % 10 * 4 + number // 10000 % 10 * 5
            + number // 100000 % 10 * 6 + number // 1000000 % 10 * 7 + number // 10000000 % 10 * 2
            + number // 100000000 % 10 * 3 + number // 1000000000 % 10 * 4 + number // 10000000000 % 10 * 5
            + number // 100000000000 * 6
        ) % 11 END AS personal,
        CASE WHEN account IS NOT NULL THEN LIST_REDUCE(
            LIST_TRANSFORM(
                STRING_SPLIT(SUBSTRING(account, 5) || SUBSTRING(account, 1, 4), ''''),
                lambda sign: CASE WHEN sign <= ''9'' THEN CAST(TRY_CAST(sign AS INTEGER) AS BIGINT)
                    ELSE CAST(ASCII(sign) - 55 AS BIGINT) END
            ),
            lambda so_far, sign: (so_far * CASE WHEN sign > 9 THEN 100 ELSE 10 END + sign) % 97
        ) END AS bank,
        CASE WHEN vehicle IS NOT NULL THEN LIST_SUM(LIST_TRANSFORM(
            STRING_SPLIT(vehicle, ''''),
            lambda sign, place: [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2][place]
                * CAST(''0123456789.12345678012345070923456789''[STRPOS(''0123456789.ABCDEFGHIJKLMNOPQRSTUVWXYZ'', sign)]
                    AS INTEGER)
        )) % 11 END AS car,
        SUBSTRING(vehicle, 9, 1) AS car_check
    FROM numbers
    CROSS JOIN fours
),
-- The kinds of a value as a sum of bits: kinds without check digits, with check digits, and with right ones.
shapes AS (
    SELECT
        place,
        cells,
        written,
        CASE WHEN other THEN
            CASE
                -- Lengths are compared here, as an engine takes long to read a pattern that counts letters of all
                -- scripts.
                WHEN signs <= 254 AND STRPOS(written, ''@'') BETWEEN 2 AND 65
                    AND LENGTH(STRING_SPLIT(written, ''.'')[-1]) <= 63
                    AND REGEXP_FULL_MATCH(written, ''[^\s@<>"]+@([\w\-]+\.)+\pL\pL+'') THEN 1
                ELSE 0
            END
            + CASE
                WHEN number_signs BETWEEN 10 AND 16 AND (
                    REGEXP_FULL_MATCH(written, ''(\+[0-9]{1,3}[ .\-]?)(\(?[0-9]{1,5}\)?[ .\-]?){1,5}[0-9]{2,5}'')
                    OR REGEXP_FULL_MATCH(written, ''0[0-9]{1,4}[ .\-][0-9]{1,5}[ .\-][0-9]{3,5}|0[5789]0[0-9]{8}'')
                    OR REGEXP_FULL_MATCH(
                        written,
                        ''\(0?[0-9]{2,4}\)[ .\-]?[0-9]{3,4}[ .\-]?[0-9]{3,4}''
                            || ''|[2-9][0-9]{2}[.\-][0-9]{3}[.\-][0-9]{4}'')
                ) THEN 2
                ELSE 0
            END
            + CASE
                WHEN signs BETWEEN 6 AND 10 AND REGEXP_FULL_MATCH(
                    UPPER(written),
                    ''\x{3012}? ?[0-9]{3}-[0-9]{4}|[0-9]{5}-[0-9]{4}''
                        || ''|[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][A-Z]{2}|[A-Z][0-9][A-Z] [0-9][A-Z][0-9]''
                ) THEN 4
                ELSE 0
            END
            + CASE
                WHEN (CONTAINS(written, ''://'') OR CONTAINS(written, ''.''))
                    AND REGEXP_MATCHES(LOWER(written), ''^(https?|ftp)://[^\s]+$|^www\.[^\s]+\.[^\s]+$'') THEN 8
                ELSE 0
            END
            + CASE
                WHEN numeric AND signs <= 15 AND REGEXP_FULL_MATCH(
                    written,
                    ''((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\.){3}''
                        || ''(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])''
                ) THEN 16
                WHEN signs <= 65 AND CONTAINS(written, '':'') AND REGEXP_FULL_MATCH(
                    LOWER(written),
                    ''([0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|([0-9a-f]{1,4}:){1,7}:([0-9a-f]{1,4}(:[0-9a-f]{1,4}){0,5})?''
                ) THEN 16
                ELSE 0
            END
            + CASE WHEN signs = 17 AND REGEXP_FULL_MATCH(LOWER(written), ''([0-9a-f]{2}[:\-]){5}[0-9a-f]{2}'') THEN 32
                ELSE 0 END
            + CASE
                WHEN SUBSTRING(written, 1, 2) IN (''18'', ''19'', ''20'') AND REGEXP_FULL_MATCH(
                    written, ''(1[89]|20)[0-9]{2}([-/.])(0?[1-9]|1[0-2])[-/.](0?[1-9]|[12][0-9]|3[01])( .*|T.*)?''
                ) THEN 64
                WHEN signs BETWEEN 8 AND 10 AND REGEXP_FULL_MATCH(
                    written,
                    ''(0?[1-9]|[12][0-9]|3[01])[-/.](0?[1-9]|1[0-2])[-/.](1[89]|20)[0-9]{2}''
                        || ''|(0?[1-9]|1[0-2])/(0?[1-9]|[12][0-9]|3[01])/(1[89]|20)[0-9]{2}''
                ) THEN 64
                WHEN CONTAINS(written, CHR(26085)) AND REGEXP_FULL_MATCH(
                    written,
                    ''(\x{660E}\x{6CBB}|\x{5927}\x{6B63}|\x{662D}\x{548C}|\x{5E73}\x{6210}|\x{4EE4}\x{548C}|[MTSHR])?''
                        || ''[0-9\x{5143}]{1,4}\x{5E74} ?[0-9]{1,2}\x{6708} ?[0-9]{1,2}\x{65E5}''
                ) THEN 64
                ELSE 0
            END
        ELSE 0 END AS unchecked,
        CASE WHEN length >= 13 AND of_cards THEN 128 ELSE 0 END
        -- Two rests of the sum make the check digit of a My Number 0, and one each of the others.
        + CASE length WHEN 15 THEN 256 WHEN 12 THEN CASE WHEN last = 0 THEN 512 + 8192 ELSE 512 END ELSE 0 END
        + CASE WHEN bank IS NOT NULL THEN 1024 ELSE 0 END
        + CASE WHEN car IS NOT NULL THEN 2048 ELSE 0 END
        + CASE WHEN numeric AND signs = 11 AND REGEXP_FULL_MATCH(written, ''[0-8][0-9]{2}-[0-9]{2}-[0-9]{4}'') THEN 4096
            ELSE 0 END AS checked,
        CASE WHEN luhn = 0 THEN 128 + 256 ELSE 0 END
        + CASE WHEN CASE WHEN personal <= 1 THEN 0 ELSE 11 - personal END = last THEN 512 ELSE 0 END
        + CASE WHEN bank = 1 THEN 1024 ELSE 0 END
        + CASE WHEN CASE WHEN car = 10 THEN ''X'' ELSE CAST(car AS VARCHAR) END = car_check THEN 2048 ELSE 0 END
        + CASE WHEN numeric AND signs = 11 AND NOT REGEXP_MATCHES(written, ''^(000|666)|-00-|-0000$'') THEN 4096
            ELSE 0 END AS fitting
    FROM rests
),
counted AS (
    SELECT
        place,
        unchecked + checked AS shaped,
        unchecked + (checked & fitting) AS valid,
        SUM(CASE WHEN written IS NOT NULL THEN cells END) AS cells,
        COUNT(DISTINCT CASE WHEN unchecked + checked > 0 THEN written END) AS different_values
    FROM shapes
    GROUP BY place, unchecked + checked, unchecked + (checked & fitting)
),
places AS (
    SELECT UNNEST(RANGE(' || len(CAST(columns AS VARCHAR[])) || ')) + 1 AS place
),
found AS (
    SELECT
        CAST(places.place - 1 AS INTEGER) AS position,
        kinds.kind,
        CAST(COALESCE(SUM(counted.cells), 0) AS BIGINT) AS present_cells,
        CAST(COALESCE(SUM(CASE WHEN counted.shaped & kinds.bit > 0 THEN counted.cells END), 0) AS BIGINT)
            AS shaped_cells,
        CAST(COALESCE(SUM(CASE WHEN counted.valid & kinds.bit > 0 THEN counted.cells END), 0) AS BIGINT)
            AS valid_cells,
        CAST(COALESCE(SUM(CASE WHEN counted.shaped & kinds.bit > 0 THEN counted.different_values END), 0) AS BIGINT)
            AS shaped_values,
        CAST(COALESCE(SUM(CASE WHEN counted.valid & kinds.bit > 0 THEN counted.different_values END), 0) AS BIGINT)
            AS valid_values,
        CAST(COALESCE(
            SUM(CASE WHEN counted.shaped & kinds.bit > 0
            THEN counted.cells * CASE WHEN kinds.bit = 512 AND counted.shaped & 8192 > 0 THEN 2 ELSE 1 END END), 0)
            AS DOUBLE) * kinds.chance AS by_chance,
        CAST(COALESCE(
            SUM(CASE WHEN counted.shaped & kinds.bit > 0
            THEN counted.different_values
                * CASE WHEN kinds.bit = 512 AND counted.shaped & 8192 > 0 THEN 2 ELSE 1 END END), 0)
            AS DOUBLE) * kinds.chance AS values_by_chance
    FROM places
    CROSS JOIN kinds
    LEFT JOIN counted ON counted.place = places.place
    GROUP BY places.place, kinds.kind, kinds.chance
)
-- Twice the mean: less can follow from how numbers are assigned. 1e-6: of 1,000 tables with 1,000 columns of codes,
-- 999 have no likely column. 1e-9 is above the rounding of the sum; with all values valid the bound is exact.
SELECT
    position,
    kind,
    present_cells,
    shaped_cells,
    valid_cells,
    shaped_values,
    valid_values,
    by_chance,
    values_by_chance,
    CASE
        WHEN values_by_chance >= shaped_values THEN valid_values > 0
        WHEN valid_values < 2 * values_by_chance THEN FALSE
        ELSE valid_values * LN(valid_values / values_by_chance) + CASE
            WHEN valid_values < shaped_values
                THEN (shaped_values - valid_values)
                    * LN((shaped_values - valid_values) / (shaped_values - values_by_chance))
            ELSE 0
        END >= -1e-9 - LN(' || CASE WHEN NOT (CAST(named AS VARCHAR[]) IS NULL) THEN 'CASE WHEN position || '' '' || kind IN (''''' || array_to_string(list_transform(CAST(named AS VARCHAR[]), lambda each_name, each_name_number: ',
            ' || duckrisk_text(each_name)), '') || ') THEN 1e-2 ELSE 1e-6 END' ELSE '1e-6' END || ')
    END AS likely
FROM found
ORDER BY position, kind');

-- disclosed_people
-- People with a value of a sensitive column that their quasi-identifiers disclose.
--
--   source: the records
--   user_column: the column of the person behind a record; NULL takes each record as a person
--   columns: the quasi-identifiers
--   forms: the sensitive column as it is, and in coarser forms
--   counted: number of people that a record represents; NULL takes one
--   pairs: pairs of a class and a value of a person that are compared at most; NULL sets no limit
--   knowledge: how the attribute is known: exact, as_narrow, as_json, as_text, as_double, band, date, hour, month, number, prefix, time, zoned_time, week, year
--   argument: how many characters of a prefix, how wide a band
--   also: further columns that are known together with it
--
--   FROM disclosed_people('retail.parquet', 'CustomerID', ['UnitPrice', 'Quantity'], 'StockCode');
CREATE OR REPLACE TEMP MACRO disclosed_people(source, user_column, columns, forms, counted := NULL, pairs := NULL, knowledge := 'exact', argument := NULL, also := []) AS TABLE
SELECT * FROM query('WITH known AS (
    SELECT
        ' || duckrisk_person(user_column) || ' AS person' || CASE WHEN counted IS NOT NULL THEN ',
        ' || duckrisk_column(counted) || ' AS weight' ELSE '' END || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ',
        ' || duckrisk_column(each_column) || ' AS v' || (each_column_number - 1)), '') || array_to_string(list_transform([forms], lambda each_form, each_form_number: ',
        ' || duckrisk_value(each_form, knowledge, argument, also) || ' AS s' || (each_form_number - 1)), '') || '
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
records AS MATERIALIZED (
    SELECT
        ' || duckrisk_cell_number(duckrisk_identifier('person')) || ' AS person,
' || CASE WHEN counted IS NOT NULL THEN '        weight,
' ELSE '' END || '        HASH(0' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ', ' || duckrisk_cell_number(duckrisk_identifier('v' || CAST((each_column_number - 1) AS VARCHAR)))), '') || ')
            AS class' || array_to_string(list_transform([forms], lambda each_form, each_form_number: ',
        CASE WHEN s' || (each_form_number - 1) || ' IS NOT NULL
            THEN HASH(' || (each_form_number - 1) || ', ' || duckrisk_cell_number(duckrisk_identifier('s' || CAST((each_form_number - 1) AS VARCHAR))) || ') END AS s' || (each_form_number - 1)), '') || '
    FROM known
    WHERE person IS NOT NULL
),
members AS MATERIALIZED (
    SELECT DISTINCT person, class' || CASE WHEN counted IS NOT NULL THEN ', weight' ELSE '' END || ' FROM records
),
classes AS MATERIALIZED (
    SELECT class, ' || CASE WHEN counted IS NOT NULL THEN 'SUM(weight)' ELSE 'COUNT(*)' END || ' AS people FROM members GROUP BY class
),
owned AS MATERIALIZED (
' || array_to_string(list_transform([forms], lambda each_form, each_form_number: CASE WHEN NOT (each_form_number = 1) THEN 'UNION ' ELSE 'SELECT DISTINCT person, value' || CASE WHEN counted IS NOT NULL THEN ', weight' ELSE '' END || ' FROM (
' END || 'SELECT DISTINCT person, s' || (each_form_number - 1) || ' AS value' || CASE WHEN counted IS NOT NULL THEN ', weight' ELSE '' END || ' FROM records
        WHERE s' || (each_form_number - 1) || ' IS NOT NULL
'), '') || '    ) AS every
),
totals AS (
    SELECT ' || CASE WHEN counted IS NOT NULL THEN 'SUM(weight)' ELSE 'COUNT(DISTINCT person)' END || ' AS people FROM members
),
-- A value that more than two of three people have is no disclosure, whatever class they are in.
rare AS MATERIALIZED (
    SELECT owned.value, ' || CASE WHEN counted IS NOT NULL THEN 'SUM(weight)' ELSE 'COUNT(*)' END || ' AS people
    FROM owned
    GROUP BY owned.value
    HAVING 3 * ' || CASE WHEN counted IS NOT NULL THEN 'SUM(weight)' ELSE 'COUNT(*)' END || ' <= 2 * (SELECT people FROM totals)
),
telling AS MATERIALIZED (
    SELECT owned.person, owned.value, rare.people' || CASE WHEN counted IS NOT NULL THEN ', owned.weight' ELSE '' END || '    FROM owned
    JOIN rare ON rare.value = owned.value
),
-- A class of one person discloses every such value of this person.
alone AS MATERIALIZED (
    SELECT members.person, members.class' || CASE WHEN counted IS NOT NULL THEN ', members.weight' ELSE '' END || '    FROM members
    JOIN classes ON classes.class = members.class
    WHERE classes.people = 1
),
shared AS MATERIALIZED (
    SELECT members.person, members.class, classes.people
    FROM members
    JOIN classes ON classes.class = members.class
    WHERE classes.people > 1
),
work AS (
    SELECT COALESCE(SUM(CAST(own.classes AS HUGEINT) * own_values.held), 0) AS pairs
    FROM (SELECT person, COUNT(*) AS classes FROM shared GROUP BY person) AS own
    JOIN (SELECT person, COUNT(*) AS held FROM telling WHERE people > 1 GROUP BY person) AS own_values
        ON own_values.person = own.person
),
disclosed AS MATERIALIZED (
    SELECT shared.class, telling.value
    FROM shared
    JOIN telling ON telling.person = shared.person AND telling.people > 1
' || CASE WHEN NOT (pairs IS NULL) THEN 'WHERE (SELECT pairs FROM work) <= ' || duckrisk_integer(pairs) ELSE '' END || '
    GROUP BY shared.class, telling.value
    HAVING 10 * ' || CASE WHEN counted IS NOT NULL THEN 'SUM(telling.weight)' ELSE 'COUNT(*)' END || ' >= 9 * MAX(shared.people)
        AND 2 * ' || CASE WHEN counted IS NOT NULL THEN 'SUM(telling.weight)' ELSE 'COUNT(*)' END || '            * CAST((SELECT people FROM totals) AS HUGEINT) >= 3 * MAX(telling.people)
            * CAST(MAX(shared.people) AS HUGEINT)
),
people_disclosed AS (
    SELECT alone.person' || CASE WHEN counted IS NOT NULL THEN ', alone.weight' ELSE '' END || '    FROM alone
    SEMI JOIN telling ON telling.person = alone.person
    UNION
    SELECT shared.person' || CASE WHEN counted IS NOT NULL THEN ', telling.weight' ELSE '' END || '    FROM shared
    JOIN disclosed ON disclosed.class = shared.class
    JOIN telling ON telling.person = shared.person AND telling.value = disclosed.value
),
counted AS (
    SELECT ' || CASE WHEN counted IS NOT NULL THEN 'COALESCE(SUM(weight), 0)' ELSE 'COUNT(*)' END || ' AS disclosed FROM people_disclosed
)
SELECT
    totals.people,
    CASE WHEN ' || CASE WHEN pairs IS NULL THEN 'TRUE' ELSE 'work.pairs <= ' || duckrisk_integer(pairs) END || '        THEN counted.disclosed END AS disclosed_people,
    CASE WHEN ' || CASE WHEN pairs IS NULL THEN 'TRUE' ELSE 'work.pairs <= ' || duckrisk_integer(pairs) END || '        THEN CAST(counted.disclosed AS DOUBLE) / NULLIF(totals.people, 0) END AS share,
    (SELECT COUNT(*) FROM classes) AS classes,
    (SELECT COUNT(DISTINCT class) FROM disclosed)
        + (SELECT COUNT(DISTINCT alone.class) FROM alone SEMI JOIN telling ON telling.person = alone.person)
        AS disclosed_classes
FROM totals
CROSS JOIN counted
CROSS JOIN work');

-- hierarchical_closeness
-- The largest distance of a class from the whole table, by the height of the lowest common label of two values.
--
--   source: the records
--   hierarchy: a row a value
--   column_name: the sensitive attribute
--   columns: the quasi-identifiers
--   labels: of the hierarchy: the value as text, then its labels, the root left out
--
--   FROM hierarchical_closeness('retail.parquet', 'retail.parquet', 'StockCode', ['UnitPrice', 'Quantity'], ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO hierarchical_closeness(source, hierarchy, column_name, columns, labels) AS TABLE
SELECT * FROM query('WITH given AS (
    SELECT
        TRUE AS is_record,
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_name, each_name_number: duckrisk_identifier(each_name) || ' AS a' || each_name_number || ', '), '') || '
' || array_to_string(list_transform(CAST(labels AS VARCHAR[]), lambda each__, each___number: CASE WHEN each___number = 1 THEN 'CAST(' || duckrisk_identifier(column_name) || ' AS VARCHAR)' ELSE 'CAST(NULL
            AS VARCHAR)' END || ' AS label' || (each___number - 1) || CASE WHEN each___number < len(CAST(labels AS VARCHAR[])) THEN ', ' ELSE '' END), '') || '
    FROM ' || duckrisk_relation(source) || '
    UNION ALL
    SELECT DISTINCT
        FALSE AS is_record,
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each__, each___number: 'NULL AS a' || each___number || ', '), '') || '
        ' || array_to_string(list_transform(CAST(labels AS VARCHAR[]), lambda each_item, each_number: 'CAST(' || duckrisk_identifier(each_item) || ' AS VARCHAR) AS label' || (each_number - 1)), ', ') || '

    FROM ' || duckrisk_relation(hierarchy) || '
),
known AS (
    SELECT ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each__, each___number: 'a' || each___number || ', '), '') || 'label0 AS value
    FROM given
    WHERE is_record
),
cells AS (
    SELECT ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each__, each___number: 'a' || each___number || ', '), '') || 'value, COUNT(*) AS records
    FROM known
    GROUP BY ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each__, each___number: 'a' || each___number || ', '), '') || 'value
),
counts AS (
    SELECT value, CAST(SUM(records) AS HUGEINT) AS records
    FROM cells
    GROUP BY value
),
labels AS (
    SELECT ' || array_to_string(list_transform(CAST(labels AS VARCHAR[]), lambda each_item, each_number: 'label' || (each_number - 1)), ', ') || '

    FROM given
    WHERE NOT is_record
),
domain AS (
    SELECT
        ROW_NUMBER() OVER (ORDER BY counts.value NULLS LAST) AS place,
        counts.value,
        counts.records,
' || array_to_string(list_transform(CAST(labels AS VARCHAR[]), lambda each__, each___number: CASE WHEN each___number = 1 THEN 'counts.value' ELSE 'labels.label' || (each___number - 1) END || '            AS label' || (each___number - 1) || ', ' || CASE WHEN each___number = len(CAST(labels AS VARCHAR[])) THEN '''*'' AS label' || each___number ELSE '' END), '') || '
    FROM counts
    LEFT JOIN labels ON counts.value = labels.label0
),
totals AS (
    SELECT SUM(records) AS records
    FROM domain
),
class_lists AS (
    SELECT
        CAST(SUM(cells.records) AS HUGEINT) AS class_records,
        LIST({''place'': domain.place, ''records'': cells.records}) AS class_cells
    FROM cells
    INNER JOIN domain ON (cells.value IS NOT DISTINCT FROM domain.value)
    GROUP BY ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: 'cells.a' || each_number), ', ') || '

),
classes AS (
    SELECT ROW_NUMBER() OVER () AS class, class_records, UNNEST(class_cells) AS cell
    FROM class_lists
),
held AS (
    SELECT
        classes.class,
        classes.class_records,
        classes.cell.records AS records,
' || array_to_string(list_transform(CAST(labels AS VARCHAR[]), lambda each__, each___number: 'domain.label' || (each___number - 1) || ',
' || CASE WHEN each___number = len(CAST(labels AS VARCHAR[])) THEN 'domain.label' || each___number ELSE '' END), '') || '
    FROM classes
    INNER JOIN domain ON classes.cell.place = domain.place
),
children AS (
' || array_to_string(list_transform(CAST(labels AS VARCHAR[]), lambda each__, each___number: '    SELECT
        class, class_records, ' || each___number || ' AS level, label' || each___number || ' AS parent,
            label' || (each___number - 1) || ' AS child,
        CAST(SUM(records) AS HUGEINT) AS records
    FROM held
    GROUP BY class, class_records, label' || each___number || ', label' || (each___number - 1) || '
' || CASE WHEN NOT (each___number = len(CAST(labels AS VARCHAR[]))) THEN '    UNION ALL
' ELSE '' END), '') || '),
of_table AS (
' || array_to_string(list_transform(CAST(labels AS VARCHAR[]), lambda each__, each___number: '    SELECT ' || each___number || ' AS level, label' || each___number || ' AS parent, label' || (each___number - 1) || ' AS child,
        SUM(records) AS records
    FROM domain
    GROUP BY label' || each___number || ', label' || (each___number - 1) || '
' || CASE WHEN NOT (each___number = len(CAST(labels AS VARCHAR[]))) THEN '    UNION ALL
' ELSE '' END), '') || '),
parents_of_table AS (
    SELECT level, parent, SUM(records) AS records
    FROM of_table
    GROUP BY level, parent
),
parents AS (
    SELECT
        children.class,
        children.class_records,
        children.level,
        children.parent,
        SUM(children.records) AS records,
        SUM(GREATEST(children.records * totals.records - of_table.records * children.class_records, 0)) AS too_much
    FROM children
    INNER JOIN of_table
        ON children.level = of_table.level
        AND (children.parent IS NOT DISTINCT FROM of_table.parent)
        AND (children.child IS NOT DISTINCT FROM of_table.child)
    CROSS JOIN totals
    GROUP BY children.class, children.class_records, children.level, children.parent
),
moved AS (
    SELECT
        parents.class,
        parents.class_records,
        SUM(parents.level * LEAST(
            parents.too_much,
            parents.too_much
            - (parents.records * totals.records - parents_of_table.records * parents.class_records)
        )) AS work
    FROM parents
    INNER JOIN parents_of_table
        ON parents.level = parents_of_table.level
        AND (parents.parent IS NOT DISTINCT FROM parents_of_table.parent)
    CROSS JOIN totals
    GROUP BY parents.class, parents.class_records
)
SELECT
    CAST(COALESCE(MAX(totals.records), 0) AS BIGINT) AS records,
    COUNT(moved.class) AS classes,
    MAX(CAST(moved.work AS DOUBLE) / moved.class_records) / MAX(totals.records)
        / (SELECT MAX(level) FROM parents_of_table) AS hierarchical_t
FROM totals
LEFT JOIN moved ON TRUE');

-- household_risk
-- The risk that a member of a household is re-identified, which identifies all members.
--
--   source: the records with their individual risk
--   household: of the record
--   risk: the individual risk of the record
--
--   FROM household_risk('retail.parquet', 'CustomerID', 'Quantity');
CREATE OR REPLACE TEMP MACRO household_risk(source, household, risk) AS TABLE
SELECT * FROM query('WITH members AS (
    SELECT ' || duckrisk_column(household) || ' AS household, CAST(' || duckrisk_column(risk) || ' AS DOUBLE) AS risk
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
    WHERE ' || duckrisk_column(risk) || ' IS NOT NULL
),
households AS (
    SELECT
        COUNT(*) AS members,
        1 AS households,
        CASE WHEN MAX(risk) >= 1 THEN 1
            ELSE 1 - EXP(CAST(SUM(CAST(LN(1 - LEAST(risk, 1 - 1e-15)) AS DECIMAL(38, 18))) AS DOUBLE)) END AS risk
    FROM members
    WHERE household IS NOT NULL
    GROUP BY household
    UNION ALL
    SELECT COUNT(*) AS members, COUNT(*) AS households, risk
    FROM members
    WHERE household IS NULL
    GROUP BY risk
)
SELECT
    CAST(COALESCE(SUM(members), 0) AS BIGINT) AS records,
    CAST(COALESCE(SUM(households), 0) AS BIGINT) AS households,
    CAST(MAX(risk) AS DOUBLE) AS highest_risk,
    CAST(SUM(CAST(members * risk AS DECIMAL(38, 15))) AS DOUBLE) / CAST(SUM(members) AS DOUBLE) AS average_risk,
    CAST(SUM(CAST(members * risk AS DECIMAL(38, 15))) AS DOUBLE) AS expected_found
FROM households');

-- individual_risk
-- Individual risk (Benedetti and Franconi): the mean of 1 / F where weights estimate F, the people of a class.
--
--   source: the records
--   weight: number of people of the population that a record represents
--   columns: the quasi-identifiers
--
--   FROM individual_risk('retail.parquet', 'Quantity', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO individual_risk(source, weight, columns) AS TABLE
SELECT * FROM query('WITH given AS (
    SELECT
        class_size,
        population_size,
        classes,
        records,
        CAST(class_size AS DOUBLE) AS f,
        LEAST(1, class_size / CAST(population_size AS DOUBLE)) AS p
    FROM ' || '(' || 'WITH records AS (
    SELECT
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '        ' || duckrisk_column(each_column) || ' AS a' || each_column_number || ',
'), '') || '        CAST(CASE
            WHEN CAST(' || duckrisk_column(weight) || ' AS DOUBLE) > 0 AND CAST(' || duckrisk_column(weight) || ' AS DOUBLE) < 1e25
                THEN CAST(' || duckrisk_column(weight) || ' AS DECIMAL(38, 12))
            ELSE 1
        END AS DECIMAL(38, 12)) AS weight
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
classes AS (
    SELECT COUNT(*) AS class_size, SUM(weight) AS population_size
    FROM records
    GROUP BY weight * 0' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ', a' || each_column_number), '') || '
)
SELECT
    class_size,
    CAST(population_size AS DOUBLE) AS population_size,
    COUNT(*) AS classes,
    CAST(SUM(class_size) AS BIGINT) AS records
FROM classes
GROUP BY class_size, population_size
ORDER BY class_size, population_size' || ')' || ' AS duckrisk_source
    WHERE class_size > 0
),
-- Near 1, and for large classes, the series in q is short; elsewhere each f follows from the one before.
risks AS (
    SELECT
        class_size,
        population_size,
        classes,
        records,
        f,
        p,
        1 - p AS q,
        CASE
            WHEN p > 0.5 OR f > 50 THEN p / f * LIST_SUM(LIST_TRANSFORM(
                RANGE(0, 61),
                lambda i: EXP(
                    LGAMMA(i + 1) + LGAMMA(f + 1) - LGAMMA(f + i + 1)
                    + CASE WHEN i = 0 THEN 0 ELSE i * LN(GREATEST(1 - p, 1e-300)) END)
            ))
            ELSE LIST_REDUCE(
                LIST_PREPEND(
                    -p / (1 - p) * LN(p), LIST_TRANSFORM(RANGE(2, class_size + 1), lambda i: CAST(i AS DOUBLE))),
                lambda before, i: p / (1 - p) * (1 / (i - 1) - before)
            )
        END AS exact_risk
    FROM given
)
SELECT
    class_size,
    population_size,
    classes,
    records,
    CASE WHEN f < 3 OR q = 0 THEN exact_risk ELSE p / (f - q) END AS risk,
    exact_risk
FROM risks
ORDER BY class_size, population_size');

-- information_gain
-- The bits that each value of a record, and all of them together, reveal to an attacker who knows the other values.
--
--   source: the records
--   columns: the attributes
--
--   FROM information_gain('retail.parquet', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO information_gain(source, columns) AS TABLE
SELECT * FROM query('WITH known AS (
    SELECT ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: duckrisk_column(each_item) || ' AS a' || each_number), ', ') || '

    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each__, each___number: 'codes' || each___number || ' AS MATERIALIZED (
    SELECT
        a' || each___number || ' AS value,
        CAST(ROW_NUMBER() OVER () AS INTEGER) AS code,
        COUNT(*) AS records,
        CAST(COUNT(*) AS DOUBLE) / SUM(COUNT(*)) OVER () AS share
    FROM known
    GROUP BY a' || each___number || '
),
'), '') || 'counted AS (
    SELECT ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each__, each___number: 'codes' || each___number || '.code AS c' || each___number || ', '), '') || 'COUNT(*) AS records
    FROM known
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each__, each___number: '    JOIN codes' || each___number || ' ON (codes' || each___number || '.value IS NOT DISTINCT FROM known.a' || each___number || ')
'), '') || '    GROUP BY ALL
),
combinations AS MATERIALIZED (
    SELECT ROW_NUMBER() OVER () AS combination, 0 AS nothing, *
    FROM counted
),
totals AS (
    SELECT CAST(SUM(records) AS BIGINT) AS records
    FROM combinations
),
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each__, each___number: '-- A record that agrees with none on all other attributes is fully revealed. A single attribute has no other
-- attributes.
groups' || each___number || ' AS (
    SELECT * EXCLUDE (combination, c' || each___number || ', records), SUM(records) AS together, MIN(combination) AS first
    FROM combinations
    GROUP BY ALL
    HAVING COUNT(*) > 1
),
gains' || each___number || ' AS (
    SELECT combination, SUM(CAST(p * LOG2(p / share) AS DECIMAL(38, 18))) OVER (PARTITION BY first) AS gain
    FROM (
        SELECT combination, first, CAST(combinations.records AS DOUBLE) / together AS p,
            codes' || each___number || '.share AS share
        FROM combinations
        NATURAL JOIN groups' || each___number || '
        JOIN codes' || each___number || ' ON codes' || each___number || '.code = combinations.c' || each___number || '
    ) AS shares
),
'), '') || 'gains AS (
    SELECT
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each__, each___number: '        CAST(COALESCE(gains' || each___number || '.gain, CAST(LOG2(1 / codes' || each___number || '.share) AS DECIMAL(38, 18)))
            AS DECIMAL(38, 18)) AS g' || each___number || ',
'), '') || '        combinations.records AS records
    FROM combinations
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each__, each___number: '    JOIN codes' || each___number || ' ON codes' || each___number || '.code = combinations.c' || each___number || '
    LEFT JOIN gains' || each___number || ' ON gains' || each___number || '.combination = combinations.combination
'), '') || '),
lines AS (
    SELECT 0 AS place, ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: 'g' || each_number), ' + ') || ' AS gain, records
    FROM gains
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each__, each___number: '    UNION ALL
    SELECT ' || each___number || ' AS place, g' || each___number || ' AS gain, records
    FROM gains
'), '') || '),
alike AS (
    SELECT place, gain, CAST(SUM(records) AS BIGINT) AS records
    FROM lines
    GROUP BY place, gain
),
climbing AS (
    SELECT place, gain, records, SUM(records) OVER (PARTITION BY place ORDER BY gain) AS so_far
    FROM alike
),
surprises AS (
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each__, each___number: '    SELECT ' || each___number || ' AS place,
        SUM(CAST(CAST(-LOG2(share) AS DECIMAL(38, 18)) * records AS DECIMAL(38, 18))) AS surprise
    FROM codes' || each___number || '
' || CASE WHEN NOT (each___number = len(CAST(columns AS VARCHAR[]))) THEN '    UNION ALL
' ELSE '' END), '') || ')
SELECT
    CAST(climbing.place AS INTEGER) AS place,
    totals.records,
    CAST(MAX(surprises.surprise) AS DOUBLE) / totals.records AS entropy,
    CAST(SUM(CAST(climbing.gain * climbing.records AS DECIMAL(38, 18))) AS DOUBLE) / totals.records AS mean_gain,
    CAST(MIN(CASE WHEN 2 * climbing.so_far >= totals.records THEN climbing.gain END) AS DOUBLE) AS median_gain,
    CAST(MIN(CASE WHEN 20 * climbing.so_far >= 19 * totals.records THEN climbing.gain END) AS DOUBLE) AS high_gain,
    CAST(MAX(climbing.gain) AS DOUBLE) AS highest_gain
FROM climbing
CROSS JOIN totals
LEFT JOIN surprises ON surprises.place = climbing.place
GROUP BY climbing.place, totals.records
ORDER BY climbing.place');

-- journalist_risk
-- Journalist and marketer risk, k-map and delta-presence: an attacker looks for records in a population.
--
--   source: the records
--   population: the people that an attacker looks among
--   columns: the quasi-identifiers, called the same in both tables
--   quantity: the people of a row of the population; NULL takes a row as one person
--
--   FROM journalist_risk('retail.parquet', 'retail.parquet', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO journalist_risk(source, population, columns, quantity := NULL) AS TABLE
SELECT * FROM query('WITH given AS (
    SELECT
        class_size AS f,
        CASE WHEN population_size < class_size THEN class_size ELSE population_size END AS people,
        population_size AS known,
        classes AS c,
        records AS n
    FROM ' || '(' || 'WITH both_tables AS (
    SELECT ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: duckrisk_identifier(each_column) || ' AS a' || each_column_number || ', '), '') || '1 AS record,
        0 AS people
    FROM ' || duckrisk_relation(source) || '
    UNION ALL
    SELECT ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: duckrisk_identifier(each_column) || ' AS a' || each_column_number || ', '), '') || '0 AS record,
' || CASE WHEN quantity IS NOT NULL THEN 'CAST(' || duckrisk_identifier(quantity) || ' AS DOUBLE)' ELSE '1' END || ' AS people
    FROM ' || duckrisk_relation(population) || '
),
classes AS (
    SELECT SUM(record) AS class_size, COALESCE(SUM(people), 0) AS population_size
    FROM both_tables
    GROUP BY record * 0' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ', a' || each_column_number), '') || '
)
SELECT
    CAST(class_size AS BIGINT) AS class_size,
    CAST(population_size AS DOUBLE) AS population_size,
    COUNT(*) AS classes,
    CAST(SUM(class_size) AS BIGINT) AS records
FROM classes
GROUP BY class_size, population_size
ORDER BY class_size, population_size' || ')' || ' AS duckrisk_source
)
SELECT
    CAST(COALESCE(SUM(n), 0) AS BIGINT) AS records,
    CAST(COALESCE(SUM(CASE WHEN n > 0 THEN c ELSE 0 END), 0) AS BIGINT) AS classes,
    CAST(SUM(CAST(known AS DECIMAL(38, 12)) * c) AS DOUBLE) AS people,
    CAST(MIN(CASE WHEN n > 0 THEN people END) AS DOUBLE) AS k_map,
    1 / CAST(MIN(CASE WHEN n > 0 THEN people END) AS DOUBLE) AS highest_risk,
    GREATEST(
        CAST(SUM(CASE WHEN n > 0 THEN c ELSE 0 END) AS DOUBLE)
            / NULLIF(CAST(SUM(CASE WHEN n > 0 THEN CAST(people AS DECIMAL(38, 12)) * c END) AS DOUBLE), 0),
        CAST(SUM(CASE WHEN n > 0 THEN CAST(CAST(n AS DOUBLE) / people AS DECIMAL(38, 18)) END) AS DOUBLE)
            / CAST(NULLIF(SUM(n), 0) AS DOUBLE)
    ) AS average_risk,
    CAST(SUM(CASE WHEN n > 0 THEN CAST(CAST(n AS DOUBLE) / people AS DECIMAL(38, 18)) END) AS DOUBLE)
        / CAST(NULLIF(SUM(n), 0) AS DOUBLE) AS marketer_risk,
    MIN(CASE WHEN people > 0 THEN CAST(f AS DOUBLE) / people END) AS delta_min,
    MAX(CASE WHEN people > 0 THEN CAST(f AS DOUBLE) / people END) AS delta_max,
    CAST(COALESCE(SUM(CASE WHEN known < f AND n > 0 THEN n * (f - known) / f ELSE 0 END), 0) AS BIGINT)
        AS records_beyond
FROM given');

-- minimal_keys
-- The smallest attribute sets that identify: keys, sets singling out a share of records, sets with a small class.
--
--   source: the records
--   columns: the attributes an attacker may know
--   max_size: attributes of a set at most
--   share: of the records that are singled out at least
--   k: a smaller class is too small
--
--   FROM minimal_keys('retail.parquet', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO minimal_keys(source, columns, max_size := 3, share := 0.05, k := 5) AS TABLE
SELECT * FROM query('WITH records AS (
    SELECT
        1 AS record
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '        , ' || duckrisk_column(each_column) || ' AS v' || (each_column_number - 1) || '
'), '') || '    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: 'codes' || (each_column_number - 1) || ' AS MATERIALIZED (
    SELECT value, ROW_NUMBER() OVER () AS code
    FROM (SELECT DISTINCT v' || (each_column_number - 1) || ' AS value FROM records) AS different
    WHERE value IS NOT NULL
),
'), '') || 'combinations AS MATERIALIZED (
    SELECT
        COUNT(*) AS records,
        CASE WHEN COUNT(*) = 1 THEN ANY_VALUE(record) END AS record
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '        , COALESCE(codes' || (each_column_number - 1) || '.code, 0) AS c' || (each_column_number - 1) || '
'), '') || '    FROM records
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '    LEFT JOIN codes' || (each_column_number - 1) || ' ON codes' || (each_column_number - 1) || '.value = records.v' || (each_column_number - 1) || '
'), '') || '    GROUP BY ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: 'COALESCE(codes' || (each_number - 1) || '.code, 0)'), ', ') || '

),
attributes AS MATERIALIZED (
    SELECT place - 1 AS position, names[place] AS name, CAST(1 AS BIGINT) << (place - 1) AS bit
    FROM (SELECT [' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: duckrisk_text(each_item)), ', ') || '] AS names) AS given
    CROSS JOIN (SELECT UNNEST(RANGE(1, ' || len(CAST(columns AS VARCHAR[])) || ' + 1)) AS place) AS places
),
sets AS MATERIALIZED (
    SELECT mask
    FROM (SELECT UNNEST(RANGE(1, 1 << ' || len(CAST(columns AS VARCHAR[])) || ')) AS mask) AS masks
    WHERE BIT_COUNT(mask) <= ' || duckrisk_integer(max_size) || '
),
classes AS (
    SELECT mask, SUM(records) AS records
    FROM combinations
    CROSS JOIN sets
    GROUP BY mask' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ',
        CASE WHEN ((mask >> ' || (each_column_number - 1) || ') & 1) = 1 THEN c' || (each_column_number - 1) || ' END'), '') || '
),
counted AS MATERIALIZED (
    SELECT
        mask,
        CAST(SUM(records) AS DOUBLE) AS records,
        COUNT(*) AS classes,
        COUNT(CASE WHEN records = 1 THEN 1 END) AS singled,
        CAST(SUM(CAST(records AS HUGEINT) * records) AS DOUBLE) AS squares,
        CAST(MIN(records) AS BIGINT) AS smallest
    FROM classes
    GROUP BY mask
)
, reached AS MATERIALIZED (
    SELECT 1 AS place, ''key'' AS kind, mask FROM counted WHERE singled = records
    UNION ALL
    SELECT 2, ''singles_out'', mask FROM counted WHERE singled / records >= ' || duckrisk_number(share) || '
    UNION ALL
    SELECT 3, ''below_k'', mask FROM counted WHERE smallest < ' || duckrisk_integer(k) || '
),
larger AS (
    SELECT DISTINCT reached.place, reached.mask | attributes.bit AS mask
    FROM reached
    JOIN attributes ON (reached.mask & attributes.bit) = 0
)
SELECT
    reached.kind,
    (SELECT LIST(name ORDER BY position) FROM attributes WHERE (counted.mask & attributes.bit) <> 0) AS attributes,
    counted.singled AS singled_out,
    counted.singled / counted.records AS share_singled_out,
    counted.smallest AS smallest_class
FROM reached
JOIN counted ON counted.mask = reached.mask
WHERE NOT EXISTS (SELECT 1 FROM larger WHERE larger.place = reached.place AND larger.mask = reached.mask)
ORDER BY reached.place, BIT_COUNT(counted.mask), counted.singled DESC, counted.mask');

-- noisy_histories
-- Attackers who know some items of a person, some of them wrong, and look for the history that fits best.
--
--   source: the records
--   user_column: the column of the person behind a record; NULL takes each record as a person
--   item: what the attacker knows, such as an article
--   day: its date; NULL where there is none
--   amount: a number, such as a price; NULL where there is none
--   days: largest error of a day
--   band: largest error of an amount as a share of the middle half's range
--   targets: people drawn at most for each number of facts
--   work: comparisons of facts at most; beyond it fewer people are drawn, thirty at the least
--   seed: chooses people, facts and errors
--
--   FROM noisy_histories('retail.parquet', 'CustomerID', 'StockCode');
CREATE OR REPLACE TEMP MACRO noisy_histories(source, user_column, item, day := NULL, amount := NULL, days := 14, band := 0.1, targets := 400, work := 20_000_000, seed := 0) AS TABLE
SELECT * FROM query('WITH RECURSIVE history AS (
    SELECT DISTINCT
        ' || duckrisk_person(user_column) || ' AS user_id,
        ' || duckrisk_column(item) || ' AS item,
' || CASE WHEN day IS NOT NULL THEN 'DATE_DIFF(''day'', DATE ''1970-01-01'', TRY_CAST(' || duckrisk_column(day) || ' AS DATE))' ELSE '0' END || '            AS day,
' || CASE WHEN amount IS NOT NULL THEN 'TRY_CAST(' || duckrisk_column(amount) || ' AS DOUBLE)' ELSE 'CAST(0 AS DOUBLE)' END || ' AS amount
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
complete AS (
    SELECT *
    FROM history
    WHERE user_id IS NOT NULL AND item IS NOT NULL AND day IS NOT NULL AND ABS(amount) < 1e100
),
people AS MATERIALIZED (
    SELECT user_id, COUNT(*) AS facts, ROW_NUMBER() OVER (ORDER BY user_id) AS target
    FROM complete
    GROUP BY user_id
),
items AS MATERIALIZED (
    SELECT
        item,
        COUNT(DISTINCT user_id) AS holders,
        COUNT(*) AS facts,
        ROW_NUMBER() OVER (ORDER BY item) AS item_number
    FROM complete
    GROUP BY item
),
facts AS MATERIALIZED (
    SELECT
        people.target AS candidate,
        items.item_number,
        complete.day,
        complete.amount,
        ROW_NUMBER() OVER (ORDER BY people.target, items.item_number, complete.day, complete.amount) AS fact
    FROM complete
    JOIN people ON people.user_id = complete.user_id
    JOIN items ON items.item = complete.item
),
candidates AS (
    SELECT COUNT(*) AS candidates FROM people
),
-- A drawn fact is compared with the facts of its item: with twice the facts an item is drawn twice as often.
bounds AS (
    SELECT
        CAST(SUM(facts) AS BIGINT) AS facts,
        ' || duckrisk_integer(work) || ' / (SUM(CAST(facts AS DOUBLE) * facts) / SUM(facts)
            * 16) AS affordable
    FROM items
),
errors AS (
    SELECT ' || duckrisk_number(band) || ' * (QUANTILE_DISC(amount, 0.75) - QUANTILE_DISC(amount, 0.25)) AS amount_error FROM facts
),
ranked AS (
    SELECT
        people.target,
        asked.known,
        COUNT(*) OVER (PARTITION BY asked.known) AS eligible,
        ROW_NUMBER() OVER (
            PARTITION BY asked.known ORDER BY MD5(''' || duckrisk_integer(seed) || ' target '' || people.target), people.target
        ) AS place
    FROM people
    JOIN (VALUES (1), (2), (4), (8)) AS asked (known) ON people.facts >= asked.known
),
targets AS MATERIALIZED (
    SELECT target, known, eligible
    FROM ranked
    CROSS JOIN bounds
    WHERE place <= LEAST(' || duckrisk_integer(targets) || ', GREATEST(30, bounds.affordable))
),
attackers AS MATERIALIZED (
    SELECT
        targets.target,
        targets.known,
        targets.eligible,
        asked.wrong_percent,
        CAST(FLOOR(
            targets.known * asked.wrong_percent / 100
            + CAST(''0x'' || SUBSTR(MD5(''' || duckrisk_integer(seed) || ' share '' || targets.target), 1, 13) AS BIGINT)
                / 4503599627370496
        ) AS INTEGER) AS wrong
    FROM targets
    CROSS JOIN (VALUES (0), (10), (25)) AS asked (wrong_percent)
),
own_facts AS MATERIALIZED (
    SELECT
        facts.candidate AS target,
        facts.fact,
        ROW_NUMBER() OVER (
            PARTITION BY facts.candidate
            ORDER BY MD5(''' || duckrisk_integer(seed) || ' fact '' || facts.fact), facts.fact
        ) AS turn
    FROM facts
    SEMI JOIN targets ON targets.target = facts.candidate
    QUALIFY turn <= 8
),
other_facts AS (
    SELECT
        target,
        turn,
        attempt,
        1 + CAST(''0x'' || SUBSTR(digest, 1, 13) AS BIGINT) % bounds.facts AS fact,
        1 + CAST(''0x'' || SUBSTR(digest, 14, 13) AS BIGINT) % bounds.facts AS dated
    FROM (
        SELECT target, turn, attempt, MD5(''' || duckrisk_integer(seed) || ' wrong '' || fact || '' '' || attempt) AS digest
        FROM own_facts
        CROSS JOIN RANGE(4) AS attempts (attempt)
    ) AS drawn
    CROSS JOIN bounds
),
wrong_facts AS (
    SELECT other_facts.target, other_facts.turn, other_facts.fact, other_facts.dated
    FROM other_facts
    JOIN facts ON facts.fact = other_facts.fact
    LEFT JOIN (SELECT DISTINCT candidate, item_number FROM facts) AS held
        ON held.candidate = other_facts.target AND held.item_number = facts.item_number
    QUALIFY ROW_NUMBER() OVER (
        PARTITION BY other_facts.target, other_facts.turn
        ORDER BY held.candidate IS NOT NULL, other_facts.attempt
    ) = 1
),
chosen AS (
    SELECT target, turn, fact, fact AS dated, FALSE AS is_wrong FROM own_facts
    UNION ALL
    SELECT target, turn, fact, dated, TRUE AS is_wrong FROM wrong_facts
),
-- Two drawn parts of a fact''s digest, each below 2^52: the error of the day, and that of the amount.
remembered AS MATERIALIZED (
    SELECT
        chosen.target,
        chosen.turn,
        chosen.is_wrong,
        facts.item_number,
        dates.day + CAST(''0x'' || SUBSTR(digest, 1, 13) AS BIGINT) % ' || ((2 * CAST(days AS BIGINT)) + 1) || ' - ' || duckrisk_integer(days) || ' AS day,
        facts.amount
            + errors.amount_error * (CAST(''0x'' || SUBSTR(digest, 14, 13) AS BIGINT) / 2251799813685248 - 1) AS amount
    FROM (
        SELECT *, MD5(''' || duckrisk_integer(seed) || ' error '' || target || '' '' || turn || '' '' || fact) AS digest FROM chosen
    ) AS chosen
    JOIN facts ON facts.fact = chosen.fact
    JOIN facts AS dates ON dates.fact = chosen.dated
    CROSS JOIN errors
),
-- Points are whole millionths, so that their sums do not depend on an order.
points AS MATERIALIZED (
    SELECT
        remembered.target,
        remembered.turn,
        remembered.is_wrong,
        facts.candidate,
        CAST(ROUND(1000000 / LN(GREATEST(ANY_VALUE(items.holders), 2)) * MAX(
            EXP(-ABS(remembered.day - facts.day) / 30.0)
            * CASE WHEN errors.amount_error > 0
                THEN EXP(-ABS(remembered.amount - facts.amount) / (2 * errors.amount_error))
                ELSE CAST(remembered.amount = facts.amount AS INTEGER) END
        )) AS BIGINT) AS points
    FROM remembered
    JOIN facts ON facts.item_number = remembered.item_number
    JOIN items ON items.item_number = remembered.item_number
    CROSS JOIN errors
    GROUP BY remembered.target, remembered.turn, remembered.is_wrong, facts.candidate
),
scores AS (
    SELECT cases.target, cases.known, cases.wrong, 1 AS copies, SUM(points.points) AS score,
        points.candidate = cases.target AS is_own
    FROM (SELECT DISTINCT target, known, wrong FROM attackers) AS cases
    JOIN points ON points.target = cases.target AND points.turn <= cases.known
        AND points.is_wrong = (points.turn <= cases.wrong)
    GROUP BY cases.target, cases.known, cases.wrong, points.candidate
),
judged AS (
    SELECT
        target,
        known,
        wrong,
        MAX(score) AS best,
        -- The second of several equal ones is as good.
        GREATEST(COALESCE(MAX(score, 2)[2], 0), COALESCE(MAX(CASE WHEN copies > 1 THEN score END), 0)) AS second,
        MAX(CASE WHEN is_own THEN score END) AS own_score,
        CAST(SUM(copies * score) AS DOUBLE) AS total,
        CAST(SUM(copies * CAST(score AS HUGEINT) * score) AS DOUBLE) AS squares
    FROM scores
    GROUP BY target, known, wrong
),
answers AS (
    SELECT
        target,
        known,
        wrong,
        COALESCE(own_score = best AND second < best, FALSE) AS is_right,
        -- Nobody stands out from nobody else.
        candidates > 1
            AND best - second
            > 1.5 * SQRT(GREATEST(0, squares / candidates - (total / candidates) * (total / candidates)))
            AS is_answered
    FROM judged
    CROSS JOIN candidates
),
counted AS MATERIALIZED (
    SELECT
        attackers.known,
        attackers.wrong_percent,
        COUNT(*) AS targets,
        ANY_VALUE(attackers.eligible) AS eligible,
        ANY_VALUE(candidates.candidates) AS candidates,
        COUNT(*) FILTER (answers.is_right) AS best_right,
        COUNT(*) FILTER (answers.is_answered) AS answered,
        COUNT(*) FILTER (answers.is_answered AND answers.is_right) AS right_answers
    FROM attackers
    CROSS JOIN candidates
    LEFT JOIN answers ON answers.target = attackers.target AND answers.known = attackers.known
        AND answers.wrong = attackers.wrong
    GROUP BY attackers.known, attackers.wrong_percent
),
shares AS MATERIALIZED (
    SELECT 1000 * known + 10 * wrong_percent + measure AS place, successes, trials, 0.025 AS alpha
    FROM (
        SELECT known, wrong_percent, 0 AS measure, best_right AS successes, targets AS trials FROM counted
        UNION ALL
        SELECT known, wrong_percent, 1, answered, targets FROM counted
        UNION ALL
        SELECT known, wrong_percent, 2, right_answers, answered FROM counted
    ) AS listed
),
-- The lower end for k successes solves P(X >= k) = alpha; the upper end is 1 - the lower end for the failures.
sides AS (
    SELECT place, 0 AS side, successes AS k, trials, alpha FROM shares
    UNION ALL
    SELECT place, 1 AS side, trials - successes AS k, trials, alpha FROM shares
),
halves AS (
    SELECT
        *,
        CAST(CEIL(25 * SQRT(trials)) + 50 AS BIGINT) AS reach,
        0 AS step,
        CAST(0 AS DOUBLE) AS low,
        CAST(1 AS DOUBLE) AS high
    FROM sides
    UNION ALL
    SELECT
        * EXCLUDE (step, low, high, middle, tail),
        step + 1 AS step,
        CASE WHEN tail < alpha THEN middle ELSE low END AS low,
        CASE WHEN tail < alpha THEN high ELSE middle END AS high
    FROM (
        SELECT
            *,
            (low + high) / 2 AS middle,
            CASE
                WHEN trials * (low + high) / 2 <= k
                    THEN LIST_SUM(LIST_TRANSFORM(
                        RANGE(k, LEAST(trials, k + reach) + 1),
                        lambda i: EXP(
                            LGAMMA(trials + 1) - LGAMMA(i + 1) - LGAMMA(trials - i + 1)
                            + i * LN((low + high) / 2) + (trials - i) * LN(1 - (low + high) / 2)
                        )
                    ))
                ELSE 1 - COALESCE(LIST_SUM(LIST_TRANSFORM(
                    RANGE(GREATEST(0, k - reach), k),
                    lambda i: EXP(
                        LGAMMA(trials + 1) - LGAMMA(i + 1) - LGAMMA(trials - i + 1)
                        + i * LN((low + high) / 2) + (trials - i) * LN(1 - (low + high) / 2)
                    )
                )), 0)
            END AS tail
        FROM halves
        WHERE step < 60 AND k > 0
    ) AS tried
),
ends AS (
    SELECT place, side, (low + high) / 2 AS value
    FROM halves
    WHERE step = 60
),
intervals AS (
    SELECT
        shares.place,
        CAST(shares.successes AS DOUBLE) / NULLIF(shares.trials, 0) AS share,
        COALESCE(MAX(CASE WHEN ends.side = 0 THEN ends.value END), 0) AS lower,
        1 - COALESCE(MAX(CASE WHEN ends.side = 1 THEN ends.value END), 0) AS upper
    FROM shares
    LEFT JOIN ends ON ends.place = shares.place
    GROUP BY shares.place, shares.successes, shares.trials
)
SELECT
    CAST(counted.known AS INTEGER) AS known_facts,
    CAST(counted.wrong_percent AS INTEGER) AS wrong_percent,
    counted.targets AS attacked,
    counted.eligible,
    counted.candidates,
    1 / CAST(counted.candidates AS DOUBLE) AS blind_chance,
    counted.best_right,
    best.share AS best_right_share,
    best.lower AS best_right_lower,
    best.upper AS best_right_upper,
    counted.answered,
    answers.share AS answered_share,
    answers.lower AS answered_lower,
    answers.upper AS answered_upper,
    counted.right_answers,
    right_ones.share AS right_share,
    right_ones.lower AS right_lower,
    right_ones.upper AS right_upper,
    counted.answered - counted.right_answers AS wrong_answers,
    1 - right_ones.share AS wrong_share,
    1 - right_ones.upper AS wrong_lower,
    1 - right_ones.lower AS wrong_upper,
    counted.targets - counted.answered AS withheld,
    1 - answers.share AS withheld_share,
    1 - answers.upper AS withheld_lower,
    1 - answers.lower AS withheld_upper
FROM counted
JOIN intervals AS best ON best.place = 1000 * counted.known + 10 * counted.wrong_percent
JOIN intervals AS answers ON answers.place = 1000 * counted.known + 10 * counted.wrong_percent + 1
JOIN intervals AS right_ones ON right_ones.place = 1000 * counted.known + 10 * counted.wrong_percent + 2
ORDER BY known_facts, wrong_percent');

-- noisy_records
-- Attackers who know some values of a record, some of them wrong, and look for the record that fits best.
--
--   source: the records
--   columns: attributes whose values are equal or not
--   dates: attributes that are dates
--   numbers: attributes that are numbers
--   days: largest error of a day
--   band: largest error of a number as a share of the middle half's range
--   targets: records drawn at most for each number of facts
--   work: scores at most; beyond it fewer records are drawn, thirty at the least
--   seed: chooses records, facts and errors
--
--   FROM noisy_records('retail.parquet', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO noisy_records(source, columns, dates := [], numbers := [], days := 14, band := 0.1, targets := 400, work := 20_000_000, seed := 0) AS TABLE
SELECT * FROM query('WITH RECURSIVE records AS (
    SELECT
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '        ' || duckrisk_column(each_column) || ' AS a' || each_column_number || ',
'), '') || array_to_string(list_transform(CAST(dates AS VARCHAR[]), lambda each_column, each_column_number: '        CAST(DATE_DIFF(''day'', DATE ''1970-01-01'', TRY_CAST(' || duckrisk_column(each_column) || ' AS DATE)) AS DOUBLE)
            AS a' || (len(CAST(columns AS VARCHAR[])) + each_column_number) || ',
'), '') || array_to_string(list_transform(CAST(numbers AS VARCHAR[]), lambda each_column, each_column_number: '        CASE WHEN ABS(TRY_CAST(' || duckrisk_column(each_column) || ' AS DOUBLE)) < 1e100
            THEN TRY_CAST(' || duckrisk_column(each_column) || ' AS DOUBLE) END
            AS a' || ((len(CAST(columns AS VARCHAR[])) + len(CAST(dates AS VARCHAR[]))) + each_column_number) || ',
'), '') || '        0 AS nothing
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: 'codes' || each_column_number || ' AS (
    SELECT value, CAST(ROW_NUMBER() OVER (ORDER BY value) AS DOUBLE) AS code
    FROM (SELECT DISTINCT a' || each_column_number || ' AS value FROM records WHERE a' || each_column_number || ' IS NOT NULL) AS different
),
'), '') || 'cells AS (
    SELECT
' || array_to_string(list_transform(range(1, (len(CAST(columns AS VARCHAR[])) + 1)), lambda each_place, each_place_number: '        codes' || each_place || '.code AS c' || each_place || ',
'), '') || array_to_string(list_transform(range((len(CAST(columns AS VARCHAR[])) + 1), (((len(CAST(columns AS VARCHAR[])) + len(CAST(dates AS VARCHAR[]))) + len(CAST(numbers AS VARCHAR[]))) + 1)), lambda each_place, each_place_number: '        records.a' || each_place || ' AS c' || each_place || ',
'), '') || '        nothing
    FROM records
' || array_to_string(list_transform(range(1, (len(CAST(columns AS VARCHAR[])) + 1)), lambda each_place, each_place_number: '    LEFT JOIN codes' || each_place || ' ON codes' || each_place || '.value = records.a' || each_place || '
'), '') || '),
combinations AS (
    SELECT *, COUNT(*) AS copies FROM cells GROUP BY ALL
),
classes AS MATERIALIZED (
    SELECT
        *,
        ROW_NUMBER() OVER (ORDER BY nothing' || array_to_string(list_transform(range(1, (((len(CAST(columns AS VARCHAR[])) + len(CAST(dates AS VARCHAR[]))) + len(CAST(numbers AS VARCHAR[]))) + 1)), lambda each_place, each_place_number: ', c' || each_place), '') || ') AS candidate,
        0' || array_to_string(list_transform(range(1, (((len(CAST(columns AS VARCHAR[])) + len(CAST(dates AS VARCHAR[]))) + len(CAST(numbers AS VARCHAR[]))) + 1)), lambda each_place, each_place_number: '
            + CAST(c' || each_place || ' IS NOT NULL AS INTEGER)'), '') || ' AS facts
    FROM combinations
),
-- Equal records are interchangeable: those of a class have the numbers after those of the classes before it.
numbered AS MATERIALIZED (
    SELECT candidate, copies, facts, CAST(SUM(copies) OVER (ORDER BY candidate) AS BIGINT) - copies AS records_before
    FROM classes
),
people AS (
    SELECT candidate, facts, records_before + 1 + UNNEST(RANGE(copies)) AS target FROM numbered
),
candidates AS (
    SELECT CAST(SUM(copies) AS BIGINT) AS candidates FROM classes
),
-- The four numbers of facts and three shares make some eight cases of a target: the fewer facts the more are equal.
bounds AS (
    SELECT ' || duckrisk_integer(work) || ' / (8.0 * COUNT(*)) AS affordable FROM classes
),
ranked AS (
    SELECT
        people.target,
        asked.known,
        COUNT(*) OVER (PARTITION BY asked.known) AS eligible,
        ROW_NUMBER() OVER (
            PARTITION BY asked.known ORDER BY MD5(''' || duckrisk_integer(seed) || ' target '' || people.target), people.target
        ) AS place
    FROM people
    JOIN (VALUES (1), (2), (4), (8)) AS asked (known) ON people.facts >= asked.known
),
targets AS MATERIALIZED (
    SELECT target, known, eligible
    FROM ranked
    CROSS JOIN bounds
    WHERE place <= LEAST(' || duckrisk_integer(targets) || ', GREATEST(30, bounds.affordable))
),
attackers AS MATERIALIZED (
    SELECT
        targets.target,
        targets.known,
        targets.eligible,
        asked.wrong_percent,
        CAST(FLOOR(
            targets.known * asked.wrong_percent / 100
            + CAST(''0x'' || SUBSTR(MD5(''' || duckrisk_integer(seed) || ' share '' || targets.target), 1, 13) AS BIGINT)
                / 4503599627370496
        ) AS INTEGER) AS wrong
    FROM targets
    CROSS JOIN (VALUES (0), (10), (25)) AS asked (wrong_percent)
),
marks AS MATERIALIZED (
    SELECT place, cell, CAST(SUM(records) OVER (PARTITION BY place ORDER BY cell) AS BIGINT) AS up_to
    FROM (
' || array_to_string(list_transform(range(1, (((len(CAST(columns AS VARCHAR[])) + len(CAST(dates AS VARCHAR[]))) + len(CAST(numbers AS VARCHAR[]))) + 1)), lambda each_place, each_place_number: '        SELECT ' || each_place || ' AS place, c' || each_place || ' AS cell, SUM(copies) AS records
        FROM classes WHERE c' || each_place || ' IS NOT NULL GROUP BY c' || each_place || '
        UNION ALL
'), '') || '        SELECT 0 AS place, 0 AS cell, 0 AS records
    ) AS counted
),
-- An error of -1 stands for values that are equal or not.
errors AS MATERIALIZED (
' || array_to_string(list_transform(range(1, (len(CAST(columns AS VARCHAR[])) + 1)), lambda each_place, each_place_number: '    SELECT ' || each_place || ' AS place, CAST(-1 AS DOUBLE) AS error, CAST(0 AS DOUBLE) AS scale
    UNION ALL
'), '') || array_to_string(list_transform(range((len(CAST(columns AS VARCHAR[])) + 1), ((len(CAST(columns AS VARCHAR[])) + len(CAST(dates AS VARCHAR[]))) + 1)), lambda each_place, each_place_number: '    SELECT ' || each_place || ' AS place, CAST(' || duckrisk_integer(days) || ' AS DOUBLE) AS error, CAST(30 AS DOUBLE) AS scale
    UNION ALL
'), '') || array_to_string(list_transform(CAST(numbers AS VARCHAR[]), lambda each_column, each_column_number: '    SELECT
        ' || ((len(CAST(columns AS VARCHAR[])) + len(CAST(dates AS VARCHAR[]))) + each_column_number) || ' AS place,
        ' || duckrisk_number(band) || ' * (QUANTILE_DISC(a' || ((len(CAST(columns AS VARCHAR[])) + len(CAST(dates AS VARCHAR[]))) + each_column_number) || ', 0.75)
            - QUANTILE_DISC(a' || ((len(CAST(columns AS VARCHAR[])) + len(CAST(dates AS VARCHAR[]))) + each_column_number) || ', 0.25)) AS error,
        2 * error AS scale
    FROM records
    UNION ALL
'), '') || '    SELECT 0 AS place, 0 AS error, 0 AS scale
),
own AS MATERIALIZED (
    SELECT people.target, classes.*
    FROM people
    SEMI JOIN targets ON targets.target = people.target
    JOIN classes ON classes.candidate = people.candidate
),
own_facts AS MATERIALIZED (
    SELECT
        target,
        place,
        cell,
        ROW_NUMBER() OVER (
            PARTITION BY target ORDER BY MD5(''' || duckrisk_integer(seed) || ' fact '' || target || '' '' || place), place
        ) AS turn
    FROM (
' || array_to_string(list_transform(range(1, (((len(CAST(columns AS VARCHAR[])) + len(CAST(dates AS VARCHAR[]))) + len(CAST(numbers AS VARCHAR[]))) + 1)), lambda each_place, each_place_number: '        SELECT target, ' || each_place || ' AS place, c' || each_place || ' AS cell FROM own
        UNION ALL
'), '') || '        SELECT target, 0 AS place, NULL AS cell FROM own
    ) AS listed
    WHERE cell IS NOT NULL
    QUALIFY turn <= 8
),
drawn_records AS (
    SELECT
        own_facts.target,
        own_facts.turn,
        own_facts.place,
        own_facts.cell,
        attempts.attempt,
        1 + CAST(''0x'' || SUBSTR(MD5(''' || duckrisk_integer(seed) || ' wrong '' || own_facts.target || '' '' || own_facts.place || '' ''
            || attempts.attempt), 1, 13) AS BIGINT) % candidates.candidates AS record
    FROM own_facts
    CROSS JOIN RANGE(4) AS attempts (attempt)
    CROSS JOIN candidates
),
drawn_cells AS (
    SELECT
        drawn.target,
        drawn.turn,
        drawn.place,
        drawn.cell AS own_cell,
        drawn.attempt,
        CASE drawn.place
' || array_to_string(list_transform(range(1, (((len(CAST(columns AS VARCHAR[])) + len(CAST(dates AS VARCHAR[]))) + len(CAST(numbers AS VARCHAR[]))) + 1)), lambda each_place, each_place_number: '            WHEN ' || each_place || ' THEN classes.c' || each_place || '
'), '') || '        END AS cell
    FROM drawn_records AS drawn
    ASOF JOIN numbered ON drawn.record > numbered.records_before
    JOIN classes ON classes.candidate = numbered.candidate
),
chosen AS (
    SELECT target, turn, place, cell, FALSE AS is_wrong FROM own_facts
    UNION ALL
    SELECT target, turn, place, COALESCE(cell, own_cell) AS cell, TRUE AS is_wrong
    FROM drawn_cells
    QUALIFY ROW_NUMBER() OVER (
        PARTITION BY target, turn ORDER BY cell IS NULL OR cell = own_cell, attempt
    ) = 1
),
remembered AS (
    SELECT
        chosen.target,
        chosen.turn,
        chosen.is_wrong,
        chosen.place,
        GREATEST(errors.error, 0) AS error,
        chosen.cell + GREATEST(errors.error, 0) * (CAST(''0x'' || SUBSTR(MD5(
            ''' || duckrisk_integer(seed) || ' error '' || chosen.target || '' '' || chosen.turn || '' '' || chosen.is_wrong
        ), 1, 13) AS BIGINT) / 2251799813685248 - 1) AS cell
    FROM chosen
    JOIN errors ON errors.place = chosen.place
),
weighed AS MATERIALIZED (
    SELECT
        remembered.target,
        remembered.turn,
        remembered.is_wrong,
        remembered.place,
        remembered.cell,
        1 / LN(GREATEST(COALESCE(last.up_to, 0) - COALESCE(before.up_to, 0), 2)) AS weight
    FROM remembered
    ASOF LEFT JOIN marks AS last ON last.place = remembered.place AND remembered.cell + remembered.error >= last.cell
    ASOF LEFT JOIN marks AS before
        ON before.place = remembered.place AND remembered.cell - remembered.error > before.cell
),
asked AS MATERIALIZED (
    SELECT
        cases.target,
        cases.known,
        cases.wrong' || array_to_string(list_transform(range(1, (((len(CAST(columns AS VARCHAR[])) + len(CAST(dates AS VARCHAR[]))) + len(CAST(numbers AS VARCHAR[]))) + 1)), lambda each_place, each_place_number: ',
        MAX(CASE WHEN weighed.place = ' || each_place || ' THEN weighed.cell END) AS v' || each_place || ',
        MAX(CASE WHEN weighed.place = ' || each_place || ' THEN weighed.weight END) AS w' || each_place), '') || '
    FROM (SELECT DISTINCT target, known, wrong FROM attackers) AS cases
    JOIN weighed ON weighed.target = cases.target AND weighed.turn <= cases.known
        AND weighed.is_wrong = (weighed.turn <= cases.wrong)
    GROUP BY cases.target, cases.known, cases.wrong
),
scales AS (
    SELECT 0 AS nothing' || array_to_string(list_transform(range(1, (((len(CAST(columns AS VARCHAR[])) + len(CAST(dates AS VARCHAR[]))) + len(CAST(numbers AS VARCHAR[]))) + 1)), lambda each_place, each_place_number: ',
        MAX(CASE WHEN place = ' || each_place || ' THEN NULLIF(scale, 0) END) AS s' || each_place), '') || '
    FROM errors
),
scores AS (
    SELECT
        asked.target,
        asked.known,
        asked.wrong,
        classes.copies,
        own.candidate = classes.candidate AS is_own,
        -- Points are whole millionths, so that their sums do not depend on an order.
        CAST(ROUND(1000000 * (0
' || array_to_string(list_transform(range(1, (len(CAST(columns AS VARCHAR[])) + 1)), lambda each_place, each_place_number: '            + CASE WHEN classes.c' || each_place || ' = asked.v' || each_place || ' THEN asked.w' || each_place || ' ELSE 0 END
'), '') || array_to_string(list_transform(range((len(CAST(columns AS VARCHAR[])) + 1), (((len(CAST(columns AS VARCHAR[])) + len(CAST(dates AS VARCHAR[]))) + len(CAST(numbers AS VARCHAR[]))) + 1)), lambda each_place, each_place_number: '            + CASE WHEN classes.c' || each_place || ' = asked.v' || each_place || ' THEN asked.w' || each_place || '
                ELSE COALESCE(asked.w' || each_place || '
                    * EXP(-ABS(classes.c' || each_place || ' - asked.v' || each_place || ') / scales.s' || each_place || '), 0) END
'), '') || '        )) AS BIGINT) AS score
    FROM asked
    JOIN own ON own.target = asked.target
    CROSS JOIN scales
    CROSS JOIN classes
),
judged AS (
    SELECT
        target,
        known,
        wrong,
        MAX(score) AS best,
        -- The second of several equal ones is as good.
        GREATEST(COALESCE(MAX(score, 2)[2], 0), COALESCE(MAX(CASE WHEN copies > 1 THEN score END), 0)) AS second,
        MAX(CASE WHEN is_own THEN score END) AS own_score,
        CAST(SUM(copies * score) AS DOUBLE) AS total,
        CAST(SUM(copies * CAST(score AS HUGEINT) * score) AS DOUBLE) AS squares
    FROM scores
    GROUP BY target, known, wrong
),
answers AS (
    SELECT
        target,
        known,
        wrong,
        COALESCE(own_score = best AND second < best, FALSE) AS is_right,
        -- Nobody stands out from nobody else.
        candidates > 1
            AND best - second
            > 1.5 * SQRT(GREATEST(0, squares / candidates - (total / candidates) * (total / candidates)))
            AS is_answered
    FROM judged
    CROSS JOIN candidates
),
counted AS MATERIALIZED (
    SELECT
        attackers.known,
        attackers.wrong_percent,
        COUNT(*) AS targets,
        ANY_VALUE(attackers.eligible) AS eligible,
        ANY_VALUE(candidates.candidates) AS candidates,
        COUNT(*) FILTER (answers.is_right) AS best_right,
        COUNT(*) FILTER (answers.is_answered) AS answered,
        COUNT(*) FILTER (answers.is_answered AND answers.is_right) AS right_answers
    FROM attackers
    CROSS JOIN candidates
    LEFT JOIN answers ON answers.target = attackers.target AND answers.known = attackers.known
        AND answers.wrong = attackers.wrong
    GROUP BY attackers.known, attackers.wrong_percent
),
shares AS MATERIALIZED (
    SELECT 1000 * known + 10 * wrong_percent + measure AS place, successes, trials, 0.025 AS alpha
    FROM (
        SELECT known, wrong_percent, 0 AS measure, best_right AS successes, targets AS trials FROM counted
        UNION ALL
        SELECT known, wrong_percent, 1, answered, targets FROM counted
        UNION ALL
        SELECT known, wrong_percent, 2, right_answers, answered FROM counted
    ) AS listed
),
-- The lower end for k successes solves P(X >= k) = alpha; the upper end is 1 - the lower end for the failures.
sides AS (
    SELECT place, 0 AS side, successes AS k, trials, alpha FROM shares
    UNION ALL
    SELECT place, 1 AS side, trials - successes AS k, trials, alpha FROM shares
),
halves AS (
    SELECT
        *,
        CAST(CEIL(25 * SQRT(trials)) + 50 AS BIGINT) AS reach,
        0 AS step,
        CAST(0 AS DOUBLE) AS low,
        CAST(1 AS DOUBLE) AS high
    FROM sides
    UNION ALL
    SELECT
        * EXCLUDE (step, low, high, middle, tail),
        step + 1 AS step,
        CASE WHEN tail < alpha THEN middle ELSE low END AS low,
        CASE WHEN tail < alpha THEN high ELSE middle END AS high
    FROM (
        SELECT
            *,
            (low + high) / 2 AS middle,
            CASE
                WHEN trials * (low + high) / 2 <= k
                    THEN LIST_SUM(LIST_TRANSFORM(
                        RANGE(k, LEAST(trials, k + reach) + 1),
                        lambda i: EXP(
                            LGAMMA(trials + 1) - LGAMMA(i + 1) - LGAMMA(trials - i + 1)
                            + i * LN((low + high) / 2) + (trials - i) * LN(1 - (low + high) / 2)
                        )
                    ))
                ELSE 1 - COALESCE(LIST_SUM(LIST_TRANSFORM(
                    RANGE(GREATEST(0, k - reach), k),
                    lambda i: EXP(
                        LGAMMA(trials + 1) - LGAMMA(i + 1) - LGAMMA(trials - i + 1)
                        + i * LN((low + high) / 2) + (trials - i) * LN(1 - (low + high) / 2)
                    )
                )), 0)
            END AS tail
        FROM halves
        WHERE step < 60 AND k > 0
    ) AS tried
),
ends AS (
    SELECT place, side, (low + high) / 2 AS value
    FROM halves
    WHERE step = 60
),
intervals AS (
    SELECT
        shares.place,
        CAST(shares.successes AS DOUBLE) / NULLIF(shares.trials, 0) AS share,
        COALESCE(MAX(CASE WHEN ends.side = 0 THEN ends.value END), 0) AS lower,
        1 - COALESCE(MAX(CASE WHEN ends.side = 1 THEN ends.value END), 0) AS upper
    FROM shares
    LEFT JOIN ends ON ends.place = shares.place
    GROUP BY shares.place, shares.successes, shares.trials
)
SELECT
    CAST(counted.known AS INTEGER) AS known_facts,
    CAST(counted.wrong_percent AS INTEGER) AS wrong_percent,
    counted.targets AS attacked,
    counted.eligible,
    counted.candidates,
    1 / CAST(counted.candidates AS DOUBLE) AS blind_chance,
    counted.best_right,
    best.share AS best_right_share,
    best.lower AS best_right_lower,
    best.upper AS best_right_upper,
    counted.answered,
    answers.share AS answered_share,
    answers.lower AS answered_lower,
    answers.upper AS answered_upper,
    counted.right_answers,
    right_ones.share AS right_share,
    right_ones.lower AS right_lower,
    right_ones.upper AS right_upper,
    counted.answered - counted.right_answers AS wrong_answers,
    1 - right_ones.share AS wrong_share,
    1 - right_ones.upper AS wrong_lower,
    1 - right_ones.lower AS wrong_upper,
    counted.targets - counted.answered AS withheld,
    1 - answers.share AS withheld_share,
    1 - answers.upper AS withheld_lower,
    1 - answers.lower AS withheld_upper
FROM counted
JOIN intervals AS best ON best.place = 1000 * counted.known + 10 * counted.wrong_percent
JOIN intervals AS answers ON answers.place = 1000 * counted.known + 10 * counted.wrong_percent + 1
JOIN intervals AS right_ones ON right_ones.place = 1000 * counted.known + 10 * counted.wrong_percent + 2
ORDER BY known_facts, wrong_percent');

-- plausible_attacks
-- The four attacks of El Emam: the probability of an attempt and of its success.
--
--   source: the records
--   columns: the quasi-identifiers
--   controls: the recipient's controls of privacy and security: low, medium or high
--   motives: the recipient's motives and capacity to re-identify: low, medium or high
--   prevalence: p
--   acquaintances: m; 150 is Dunbar's number
--   breach: the chance of a breach in a year
--
--   FROM plausible_attacks('retail.parquet', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO plausible_attacks(source, columns, controls := 'low', motives := 'high', prevalence := 1, acquaintances := 150, breach := 0.27) AS TABLE
SELECT * FROM query('WITH found AS (
    SELECT average_risk, highest_risk
    FROM ' || '(' || 'WITH given AS (
    SELECT class_size AS f, classes AS c, records AS n
    FROM ' || '(' || 'WITH records AS (
    SELECT ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: duckrisk_column(each_column) || ' AS a' || each_column_number || ', '), '') || '1 AS one
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
classes AS (
    SELECT COUNT(*) AS class_size
    FROM records
    GROUP BY one' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ', a' || each_column_number), '') || '
),
sizes AS (
    SELECT class_size, COUNT(*) AS classes, CAST(SUM(class_size) AS BIGINT) AS records
    FROM classes
    GROUP BY class_size
),
below AS (
    SELECT
        class_size,
        classes,
        records,
        CAST(COALESCE(SUM(records) OVER (
            ORDER BY class_size ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0) AS BIGINT) AS records_below,
        SUM(records) OVER () AS all_records
    FROM sizes
)
SELECT
    class_size,
    classes,
    records,
    records_below,
    CAST(records_below AS DOUBLE) / CAST(all_records AS DOUBLE) AS share_below
FROM below
ORDER BY class_size' || ')' || ' AS duckrisk_source
    WHERE records > 0
)
SELECT
    CAST(COALESCE(SUM(n), 0) AS BIGINT) AS records,
    CAST(COALESCE(SUM(c), 0) AS BIGINT) AS classes,
    CAST(MIN(f) AS BIGINT) AS smallest_class,
    CAST(MAX(f) AS BIGINT) AS largest_class,
    CAST(SUM(CAST(f AS DECIMAL(38, 0)) * c) AS DOUBLE) / CAST(SUM(c) AS DOUBLE) AS average_class,
    CAST(COALESCE(SUM(CASE WHEN f = 1 THEN n ELSE 0 END), 0) AS BIGINT) AS alone,
    CAST(SUM(CASE WHEN f = 1 THEN n ELSE 0 END) AS DOUBLE) / CAST(SUM(n) AS DOUBLE) AS share_alone,
    1 / CAST(MIN(f) AS DOUBLE) AS highest_risk,
    1 / CAST(MAX(f) AS DOUBLE) AS lowest_risk,
    CASE WHEN SUM(CASE WHEN n = f * c THEN 0 ELSE 1 END) = 0
        THEN CAST(SUM(c) AS DOUBLE)
        ELSE CAST(SUM(CAST(CAST(n AS DOUBLE) / f AS DECIMAL(38, 18))) AS DOUBLE)
    END / CAST(SUM(n) AS DOUBLE) AS average_risk,
    CAST(SUM(CAST(CAST(c AS DOUBLE) / f AS DECIMAL(38, 18))) AS DOUBLE) / CAST(SUM(c) AS DOUBLE) AS class_average_risk
FROM given' || ')' || ' AS duckrisk_source
),
attempts AS (
    SELECT controls, motives, attempt
    FROM (
        VALUES
            (''high'', ''low'', 0.05), (''high'', ''medium'', 0.1), (''high'', ''high'', 0.2),
            (''medium'', ''low'', 0.2), (''medium'', ''medium'', 0.3), (''medium'', ''high'', 0.4),
            (''low'', ''low'', 0.4), (''low'', ''medium'', 0.5), (''low'', ''high'', 0.6)
    ) AS judged (controls, motives, attempt)
),
chances AS (
    SELECT 1 AS place, ''deliberate'' AS attack, CAST(attempt AS DOUBLE) AS attempt
    FROM attempts
    WHERE controls = ' || duckrisk_text(controls) || ' AND motives = ' || duckrisk_text(motives) || '
    UNION ALL
    SELECT 2, ''inadvertent'', 1 - POWER(1 - CAST(' || duckrisk_number(prevalence) || ' AS DOUBLE), ' || duckrisk_integer(acquaintances) || ')
    UNION ALL
    SELECT 3, ''breach'', CAST(' || duckrisk_number(breach) || ' AS DOUBLE)
    UNION ALL
    SELECT 4, ''public'', CAST(1 AS DOUBLE)
)
SELECT
    chances.attack,
    chances.attempt,
    chances.attempt * found.average_risk AS average_risk,
    chances.attempt * found.highest_risk AS highest_risk
FROM chances CROSS JOIN found
ORDER BY chances.place');

-- population_sizes
-- The sizes of the records' classes in the population of the attacker.
--
--   source: the records
--   population: the people that an attacker looks among
--   columns: the quasi-identifiers, called the same in both tables
--   quantity: the people of a row of the population; NULL takes a row as one person
--
--   FROM population_sizes('retail.parquet', 'retail.parquet', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO population_sizes(source, population, columns, quantity := NULL) AS TABLE
SELECT * FROM query('WITH both_tables AS (
    SELECT ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: duckrisk_identifier(each_column) || ' AS a' || each_column_number || ', '), '') || '1 AS record,
        0 AS people
    FROM ' || duckrisk_relation(source) || '
    UNION ALL
    SELECT ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: duckrisk_identifier(each_column) || ' AS a' || each_column_number || ', '), '') || '0 AS record,
' || CASE WHEN quantity IS NOT NULL THEN 'CAST(' || duckrisk_identifier(quantity) || ' AS DOUBLE)' ELSE '1' END || ' AS people
    FROM ' || duckrisk_relation(population) || '
),
classes AS (
    SELECT SUM(record) AS class_size, COALESCE(SUM(people), 0) AS population_size
    FROM both_tables
    GROUP BY record * 0' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ', a' || each_column_number), '') || '
)
SELECT
    CAST(class_size AS BIGINT) AS class_size,
    CAST(population_size AS DOUBLE) AS population_size,
    COUNT(*) AS classes,
    CAST(SUM(class_size) AS BIGINT) AS records
FROM classes
GROUP BY class_size, population_size
ORDER BY class_size, population_size');

-- population_uniqueness
-- The share of unique people in the population, estimated from a sample: Zayatz, Pitman, SNB and Dankar's rule.
--
--   source: the records
--   columns: the quasi-identifiers
--   fraction: the share of the population that the records are, above 0, at most 1
--
--   FROM population_uniqueness('retail.parquet', ['UnitPrice', 'Quantity'], 0.5);
CREATE OR REPLACE TEMP MACRO population_uniqueness(source, columns, fraction) AS TABLE
SELECT * FROM query('WITH RECURSIVE sizes AS (
    SELECT CAST(class_size AS DOUBLE) AS i, CAST(SUM(classes) AS DOUBLE) AS c
    FROM ' || '(' || 'WITH records AS (
    SELECT ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: duckrisk_column(each_column) || ' AS a' || each_column_number || ', '), '') || '1 AS one
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
classes AS (
    SELECT COUNT(*) AS class_size
    FROM records
    GROUP BY one' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ', a' || each_column_number), '') || '
),
sizes AS (
    SELECT class_size, COUNT(*) AS classes, CAST(SUM(class_size) AS BIGINT) AS records
    FROM classes
    GROUP BY class_size
),
below AS (
    SELECT
        class_size,
        classes,
        records,
        CAST(COALESCE(SUM(records) OVER (
            ORDER BY class_size ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0) AS BIGINT) AS records_below,
        SUM(records) OVER () AS all_records
    FROM sizes
)
SELECT
    class_size,
    classes,
    records,
    records_below,
    CAST(records_below AS DOUBLE) / CAST(all_records AS DOUBLE) AS share_below
FROM below
ORDER BY class_size' || ')' || ' AS duckrisk_source
    WHERE classes > 0
    GROUP BY class_size
),
given AS MATERIALIZED (
    SELECT
        CAST(' || duckrisk_number(fraction) || ' AS DOUBLE) AS f,
        LIST(i ORDER BY i) AS i,
        LIST(c ORDER BY i) AS c,
        CAST(SUM(CAST(i AS DECIMAL(38, 0)) * CAST(c AS DECIMAL(38, 0))) AS DOUBLE) AS n,
        CAST(SUM(CAST(c AS DECIMAL(38, 0))) AS DOUBLE) AS u,
        COALESCE(ANY_VALUE(CASE WHEN i = 1 THEN c END), 0) AS c1,
        COALESCE(ANY_VALUE(CASE WHEN i = 2 THEN c END), 0) AS c2
    FROM sizes
),
totals AS MATERIALIZED (
    SELECT *, LEN(i) AS many, FLOOR(n / f + 1e-6) AS people
    FROM given
),
-- Zayatz: each chance as a product, a long one by the midpoints of 2,048 stretches.
chances AS (
    SELECT
        c1,
        n,
        c,
        many,
        LIST_TRANSFORM(i, lambda size: size * n / people * CASE
            WHEN size = 1 THEN 1
            ELSE EXP((size - 1) / LEAST(size - 1, 2048) * LIST_SUM(LIST_TRANSFORM(
                RANGE(0, CAST(LEAST(size - 1, 2048) AS BIGINT)),
                lambda j: LN(GREATEST(1e-300, 1 - (n - 1) / GREATEST(
                    1, people - 0.5 - (j + 0.5) * (size - 1) / LEAST(size - 1, 2048)
                )))
            )))
        END) AS chance,
        n / people AS chance_of_one
    FROM totals
),
zayatz AS (
    SELECT c1 / n * c1 * chance_of_one / LIST_SUM(LIST_TRANSFORM(RANGE(1, many + 1), lambda k: c[k] * chance[k]))
        AS share
    FROM chances
    WHERE c1 > 0
),
-- Pitman: where it is likeliest for a given a, b = t + a is found by halving LN(b); of 64 values of a the last at
-- which that
-- likelihood still rises begins 64 finer ones, eight times. A gap is digamma(y + m) - digamma(y).
likelier AS (
    SELECT 0 AS step, CAST(1e-30 AS DOUBLE) AS a, CAST(NULL AS DOUBLE) AS t
    FROM totals
    WHERE c1 > 0 AND u > 1 AND u < n
    UNION ALL
    SELECT step + 1 AS step, MAX(a) AS a, ARG_MAX(t, a) AS t
    FROM (
        SELECT
            *,
            b - a AS t,
            LIST_TRANSFORM(
                LIST_CONCAT([{''y'': b / a, ''m'': u - 1}], LIST_TRANSFORM(i, lambda size: {''y'': 1 - a, ''m'': size - 1})),
                lambda p: LIST_SUM(LIST_TRANSFORM(RANGE(0, 8), lambda j: p.m / ((p.y + j) * (p.y + j + p.m))))
                    + CASE WHEN p.m < p.y + 8 THEN 2 * ATANH(p.m / (2 * (p.y + 8) + p.m))
                        ELSE LN(1 + p.m / (p.y + 8)) END
                    + p.m / (2 * (p.y + 8) * (p.y + 8 + p.m))
                    + LIST_SUM(LIST_TRANSFORM(
                        [{''w'': POWER(p.y + 8, -2), ''sign'': 1}, {''w'': POWER(p.y + 8 + p.m, -2), ''sign'': -1}],
                        lambda q: q.sign * q.w * (1 / 12 - q.w * (1 / 120 - q.w * (1 / 252
                            - q.w * (1 / 240 - q.w * (1 / 132 - q.w * 691 / 32760)))))
                    ))
            ) AS gap
        FROM (
            SELECT
                *,
                EXP(LIST_REDUCE(
                    LIST_CONCAT([CAST(-50 AS DOUBLE)], LIST_TRANSFORM(RANGE(0, 56), lambda k: POWER(0.5, k - 6))),
                    lambda x, h: x + CASE WHEN LIST_SUM(LIST_TRANSFORM(
                        [{''y'': EXP(x + h) / a, ''m'': u - 1, ''by'': 1 / a}, {''y'': EXP(x + h) + 1 - a, ''m'': n - 1,
                            ''by'': -1}],
                        lambda p: p.by * (
                            LIST_SUM(LIST_TRANSFORM(RANGE(0, 8), lambda j: p.m / ((p.y + j) * (p.y + j + p.m))))
                            + CASE WHEN p.m < p.y + 8 THEN 2 * ATANH(p.m / (2 * (p.y + 8) + p.m))
                                ELSE LN(1 + p.m / (p.y + 8)) END
                            + p.m / (2 * (p.y + 8) * (p.y + 8 + p.m))
                            + LIST_SUM(LIST_TRANSFORM(
                                [{''w'': POWER(p.y + 8, -2), ''sign'': 1}, {''w'': POWER(p.y + 8 + p.m, -2), ''sign'': -1}],
                                lambda q: q.sign * q.w * (1 / 12 - q.w * (1 / 120 - q.w * (1 / 252
                                    - q.w * (1 / 240 - q.w * (1 / 132 - q.w * 691 / 32760)))))
                            ))
                        )
                    )) > 0 THEN h ELSE 0 END
                )) AS b
            FROM (
                SELECT
                    likelier.step,
                    likelier.a + places.k * POWER(64, -likelier.step - 1) AS a,
                    places.k,
                    totals.i,
                    totals.c,
                    totals.many,
                    totals.n,
                    totals.u
                FROM likelier
                CROSS JOIN totals
                CROSS JOIN RANGE(0, 64) AS places(k)
                WHERE likelier.step < 8
            ) AS finer
        ) AS likeliest
    ) AS gaps
    -- sum i / (t + i a), as a series where a is small, and sum c sum 1 / (j - a)
    WHERE k = 0 OR CASE
        WHEN a * u < 3e-4 * t THEN (u - 1) * u / t * (1 / 2 - a / t * ((2 * u - 1) / 6 - a / t * (
            (u - 1) * u / 4 - a / t * (2 * u - 1) * (3 * (u - 1) * u - 1) / 30
        )))
        ELSE (u - 1 - t / a * gap[1]) / a
    END > LIST_SUM(LIST_TRANSFORM(RANGE(1, many + 1), lambda k: c[k] * gap[k + 1]))
    GROUP BY step
),
pitman AS (
    SELECT a, t, EXP(LGAMMA(t + 1) - LGAMMA(t + a) + (a - 1) * LN(people)) AS share
    FROM (SELECT CASE WHEN a > 1e-20 THEN a ELSE 0 END AS a, t FROM likelier WHERE step = 8) AS most_likely
    CROSS JOIN totals
),
-- kappa: LN(r) / a is the sum of LN(1 + a / y) / a from y = t + n to t + N - 1, the first 32 terms one by one, the
-- others by their integral (Euler and Maclaurin). No difference of gammas is divided by a, which can be nearly 0.
rises AS (
    SELECT
        *,
        LIST_SUM(LIST_TRANSFORM(
            RANGE(0, CAST(LEAST(32, people - n) AS BIGINT)),
            lambda j: CASE WHEN a = 0 THEN 1 / (t + n + j) ELSE 2 * ATANH(a / (2 * (t + n + j) + a)) / a END
        )) + CASE WHEN people - n <= 32 THEN 0 ELSE
            LN((high + a) / (low + a)) + high * of_high - low * of_low + (of_low - of_high) / 2
            + (1 / (low * (low + a)) - 1 / (high * (high + a))) / 12
            - ((3 * low * (low + a) + a * a) / POWER(low * (low + a), 3)
                - (3 * high * (high + a) + a * a) / POWER(high * (high + a), 3)) / 360
        END AS gap
    FROM (
        SELECT
            *,
            CASE WHEN a = 0 THEN 1 / low ELSE 2 * ATANH(a / (2 * low + a)) / a END AS of_low,
            CASE WHEN a = 0 THEN 1 / high ELSE 2 * ATANH(a / (2 * high + a)) / a END AS of_high
        FROM (SELECT *, t + n + 32 AS low, t + people AS high FROM pitman CROSS JOIN totals) AS ends
    ) AS slopes
),
kappa AS (
    SELECT (
        u * EXP(a * gap)
        + t * gap * CASE WHEN a = 0 THEN 1 ELSE EXP(a * gap / 2) * SINH(a * gap / 2) / (a * gap / 2) END
    ) / people AS share
    FROM rises
    WHERE people > n
),
-- SNB: for each b one a has the ratio of c_2 to c_1; b is where c_1 is right, by the first of 64 stretches, and so on.
shlosser AS (
    SELECT
        f,
        c1,
        c2,
        u + c1
        * LIST_SUM(LIST_TRANSFORM(RANGE(1, many + 1), lambda k: c[k] * i[k] * f * f * POWER(1 - f * f, i[k] - 1)))
        / LIST_SUM(LIST_TRANSFORM(RANGE(1, many + 1), lambda k: c[k] * (POWER(1 - f * f, i[k]) - POWER(1 - f, i[k]))))
        * POWER(
            LIST_SUM(LIST_TRANSFORM(RANGE(1, many + 1), lambda k: c[k] * POWER(1 - f, i[k])))
            / LIST_SUM(LIST_TRANSFORM(RANGE(1, many + 1), lambda k: c[k] * i[k] * f * POWER(1 - f, i[k] - 1))),
            2
        ) AS classes
    FROM totals
    WHERE f < 1 AND c1 > 0 AND c2 > 0
),
stretches AS (
    SELECT 0 AS step, CAST(0 AS DOUBLE) AS low, CAST(1 AS DOUBLE) AS high, CAST(NULL AS DOUBLE) AS a
    FROM shlosser
    UNION ALL
    SELECT step + 1 AS step, b[place - 1] AS low, b[place] AS high, a[place] AS a
    FROM (
        SELECT
            *,
            LIST_POSITION(LIST_TRANSFORM(RANGE(1, 66), lambda k: k > 1
                AND COALESCE(off[k] >= 0, FALSE) AND COALESCE(off[GREATEST(k - 1, 1)] < 0, k = 2)), TRUE) AS place
        FROM (
            SELECT
                *,
                LIST_TRANSFORM(RANGE(1, 66), lambda k: classes * f
                    * POWER(b[k] / (1 - (1 - f) * (1 - b[k])), a[k])
                    * (1 + a[k] * (1 - f) * (1 - b[k]) / (1 - (1 - f) * (1 - b[k]))) - c1) AS off
            FROM (
                SELECT
                    *,
                    LIST_TRANSFORM(b, lambda x: 2 * r * POWER(1 - (1 - f) * (1 - x), 2) / (
                        (1 - x) * (2 - (1 - f) * (1 - x)) - r * (1 - (1 - f) * (1 - x)) * (1 - f) * (1 - x)
                        + SQRT(POWER(
                            (1 - x) * (2 - (1 - f) * (1 - x)) - r * (1 - (1 - f) * (1 - x)) * (1 - f) * (1 - x), 2
                        ) + 4 * (1 - x) * (1 - f) * (1 - x) * r * POWER(1 - (1 - f) * (1 - x), 2))
                    )) AS a
                FROM (
                    SELECT
                        stretches.step,
                        shlosser.f,
                        shlosser.c1,
                        shlosser.classes,
                        2 * shlosser.c2 / (shlosser.f * shlosser.c1) AS r,
                        LIST_TRANSFORM(RANGE(0, 65), lambda k: LEAST(
                            stretches.low + (stretches.high - stretches.low) * k / 64, 1 - 1e-9
                        )) AS b
                    FROM stretches
                    CROSS JOIN shlosser
                    WHERE stretches.step < 9
                ) AS grid
            ) AS alphas
        ) AS expected
    ) AS found
    WHERE place IS NOT NULL
),
snb AS (
    SELECT shlosser.classes * POWER(stretches.high, stretches.a) / totals.people AS share
    FROM stretches
    CROSS JOIN shlosser
    CROSS JOIN totals
    WHERE stretches.step = 9
    UNION ALL
    SELECT c1 / n AS share
    FROM totals
    WHERE f = 1
),
estimates AS (
    SELECT
        n,
        people,
        f,
        c1,
        CASE WHEN people = n OR c1 = 0 THEN u / people ELSE (SELECT share FROM kappa) END AS kappa,
        CASE WHEN c1 = 0 AND n > 0 THEN 0 ELSE (SELECT share FROM zayatz) END AS zayatz,
        CASE WHEN c1 = 0 AND n > 0 THEN 0 ELSE (SELECT share FROM pitman WHERE share BETWEEN 0 AND 1) END AS pitman,
        CASE WHEN c1 = 0 AND n > 0 THEN 0 ELSE (SELECT share FROM snb WHERE share BETWEEN 0 AND 1) END AS snb
    FROM totals
),
chosen AS (
    SELECT
        *,
        CASE
            WHEN c1 = 0 OR n IS NULL THEN NULL
            WHEN f <= 0.1 AND pitman > 0 THEN ''pitman''
            WHEN f > 0.1 AND snb < zayatz * (1 - 1e-9) THEN ''snb''
            ELSE ''zayatz''
        END AS dankar_model
    FROM estimates
)
SELECT
    CAST(COALESCE(n, 0) AS BIGINT) AS records,
    people,
    zayatz,
    pitman,
    (SELECT a FROM pitman) AS pitman_alpha,
    (SELECT t FROM pitman) AS pitman_theta,
    snb,
    CASE dankar_model WHEN ''pitman'' THEN pitman WHEN ''snb'' THEN snb ELSE zayatz END AS dankar,
    dankar_model,
    kappa
FROM chosen');

-- reidentification_risk
-- Prosecutor and marketer risk of class sizes: the target is known to be in the table.
--
--   source: the records
--   columns: the quasi-identifiers
--
--   FROM reidentification_risk('retail.parquet', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO reidentification_risk(source, columns) AS TABLE
SELECT * FROM query('WITH given AS (
    SELECT class_size AS f, classes AS c, records AS n
    FROM ' || '(' || 'WITH records AS (
    SELECT ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: duckrisk_column(each_column) || ' AS a' || each_column_number || ', '), '') || '1 AS one
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
classes AS (
    SELECT COUNT(*) AS class_size
    FROM records
    GROUP BY one' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ', a' || each_column_number), '') || '
),
sizes AS (
    SELECT class_size, COUNT(*) AS classes, CAST(SUM(class_size) AS BIGINT) AS records
    FROM classes
    GROUP BY class_size
),
below AS (
    SELECT
        class_size,
        classes,
        records,
        CAST(COALESCE(SUM(records) OVER (
            ORDER BY class_size ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0) AS BIGINT) AS records_below,
        SUM(records) OVER () AS all_records
    FROM sizes
)
SELECT
    class_size,
    classes,
    records,
    records_below,
    CAST(records_below AS DOUBLE) / CAST(all_records AS DOUBLE) AS share_below
FROM below
ORDER BY class_size' || ')' || ' AS duckrisk_source
    WHERE records > 0
)
SELECT
    CAST(COALESCE(SUM(n), 0) AS BIGINT) AS records,
    CAST(COALESCE(SUM(c), 0) AS BIGINT) AS classes,
    CAST(MIN(f) AS BIGINT) AS smallest_class,
    CAST(MAX(f) AS BIGINT) AS largest_class,
    CAST(SUM(CAST(f AS DECIMAL(38, 0)) * c) AS DOUBLE) / CAST(SUM(c) AS DOUBLE) AS average_class,
    CAST(COALESCE(SUM(CASE WHEN f = 1 THEN n ELSE 0 END), 0) AS BIGINT) AS alone,
    CAST(SUM(CASE WHEN f = 1 THEN n ELSE 0 END) AS DOUBLE) / CAST(SUM(n) AS DOUBLE) AS share_alone,
    1 / CAST(MIN(f) AS DOUBLE) AS highest_risk,
    1 / CAST(MAX(f) AS DOUBLE) AS lowest_risk,
    CASE WHEN SUM(CASE WHEN n = f * c THEN 0 ELSE 1 END) = 0
        THEN CAST(SUM(c) AS DOUBLE)
        ELSE CAST(SUM(CAST(CAST(n AS DOUBLE) / f AS DECIMAL(38, 18))) AS DOUBLE)
    END / CAST(SUM(n) AS DOUBLE) AS average_risk,
    CAST(SUM(CAST(CAST(c AS DOUBLE) / f AS DECIMAL(38, 18))) AS DOUBLE) / CAST(SUM(c) AS DOUBLE) AS class_average_risk
FROM given');

-- suda
-- Special uniques: for each record that is unique on a small attribute set, its score and the smallest such set.
--
--   source: the records
--   columns: the attributes an attacker may know
--   max_size: attributes of a set at most
--   sampling_fraction: the share of the population that the records are
--
--   FROM suda('retail.parquet', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO suda(source, columns, max_size := 3, sampling_fraction := 0.01) AS TABLE
SELECT * FROM query('WITH records AS (
    SELECT
        ROW_NUMBER() OVER () AS record
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '        , ' || duckrisk_column(each_column) || ' AS v' || (each_column_number - 1) || '
'), '') || '    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: 'codes' || (each_column_number - 1) || ' AS MATERIALIZED (
    SELECT value, ROW_NUMBER() OVER () AS code
    FROM (SELECT DISTINCT v' || (each_column_number - 1) || ' AS value FROM records) AS different
    WHERE value IS NOT NULL
),
'), '') || 'combinations AS MATERIALIZED (
    SELECT
        COUNT(*) AS records,
        CASE WHEN COUNT(*) = 1 THEN ANY_VALUE(record) END AS record
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '        , COALESCE(codes' || (each_column_number - 1) || '.code, 0) AS c' || (each_column_number - 1) || '
'), '') || '    FROM records
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '    LEFT JOIN codes' || (each_column_number - 1) || ' ON codes' || (each_column_number - 1) || '.value = records.v' || (each_column_number - 1) || '
'), '') || '    GROUP BY ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: 'COALESCE(codes' || (each_number - 1) || '.code, 0)'), ', ') || '

),
attributes AS MATERIALIZED (
    SELECT place - 1 AS position, names[place] AS name, CAST(1 AS BIGINT) << (place - 1) AS bit
    FROM (SELECT [' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: duckrisk_text(each_item)), ', ') || '] AS names) AS given
    CROSS JOIN (SELECT UNNEST(RANGE(1, ' || len(CAST(columns AS VARCHAR[])) || ' + 1)) AS place) AS places
),
sets AS MATERIALIZED (
    SELECT mask
    FROM (SELECT UNNEST(RANGE(1, 1 << ' || len(CAST(columns AS VARCHAR[])) || ')) AS mask) AS masks
    WHERE BIT_COUNT(mask) <= ' || duckrisk_integer(max_size) || '
),
uniques AS MATERIALIZED (
    SELECT mask, ANY_VALUE(record) AS record
    FROM combinations
    CROSS JOIN sets
    GROUP BY mask' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ',
        CASE WHEN ((mask >> ' || (each_column_number - 1) || ') & 1) = 1 THEN c' || (each_column_number - 1) || ' END'), '') || '
    HAVING COUNT(*) = 1 AND COUNT(record) = 1
),
larger AS (
    SELECT DISTINCT uniques.record, uniques.mask | attributes.bit AS mask
    FROM uniques
    JOIN attributes ON (uniques.mask & attributes.bit) = 0
),
weights AS (
    SELECT
        size,
        LIST_REDUCE(
            LIST_PREPEND(
                CAST(1 AS HUGEINT),
                [CAST(' || len(CAST(columns AS VARCHAR[])) || ' - one AS HUGEINT) FOR one
                IN RANGE(size, LEAST(' || duckrisk_integer(max_size) || ', ' || len(CAST(columns AS VARCHAR[])) || ' - 1) + 1)]),
            lambda product, factor: product * factor
        ) AS weight
    FROM (SELECT UNNEST(RANGE(1, ' || len(CAST(columns AS VARCHAR[])) || ' + 1)) AS size) AS numbers
),
scores AS MATERIALIZED (
    SELECT
        minimal.record,
        CAST(SUM(weights.weight) AS BIGINT) AS score,
        COUNT(*) AS minimal_uniques,
        ARG_MIN(minimal.mask, (BIT_COUNT(minimal.mask), minimal.mask)) AS mask
    FROM (
        SELECT uniques.record, uniques.mask
        FROM uniques
        WHERE NOT EXISTS (SELECT 1 FROM larger WHERE larger.record = uniques.record AND larger.mask = uniques.mask)
    ) AS minimal
    JOIN weights ON weights.size = BIT_COUNT(minimal.mask)
    GROUP BY minimal.record
),
weighed AS (
    SELECT score, COUNT(*) AS n, POWER(CAST(score AS DOUBLE), 1 + (8 - ' || len(CAST(columns AS VARCHAR[])) || ') / 20) AS weight
    FROM scores
    GROUP BY score
),
totals AS (
    SELECT
        alone,
        alone * ' || duckrisk_number(sampling_fraction) || '
            / (alone * ' || duckrisk_number(sampling_fraction) || ' + paired * (1 - ' || duckrisk_number(sampling_fraction) || ')) AS matched,
        (SELECT SUM(n / weight ORDER BY score) FROM weighed) AS spread
    FROM (
        SELECT
            CAST(COUNT(CASE WHEN records = 1 THEN 1 END) AS DOUBLE) AS alone,
            CAST(COALESCE(SUM(CASE WHEN records = 2 THEN 2 END), 0) AS DOUBLE) AS paired
        FROM combinations
    ) AS counted
)
SELECT
    scores.record,
    scores.score,
    1 / (1 + (totals.alone / totals.matched - totals.alone) / (weighed.weight * totals.spread)) AS dis,
    scores.minimal_uniques,
    (SELECT LIST(name ORDER BY position) FROM attributes WHERE (scores.mask & attributes.bit) <> 0) AS attributes
FROM scores
JOIN weighed ON weighed.score = scores.score
CROSS JOIN totals
ORDER BY scores.score DESC, scores.record');

-- weighted_sizes
-- The sizes of the records' classes in the population, estimated from survey weights.
--
--   source: the records
--   weight: number of people of the population that a record represents
--   columns: the quasi-identifiers
--
--   FROM weighted_sizes('retail.parquet', 'Quantity', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO weighted_sizes(source, weight, columns) AS TABLE
SELECT * FROM query('WITH records AS (
    SELECT
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '        ' || duckrisk_column(each_column) || ' AS a' || each_column_number || ',
'), '') || '        CAST(CASE
            WHEN CAST(' || duckrisk_column(weight) || ' AS DOUBLE) > 0 AND CAST(' || duckrisk_column(weight) || ' AS DOUBLE) < 1e25
                THEN CAST(' || duckrisk_column(weight) || ' AS DECIMAL(38, 12))
            ELSE 1
        END AS DECIMAL(38, 12)) AS weight
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
classes AS (
    SELECT COUNT(*) AS class_size, SUM(weight) AS population_size
    FROM records
    GROUP BY weight * 0' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ', a' || each_column_number), '') || '
)
SELECT
    class_size,
    CAST(population_size AS DOUBLE) AS population_size,
    COUNT(*) AS classes,
    CAST(SUM(class_size) AS BIGINT) AS records
FROM classes
GROUP BY class_size, population_size
ORDER BY class_size, population_size');

-- identifiability
-- The easiest attribute set that singles out each record, and the value of a leak of the record.
--
--   source: the records
--   columns: the attributes an attacker may know
--   levels: the economic and psychological level of each of them, as in '1,2'
--   missing_tokens: texts that count as missing
--   missing_is_value: a missing value is a value of its own
--   base: the value of the least sensitive record
--
--   FROM identifiability('retail.parquet', ['UnitPrice', 'Quantity'], ['2,1', '2,1']);
CREATE OR REPLACE TEMP MACRO identifiability(source, columns, levels, missing_tokens := ['', '?', '*', 'NULL', 'N/A'], missing_is_value := false, base := 500) AS TABLE
SELECT * FROM query('WITH records AS (
    SELECT
        ROW_NUMBER() OVER () AS record
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '        , CAST(' || duckrisk_column(each_column) || ' AS VARCHAR) AS v' || (each_column_number - 1) || '
'), '') || '    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
tokens AS (
    SELECT UNNEST([' || array_to_string(list_transform(CAST(missing_tokens AS VARCHAR[]), lambda each_token, each_token_number: duckrisk_text(each_token) || ', '), '') || 'NULL]) AS token
),
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: 'codes' || (each_column_number - 1) || ' AS MATERIALIZED (
    SELECT value, ROW_NUMBER() OVER () AS code
    FROM (SELECT DISTINCT v' || (each_column_number - 1) || ' AS value FROM records) AS different
    WHERE NOT EXISTS (SELECT 1 FROM tokens WHERE token = TRIM(value))
),
'), '') || 'combinations AS MATERIALIZED (
    SELECT
        CASE WHEN COUNT(*) = 1 THEN ANY_VALUE(record) END AS record
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '        , COALESCE(codes' || (each_column_number - 1) || '.code, 0) AS c' || (each_column_number - 1) || '
'), '') || '    FROM records
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '    LEFT JOIN codes' || (each_column_number - 1) || ' ON codes' || (each_column_number - 1) || '.value = records.v' || (each_column_number - 1) || '
'), '') || '    GROUP BY ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: 'COALESCE(codes' || (each_number - 1) || '.code, 0)'), ', ') || '

),
attributes AS MATERIALIZED (
    SELECT
        place - 1 AS position,
        names[place] AS name,
        CAST(SPLIT_PART(levels[place], '','', 1) AS INTEGER) AS economic,
        CAST(SPLIT_PART(levels[place], '','', 2) AS INTEGER) AS psychological
    FROM (
        SELECT
            [' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: duckrisk_text(each_item)), ', ') || '] AS names,
            [' || array_to_string(list_transform(CAST(levels AS VARCHAR[]), lambda each_item, each_number: duckrisk_text(each_item)), ', ') || '] AS levels
    ) AS given
    CROSS JOIN (SELECT UNNEST(RANGE(1, ' || len(CAST(columns AS VARCHAR[])) || ' + 1)) AS place) AS places
),
sets AS MATERIALIZED (
    SELECT
        mask,
        ROUND(
            2 * POWER(CAST(0.9 AS DOUBLE), COUNT(*) - 1)
            / (LOG2(POWER(5, MAX(economic) - 1) + POWER(10, MAX(psychological) - 1) - 1) / 3 + 1),
            12
        ) AS ease
    FROM (SELECT UNNEST(RANGE(1, 1 << ' || len(CAST(columns AS VARCHAR[])) || ')) AS mask) AS masks
    JOIN attributes ON ((mask >> position) & 1) = 1
    GROUP BY mask
),
grouped AS (
    SELECT mask, ANY_VALUE(record) AS record
    FROM combinations
    CROSS JOIN sets
    WHERE ' || duckrisk_flag(missing_is_value) || ' OR NOT (
        ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: '(((mask >> ' || (each_number - 1) || ') & 1) = 1 AND c' || (each_number - 1) || ' = 0)'), ' OR ') || '

    )
    GROUP BY mask' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ',
        CASE WHEN ((mask >> ' || (each_column_number - 1) || ') & 1) = 1 THEN c' || (each_column_number - 1) || ' END'), '') || '
    HAVING COUNT(*) = 1
),
best AS (
    SELECT record, ease, MIN(mask) AS mask, COUNT(*) AS equal_sets
    FROM (
        SELECT grouped.record, sets.ease, mask, MAX(sets.ease) OVER (PARTITION BY grouped.record) AS highest
        FROM grouped
        JOIN sets USING (mask)
        WHERE grouped.record IS NOT NULL
    ) AS ranked
    WHERE ease = highest
    GROUP BY record, ease
),
held AS (
    SELECT record, MAX(economic) AS economic, MAX(psychological) AS psychological
    FROM (
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '        SELECT record, ' || (each_column_number - 1) || ' AS position FROM combinations
        WHERE record IS NOT NULL AND c' || (each_column_number - 1) || ' <> 0
' || CASE WHEN NOT (each_column_number = len(CAST(columns AS VARCHAR[]))) THEN '        UNION ALL
' ELSE '' END), '') || '    ) AS present
    JOIN attributes USING (position)
    GROUP BY record
)
SELECT
    record,
    ease,
    COALESCE(POWER(5, economic - 1) + POWER(10, psychological - 1), 0) * ease * ' || duckrisk_number(base) || ' AS value,
    (SELECT LIST(name ORDER BY position) FROM attributes WHERE ((best.mask >> position) & 1) = 1) AS attributes,
    equal_sets
FROM best
LEFT JOIN held USING (record)
ORDER BY value DESC, record');

-- association_rules
-- Association rules between items of a basket, "who buys this buys that", with their measures.
--
--   source: the records
--   user_column: the column of the person behind a record; NULL takes each record as a person
--   item: the purchased item
--   basket: the columns that with the person define a basket, such as day and time
--   least_support: minimum support of a rule
--   least_confidence: minimum confidence of a rule
--
--   FROM association_rules('retail.parquet', 'CustomerID', 'StockCode', ['InvoiceDate']);
CREATE OR REPLACE TEMP MACRO association_rules(source, user_column, item, basket, least_support := 0.01, least_confidence := 0.3) AS TABLE
SELECT * FROM query('WITH history AS (
    SELECT
        ' || duckrisk_person(user_column) || ' AS user_id,
' || array_to_string(list_transform(CAST(basket AS VARCHAR[]), lambda each_column, each_column_number: '        ' || duckrisk_column(each_column) || ' AS b' || each_column_number || ',
'), '') || '        CAST(' || duckrisk_column(item) || ' AS VARCHAR) AS item
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
bought AS (
    SELECT user_id, ' || array_to_string(list_transform(CAST(basket AS VARCHAR[]), lambda each_column, each_column_number: 'b' || each_column_number || ', '), '') || 'item
    FROM history
    WHERE user_id IS NOT NULL AND item IS NOT NULL
    GROUP BY user_id, ' || array_to_string(list_transform(CAST(basket AS VARCHAR[]), lambda each_column, each_column_number: 'b' || each_column_number || ', '), '') || 'item
),
baskets AS (
    SELECT ROW_NUMBER() OVER () AS basket, LIST(item) AS items
    FROM bought
    GROUP BY user_id' || array_to_string(list_transform(CAST(basket AS VARCHAR[]), lambda each_column, each_column_number: ', b' || each_column_number), '') || '
),
totals AS (
    SELECT COUNT(*) AS baskets FROM baskets
),
contents AS (
    SELECT basket, UNNEST(items) AS item FROM baskets
),
frequent AS (
    SELECT contents.item, COUNT(*) AS baskets
    FROM contents
    GROUP BY contents.item
    HAVING CAST(COUNT(*) AS DOUBLE) / (SELECT baskets FROM totals) >= ' || duckrisk_number(least_support) || '
),
numbered AS (
    SELECT ROW_NUMBER() OVER (ORDER BY item) AS number, item, baskets FROM frequent
),
kept AS (
    SELECT contents.basket, numbered.number
    FROM contents
    JOIN numbered ON numbered.item = contents.item
),
pairs AS (
    SELECT a.number AS first, b.number AS second, COUNT(*) AS baskets
    FROM kept AS a
    JOIN kept AS b ON b.basket = a.basket AND a.number < b.number
    GROUP BY a.number, b.number
    HAVING CAST(COUNT(*) AS DOUBLE) / (SELECT baskets FROM totals) >= ' || duckrisk_number(least_support) || '
),
directed AS (
    SELECT first, second, baskets FROM pairs
    UNION ALL
    SELECT second AS first, first AS second, baskets FROM pairs
),
rules AS (
    SELECT
        a.item AS first,
        b.item AS second,
        directed.baskets,
        CAST(totals.baskets AS DOUBLE) AS total,
        CAST(a.baskets AS DOUBLE) AS with_first,
        CAST(b.baskets AS DOUBLE) AS with_second,
        directed.baskets / CAST(a.baskets AS DOUBLE) AS confidence
    FROM directed
    CROSS JOIN totals
    JOIN numbered AS a ON a.number = directed.first
    JOIN numbered AS b ON b.number = directed.second
)
SELECT
    first,
    second,
    baskets,
    baskets / total AS support,
    confidence,
    baskets * total / (with_first * with_second) AS lift,
    (baskets * total - with_first * with_second) / (total * total) AS leverage,
    (total - with_second) * with_first / NULLIF(total * (with_first - baskets), 0) AS conviction
FROM rules
WHERE confidence >= ' || duckrisk_number(least_confidence) || '
ORDER BY confidence DESC, baskets DESC, first, second');

-- association_rules_loss
-- The association rules lost or invented by a release, and the change of their confidence.
--
--   original: the records as they were
--   release: the released records
--   user_column: the column of the person in the original
--   pseudonym: the same in the release
--   item: the purchased item
--   basket: the columns that with the person define a basket, such as day and time
--   least_support: a rule has at least this support
--   least_confidence: a rule has at least this confidence
--
--   FROM association_rules_loss('retail.parquet', 'retail.parquet', 'CustomerID', 'StockCode', 'StockCode', ['InvoiceDate']);
CREATE OR REPLACE TEMP MACRO association_rules_loss(original, release, user_column, pseudonym, item, basket, least_support := 0.01, least_confidence := 0.3) AS TABLE
SELECT * FROM query('WITH history AS (
    SELECT
        0 AS side,
        CAST(' || duckrisk_identifier(user_column) || ' AS VARCHAR) AS user_id,
' || array_to_string(list_transform(CAST(basket AS VARCHAR[]), lambda each_column, each_column_number: '        CAST(' || duckrisk_identifier(each_column) || ' AS VARCHAR) AS b' || each_column_number || ',
'), '') || '        CAST(' || duckrisk_identifier(item) || ' AS VARCHAR) AS item
    FROM ' || duckrisk_relation(original) || '
    UNION ALL
    SELECT
        1 AS side,
        CAST(' || duckrisk_identifier(pseudonym) || ' AS VARCHAR) AS user_id,
' || array_to_string(list_transform(CAST(basket AS VARCHAR[]), lambda each_column, each_column_number: '        CAST(' || duckrisk_identifier(each_column) || ' AS VARCHAR) AS b' || each_column_number || ',
'), '') || '        CAST(' || duckrisk_identifier(item) || ' AS VARCHAR) AS item
    FROM ' || duckrisk_relation(release) || '
),
bought AS (
    SELECT side, user_id, ' || array_to_string(list_transform(CAST(basket AS VARCHAR[]), lambda each_column, each_column_number: 'b' || each_column_number || ', '), '') || 'item
    FROM history
    WHERE user_id IS NOT NULL AND item IS NOT NULL
    GROUP BY side, user_id, ' || array_to_string(list_transform(CAST(basket AS VARCHAR[]), lambda each_column, each_column_number: 'b' || each_column_number || ', '), '') || 'item
),
baskets AS (
    SELECT side, ROW_NUMBER() OVER () AS basket, LIST(item) AS items
    FROM bought
    GROUP BY side, user_id' || array_to_string(list_transform(CAST(basket AS VARCHAR[]), lambda each_column, each_column_number: ', b' || each_column_number), '') || '
),
totals AS (
    SELECT side, COUNT(*) AS baskets FROM baskets GROUP BY side
),
contents AS (
    SELECT side, basket, UNNEST(items) AS item FROM baskets
),
frequent AS (
    SELECT contents.side, contents.item, COUNT(*) AS baskets
    FROM contents
    JOIN totals ON totals.side = contents.side
    GROUP BY contents.side, contents.item, totals.baskets
    HAVING CAST(COUNT(*) AS DOUBLE) / totals.baskets >= ' || duckrisk_number(least_support) || '
),
numbered AS (
    SELECT ROW_NUMBER() OVER (ORDER BY item) AS number, item FROM frequent GROUP BY item
),
kept AS (
    SELECT contents.side, contents.basket, numbered.number, frequent.baskets
    FROM contents
    JOIN frequent ON frequent.side = contents.side AND frequent.item = contents.item
    JOIN numbered ON numbered.item = contents.item
),
pairs AS (
    SELECT a.side, a.number AS first, b.number AS second, a.baskets AS with_first, b.baskets AS with_second,
        COUNT(*) AS baskets
    FROM kept AS a
    JOIN kept AS b ON b.basket = a.basket AND a.number < b.number
    JOIN totals ON totals.side = a.side
    GROUP BY a.side, a.number, b.number, a.baskets, b.baskets, totals.baskets
    HAVING CAST(COUNT(*) AS DOUBLE) / totals.baskets >= ' || duckrisk_number(least_support) || '
),
rules AS (
    SELECT side, first, second, baskets / CAST(with_first AS DOUBLE) AS confidence
    FROM pairs
    WHERE baskets / CAST(with_first AS DOUBLE) >= ' || duckrisk_number(least_confidence) || '
    UNION ALL
    SELECT side, second AS first, first AS second, baskets / CAST(with_second AS DOUBLE) AS confidence
    FROM pairs
    WHERE baskets / CAST(with_second AS DOUBLE) >= ' || duckrisk_number(least_confidence) || '
),
compared AS (
    SELECT
        first,
        second,
        ANY_VALUE(CASE WHEN side = 0 THEN confidence END) AS before,
        ANY_VALUE(CASE WHEN side = 1 THEN confidence END) AS after
    FROM rules
    GROUP BY first, second
),
counted AS (
    SELECT
        COUNT(before) AS rules,
        COUNT(after) AS released_rules,
        COUNT(before + after) AS common_rules,
        COUNT(*) AS all_rules,
        SUM(CASE WHEN before IS NOT NULL THEN CAST(ABS(before - COALESCE(after, 0)) AS DECIMAL(38, 18)) END) AS change
    FROM compared
)
SELECT
    COALESCE((SELECT baskets FROM totals WHERE side = 0), 0) AS baskets,
    COALESCE((SELECT baskets FROM totals WHERE side = 1), 0) AS released_baskets,
    rules,
    released_rules,
    common_rules,
    COALESCE(1 - CAST(common_rules AS DOUBLE) / NULLIF(all_rules, 0), 0) AS loss_rules,
    COALESCE(CAST(change AS DOUBLE) / NULLIF(rules, 0), 0) AS loss_confidence
FROM counted');

-- association_rules_of_three
-- Association rules with two items on the left side, "who buys this and this buys that".
--
--   source: the records
--   user_column: the column of the person behind a record; NULL takes each record as a person
--   item: the purchased item
--   basket: the columns that with the person define a basket, such as day and time
--   least_support: minimum support of a rule
--   least_confidence: minimum confidence of a rule
--
--   FROM association_rules_of_three('retail.parquet', 'CustomerID', 'StockCode', ['InvoiceDate']);
CREATE OR REPLACE TEMP MACRO association_rules_of_three(source, user_column, item, basket, least_support := 0.01, least_confidence := 0.3) AS TABLE
SELECT * FROM query('WITH history AS (
    SELECT
        ' || duckrisk_person(user_column) || ' AS user_id,
' || array_to_string(list_transform(CAST(basket AS VARCHAR[]), lambda each_column, each_column_number: '        ' || duckrisk_column(each_column) || ' AS b' || each_column_number || ',
'), '') || '        CAST(' || duckrisk_column(item) || ' AS VARCHAR) AS item
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
bought AS (
    SELECT user_id, ' || array_to_string(list_transform(CAST(basket AS VARCHAR[]), lambda each_column, each_column_number: 'b' || each_column_number || ', '), '') || 'item
    FROM history
    WHERE user_id IS NOT NULL AND item IS NOT NULL
    GROUP BY user_id, ' || array_to_string(list_transform(CAST(basket AS VARCHAR[]), lambda each_column, each_column_number: 'b' || each_column_number || ', '), '') || 'item
),
baskets AS (
    SELECT ROW_NUMBER() OVER () AS basket, LIST(item) AS items
    FROM bought
    GROUP BY user_id' || array_to_string(list_transform(CAST(basket AS VARCHAR[]), lambda each_column, each_column_number: ', b' || each_column_number), '') || '
),
totals AS (
    SELECT COUNT(*) AS baskets FROM baskets
),
contents AS (
    SELECT basket, UNNEST(items) AS item FROM baskets
),
frequent AS (
    SELECT contents.item, COUNT(*) AS baskets
    FROM contents
    GROUP BY contents.item
    HAVING CAST(COUNT(*) AS DOUBLE) / (SELECT baskets FROM totals) >= ' || duckrisk_number(least_support) || '
),
numbered AS (
    SELECT ROW_NUMBER() OVER (ORDER BY item) AS number, item, baskets FROM frequent
),
kept AS (
    SELECT contents.basket, numbered.number
    FROM contents
    JOIN numbered ON numbered.item = contents.item
),
pairs AS (
    SELECT a.number AS first, b.number AS second, COUNT(*) AS baskets
    FROM kept AS a
    JOIN kept AS b ON b.basket = a.basket AND a.number < b.number
    GROUP BY a.number, b.number
    HAVING CAST(COUNT(*) AS DOUBLE) / (SELECT baskets FROM totals) >= ' || duckrisk_number(least_support) || '
),
-- Of three frequent items every two are frequent: only such threes are counted.
candidates AS MATERIALIZED (
    SELECT a.first, a.second, b.second AS third
    FROM pairs AS a
    JOIN pairs AS b ON b.first = a.first AND b.second > a.second
    JOIN pairs AS c ON c.first = a.second AND c.second = b.second
),
held AS MATERIALIZED (
    SELECT pairs.first, pairs.second, a.basket
    FROM pairs
    JOIN kept AS a ON a.number = pairs.first
    JOIN kept AS b ON b.basket = a.basket AND b.number = pairs.second
),
-- One join after the other: in a single join the engine would join all items of a basket with each other.
followed AS MATERIALIZED (
    SELECT held.basket, candidates.first, candidates.second, candidates.third
    FROM held
    JOIN candidates ON candidates.first = held.first AND candidates.second = held.second
),
threes AS (
    SELECT followed.first, followed.second, followed.third, COUNT(*) AS baskets
    FROM followed
    JOIN kept ON kept.basket = followed.basket AND kept.number = followed.third
    GROUP BY followed.first, followed.second, followed.third
    HAVING CAST(COUNT(*) AS DOUBLE) / (SELECT baskets FROM totals) >= ' || duckrisk_number(least_support) || '
),
directed AS (
    SELECT first, second, third, baskets FROM threes
    UNION ALL
    SELECT first, third AS second, second AS third, baskets FROM threes
    UNION ALL
    SELECT second AS first, third AS second, first AS third, baskets FROM threes
),
rules AS (
    SELECT
        a.item AS first,
        b.item AS second,
        c.item AS third,
        directed.baskets,
        CAST(totals.baskets AS DOUBLE) AS total,
        directed.baskets / CAST(pairs.baskets AS DOUBLE) AS confidence,
        CAST(pairs.baskets AS DOUBLE) AS with_both,
        CAST(c.baskets AS DOUBLE) AS with_third
    FROM directed
    CROSS JOIN totals
    JOIN pairs ON pairs.first = directed.first AND pairs.second = directed.second
    JOIN numbered AS a ON a.number = directed.first
    JOIN numbered AS b ON b.number = directed.second
    JOIN numbered AS c ON c.number = directed.third
)
SELECT
    first,
    second,
    third,
    baskets,
    baskets / total AS support,
    confidence,
    baskets * total / (with_both * with_third) AS lift
FROM rules
WHERE confidence >= ' || duckrisk_number(least_confidence) || '
ORDER BY confidence DESC, baskets DESC, first, second, third');

-- cross_table_loss
-- The distance between a cross table of a release and of the original, such as sales by country and item.
--
--   original: the records as they were
--   release: the released records
--   category: one side of the table, such as the country of the person
--   column_name: the other side, such as the item
--   weight: the summed column, such as the quantity; NULL counts records
--
--   FROM cross_table_loss('retail.parquet', 'retail.parquet', 'StockCode', 'StockCode');
CREATE OR REPLACE TEMP MACRO cross_table_loss(original, release, category, column_name, weight := NULL) AS TABLE
SELECT * FROM query('WITH records AS (
    SELECT
        0 AS side,
        CAST(' || duckrisk_identifier(category) || ' AS STRING) AS category,
        CAST(' || duckrisk_identifier(column_name) || ' AS STRING) AS value,
' || CASE WHEN weight IS NOT NULL THEN 'TRY_CAST(' || duckrisk_identifier(weight) || ' AS DECIMAL(38, 6))' ELSE 'CAST(1
            AS DECIMAL(38, 6))' END || ' AS weight
    FROM ' || duckrisk_relation(original) || '
    UNION ALL
    SELECT
        1 AS side,
        CAST(' || duckrisk_identifier(category) || ' AS STRING) AS category,
        CAST(' || duckrisk_identifier(column_name) || ' AS STRING) AS value,
' || CASE WHEN weight IS NOT NULL THEN 'TRY_CAST(' || duckrisk_identifier(weight) || ' AS DECIMAL(38, 6))' ELSE 'CAST(1
            AS DECIMAL(38, 6))' END || ' AS weight
    FROM ' || duckrisk_relation(release) || '
),
cells AS (
    SELECT
        category,
        value,
        CAST(SUM(CASE WHEN side = 0 THEN GREATEST(COALESCE(weight, 0), 0) ELSE 0 END) AS DOUBLE) AS before,
        CAST(SUM(CASE WHEN side = 1 THEN GREATEST(COALESCE(weight, 0), 0) ELSE 0 END) AS DOUBLE) AS after
    FROM records
    WHERE category IS NOT NULL AND value IS NOT NULL
    GROUP BY category, value
),
totals AS (
    SELECT
        CAST(SUM(CAST(before AS DECIMAL(38, 6))) AS DOUBLE) AS before,
        CAST(SUM(CAST(after AS DECIMAL(38, 6))) AS DOUBLE) AS after
    FROM cells
),
shares AS (
    SELECT
        cells.before,
        cells.after,
        COALESCE(cells.before / NULLIF(totals.before, 0), 0) AS p,
        COALESCE(cells.after / NULLIF(totals.after, 0), 0) AS q
    FROM cells CROSS JOIN totals
)
SELECT
    COUNT(*) AS cells,
    COALESCE(CAST(SUM(CAST(GREATEST(p - q, 0) AS DECIMAL(38, 18))) AS DOUBLE), 0) AS total_variation,
    COALESCE(MAX(ABS(p - q)), 0) AS largest_share_difference,
    COALESCE(CAST(SUM(CAST(ABS(p - q) AS DECIMAL(38, 18))) AS DOUBLE) / NULLIF(COUNT(*), 0), 0)
        AS mean_share_difference,
    COALESCE(MAX(ABS(before - after)), 0) AS largest_difference,
    COALESCE(CAST(SUM(CAST(ABS(before - after) AS DECIMAL(38, 6))) AS DOUBLE) / NULLIF(COUNT(*), 0), 0)
        AS mean_difference
FROM shares');

-- declared_unsafe
-- Whether a guess of pseudonyms is right so often that the release counts as unsafe: the rule of PWS Cup 2018.
--
--   truth: the released records: customer and pseudonym
--   guess: customer and pseudonym
--   person: the customer in both
--   pseudonym: the pseudonym in both
--
--   FROM declared_unsafe('retail.parquet', 'retail.parquet', 'StockCode', 'StockCode');
CREATE OR REPLACE TEMP MACRO declared_unsafe(truth, guess, person, pseudonym) AS TABLE
SELECT * FROM query('WITH pairs AS (
    SELECT ''guess'' AS side, ' || duckrisk_identifier(person) || ' AS customer, ' || duckrisk_identifier(pseudonym) || ' AS pseudonym
    FROM ' || duckrisk_relation(guess) || '
    UNION
    SELECT ''truth'' AS side, ' || duckrisk_identifier(person) || ' AS customer, ' || duckrisk_identifier(pseudonym) || ' AS pseudonym
    FROM ' || duckrisk_relation(truth) || '
),
counted AS (
    SELECT COUNT(guess.side) AS guesses, COUNT(truth.side) AS right_guesses
    FROM pairs AS guess
    LEFT JOIN pairs AS truth
        ON truth.side = ''truth'' AND truth.customer = guess.customer AND truth.pseudonym = guess.pseudonym
    WHERE guess.side = ''guess'' AND guess.customer IS NOT NULL AND guess.pseudonym IS NOT NULL
),
-- A summand above 1 is above a whatever it is.
summands AS (
    SELECT
        j,
        EXP(LEAST(0, LGAMMA(guesses + 1) - LGAMMA(j + 1) - LGAMMA(guesses - j + 1) - j * LN(3))) AS summand
    FROM (SELECT guesses, UNNEST(RANGE(1, guesses + 1)) AS j FROM counted) AS numbers
),
tails AS (
    SELECT j, SUM(summand) OVER (ORDER BY j DESC ROWS UNBOUNDED PRECEDING) AS tail
    FROM summands
),
needed AS (
    SELECT COALESCE(MAX(j), 0) + 1 AS needed_guesses
    FROM tails
    WHERE tail >= 0.01 / 20
)
SELECT
    counted.guesses,
    counted.right_guesses,
    needed.needed_guesses,
    counted.right_guesses >= needed.needed_guesses AS unsafe
FROM counted
CROSS JOIN needed');

-- generalization_loss
-- The loss of a release with deleted and generalized values, by column: the utility of PWS Cup 2018.
--
--   source: the values of the release, a row each
--   category: the column of the release of a value
--   members: number of values of a set: 1 of a single one, 0 of a deleted value, missing for an interval
--   value: the true value, a whole number of steps: days, pence, pieces
--   lower: the lower end of the interval
--   upper: the upper end of the interval
--
--   FROM generalization_loss('retail.parquet', 'StockCode', 'StockCode', 'StockCode', 'StockCode', 'StockCode');
CREATE OR REPLACE TEMP MACRO generalization_loss(source, category, members, value, lower, upper) AS TABLE
SELECT * FROM query('WITH cells AS (
    SELECT
        CAST(' || duckrisk_column(category) || ' AS VARCHAR) AS attribute,
        TRY_CAST(' || duckrisk_column(members) || ' AS BIGINT) AS members,
        CAST(TRY_CAST(' || duckrisk_column(value) || ' AS BIGINT) AS HUGEINT) AS x,
        CAST(TRY_CAST(' || duckrisk_column(lower) || ' AS BIGINT) AS HUGEINT) AS a,
        CAST(TRY_CAST(' || duckrisk_column(upper) || ' AS BIGINT) AS HUGEINT) AS b
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
weighed AS (
    SELECT
        attribute, members, x,
        members IS NULL AND b > a AS is_interval,
        CASE WHEN members = 0 THEN 1 WHEN members > 1 THEN 1 - 1 / CAST(members AS DOUBLE) ELSE 0 END AS loss,
        ((a - x) * (a - x) + (b - x) * (b - x) + (b - a)) / CAST(2 * (b - a + 1) AS DOUBLE) AS distance
    FROM cells
),
-- Integers and decimals are summed: the order of the values does not matter.
sums AS (
    SELECT
        attribute,
        COUNT(*) AS cells,
        COUNT(CASE WHEN members = 0 THEN 1 END) AS deleted,
        COUNT(CASE WHEN members > 1 THEN 1 END) AS sets,
        COUNT(CASE WHEN is_interval THEN 1 END) AS intervals,
        CAST(SUM(CAST(loss AS DECIMAL(38, 18))) AS DOUBLE) AS losses,
        CAST(SUM(CASE WHEN is_interval THEN CAST(distance AS DECIMAL(38, 12)) END) AS DOUBLE) AS distances,
        SQRT(CAST(COUNT(x) * SUM(x * x) - SUM(x) * SUM(x) AS DOUBLE)) / NULLIF(COUNT(x), 0) AS deviation
    FROM weighed
    GROUP BY attribute
),
means AS (
    SELECT
        attribute, deleted, sets, intervals, deviation,
        (losses + CASE WHEN intervals = 0 THEN 0 ELSE distances / NULLIF(deviation, 0) END) / cells AS loss
    FROM sums
)
SELECT
    attribute, deleted, sets, intervals, deviation, loss,
    CASE
        WHEN COUNT(loss) OVER () = COUNT(*) OVER ()
            THEN CAST(SUM(CAST(loss AS DECIMAL(38, 18))) OVER () AS DOUBLE) / COUNT(*) OVER ()
    END AS mean_loss
FROM means
ORDER BY attribute NULLS LAST');

-- group_means_loss
-- The distance between group means of people in a release and in the original: the subset loss.
--
--   original: the records as they were
--   release: the released records
--   category: the group of the person behind a record, such as the country
--   column_name: the numeric column
--
--   FROM group_means_loss('retail.parquet', 'retail.parquet', 'StockCode', 'StockCode');
CREATE OR REPLACE TEMP MACRO group_means_loss(original, release, category, column_name) AS TABLE
SELECT * FROM query('WITH records AS (
    SELECT
        0 AS side,
        CAST(' || duckrisk_identifier(category) || ' AS VARCHAR) AS category,
        TRY_CAST(' || duckrisk_identifier(column_name) || ' AS DOUBLE) AS number
    FROM ' || duckrisk_relation(original) || '
    UNION ALL
    SELECT
        1 AS side,
        CAST(' || duckrisk_identifier(category) || ' AS VARCHAR) AS category,
        TRY_CAST(' || duckrisk_identifier(column_name) || ' AS DOUBLE) AS number
    FROM ' || duckrisk_relation(release) || '
),
counted AS (
    SELECT side, category, number, COUNT(*) AS records
    FROM records
    WHERE category IS NOT NULL AND isfinite(number)
    GROUP BY side, category, number
),
means AS (
    SELECT side, category, SUM(records * number ORDER BY number) / SUM(records) AS mean
    FROM counted
    GROUP BY side, category
),
compared AS (
    SELECT before.mean AS before, after.mean AS after
    FROM means AS before
    LEFT JOIN means AS after ON after.category = before.category AND after.side = 1
    WHERE before.side = 0
),
losses AS (
    SELECT
        after,
        CASE
            WHEN before = after THEN 0
            WHEN after IS NULL OR NOT isfinite(before) OR NOT isfinite(after) THEN 1
            ELSE ABS(before / GREATEST(ABS(before), ABS(after)) - after / GREATEST(ABS(before), ABS(after)))
        END AS loss
    FROM compared
)
SELECT
    COUNT(*) AS categories,
    COUNT(*) - COUNT(after) AS missing_categories,
    COALESCE(CAST(SUM(CAST(loss AS DECIMAL(38, 18))) AS DOUBLE) / NULLIF(COUNT(*), 0), 0) AS loss
FROM losses');

-- reidentification_rates
-- The share of true pseudonyms that a guess gets right, and the share expected by chance.
--
--   truth: the released records with their true users: user, period and pseudonym
--   guess: user, period and pseudonym
--   everybody: all users
--   person: the user of a row in each of them
--   period: its period
--   pseudonym: its pseudonym
--   periods: number of periods
--   weight: number of records that a row of truth represents; NULL takes each as one
--   attempt: which of several guesses a row of guess is of, from 0; NULL takes all rows as one
--   attempts: number of guesses: each has a row of the result, in their order
--
--   FROM reidentification_rates('retail.parquet', 'retail.parquet', 'retail.parquet', 'StockCode', 'StockCode', 'StockCode', 5);
CREATE OR REPLACE TEMP MACRO reidentification_rates(truth, guess, everybody, person, period, pseudonym, periods, weight := NULL, attempt := NULL, attempts := NULL) AS TABLE
SELECT * FROM query('WITH facts AS (
    SELECT
        ''truth'' AS kind,
        UNNEST(RANGE(' || CASE WHEN attempts IS NULL THEN '1' ELSE duckrisk_integer(attempts) END || ')) AS attempt,
        ' || duckrisk_identifier(person) || ' AS user_id,
        ' || duckrisk_identifier(period) || ' AS period,
        ' || duckrisk_identifier(pseudonym) || ' AS pseudonym,
' || CASE WHEN NOT (weight IS NULL) THEN 'TRY_CAST(' || duckrisk_identifier(weight) || ' AS BIGINT)' ELSE '1' END || ' AS records
    FROM ' || duckrisk_relation(truth) || '
    UNION ALL
    SELECT
        ''guess'' AS kind,
' || CASE WHEN attempt IS NULL THEN '0' ELSE duckrisk_identifier(attempt) END || ' AS attempt,
        ' || duckrisk_identifier(person) || ' AS user_id,
        ' || duckrisk_identifier(period) || ' AS period,
        ' || duckrisk_identifier(pseudonym) || ' AS pseudonym,
        0 AS records
    FROM ' || duckrisk_relation(guess) || '
    UNION ALL
    SELECT ''users'' AS kind,
        UNNEST(RANGE(' || CASE WHEN attempts IS NULL THEN '1' ELSE duckrisk_integer(attempts) END || ')) AS attempt,
        ' || duckrisk_identifier(person) || ' AS user_id, NULL AS period, NULL AS pseudonym, 0 AS records
    FROM ' || duckrisk_relation(everybody) || '
),
attempts AS (
    SELECT UNNEST(RANGE(' || CASE WHEN attempts IS NULL THEN '1' ELSE duckrisk_integer(attempts) END || ')) AS attempt
),
people AS (
    SELECT attempt, user_id
    FROM facts
    WHERE kind = ''users'' AND user_id IS NOT NULL
    GROUP BY attempt, user_id
),
cells AS (
    SELECT
        facts.attempt,
        facts.user_id,
        facts.period,
        MIN(CASE WHEN facts.kind = ''truth'' THEN facts.pseudonym END) AS owned,
        MIN(CASE WHEN facts.kind = ''guess'' THEN facts.pseudonym END) AS guessed,
        SUM(facts.records) AS records
    FROM facts
    JOIN people ON people.attempt = facts.attempt AND people.user_id = facts.user_id
    WHERE facts.pseudonym IS NOT NULL
    GROUP BY facts.attempt, facts.user_id, facts.period
),
pseudonyms AS (
    SELECT attempt, period, pseudonym, MAX(is_owned) AS is_owned, MIN(guessed_user) AS guessed_user
    FROM (
        SELECT attempt, period, owned AS pseudonym, 1 AS is_owned, NULL AS guessed_user FROM cells
        WHERE owned IS NOT NULL
        UNION ALL
        SELECT attempt, period, guessed AS pseudonym, 0 AS is_owned, user_id AS guessed_user FROM cells
        WHERE guessed IS NOT NULL
    ) AS named
    GROUP BY attempt, period, pseudonym
),
dealt AS (
    SELECT attempt, period, SUM(is_owned) AS pseudonyms
    FROM pseudonyms
    GROUP BY attempt, period
),
outcomes AS (
    SELECT
        cells.attempt,
        cells.user_id,
        cells.records,
        CASE WHEN cells.owned IS NULL THEN 0 ELSE 1 END AS active,
        CASE WHEN cells.guessed IS NULL THEN 0 ELSE 1 END AS guessed,
        CASE WHEN cells.owned = cells.guessed THEN 1 ELSE 0 END AS hit,
        CASE WHEN named.guessed_user = cells.user_id THEN 1 ELSE 0 END AS first_to_guess,
        CASE WHEN cells.owned IS NOT NULL AND named.is_owned = 1 THEN 1 ELSE 0 END AS possible,
        CAST(NULLIF(dealt.pseudonyms, 0) AS DOUBLE) AS dealt
    FROM cells
    LEFT JOIN pseudonyms AS named
        ON named.attempt = cells.attempt AND named.period = cells.period AND named.pseudonym = cells.guessed
    LEFT JOIN dealt ON dealt.attempt = cells.attempt AND dealt.period = cells.period
),
persons AS (
    SELECT
        people.attempt,
        COALESCE(SUM(1 - outcomes.hit), 0) AS wrong,
        COALESCE(SUM(1 - outcomes.possible), 0) AS hopeless,
        SUM(CAST(COALESCE(LN(outcomes.dealt), 0) AS DECIMAL(38, 18))) AS log_odds
    FROM people
    LEFT JOIN outcomes ON outcomes.attempt = people.attempt AND outcomes.user_id = people.user_id
    GROUP BY people.attempt, people.user_id
),
person_totals AS (
    SELECT
        attempts.attempt,
        COUNT(persons.attempt) AS users,
        CAST(COALESCE(SUM(CASE WHEN wrong = 0 THEN 1 ELSE 0 END), 0) AS BIGINT) AS right_users,
        CAST(SUM(CAST(CASE WHEN hopeless = 0 THEN EXP(-CAST(log_odds AS DOUBLE)) ELSE 0 END AS DECIMAL(38, 18)))
            AS DOUBLE) AS blind
    FROM attempts
    LEFT JOIN persons ON persons.attempt = attempts.attempt
    GROUP BY attempts.attempt
),
cell_totals AS (
    SELECT
        attempts.attempt,
        CAST(COALESCE(SUM(active), 0) AS BIGINT) AS active_cells,
        CAST(COALESCE(SUM(guessed), 0) AS BIGINT) AS guessed_cells,
        CAST(COALESCE(SUM(hit), 0) AS BIGINT) AS right_cells,
        CAST(COALESCE(SUM(records), 0) AS BIGINT) AS released_records,
        CAST(COALESCE(SUM(records * hit * first_to_guess), 0) AS BIGINT) AS right_records,
        CAST(SUM(CAST(possible / dealt AS DECIMAL(38, 18))) AS DOUBLE) AS blind_cells,
        CAST(SUM(CAST(possible / dealt * records * first_to_guess AS DECIMAL(38, 18))) AS DOUBLE) AS blind_records
    FROM attempts
    LEFT JOIN outcomes ON outcomes.attempt = attempts.attempt
    GROUP BY attempts.attempt
)
SELECT
    users,
    active_cells,
    guessed_cells,
    right_cells,
    right_users,
    released_records,
    right_records,
    CAST(right_users AS DOUBLE) / NULLIF(users, 0) AS strict,
    CAST(right_cells AS DOUBLE) / NULLIF(users * ' || duckrisk_integer(periods) || ', 0) AS cell,
    CAST(right_cells AS DOUBLE) / NULLIF(active_cells, 0) AS active_cell,
    CAST(right_records AS DOUBLE) / NULLIF(released_records, 0) AS row,
    blind / NULLIF(users, 0) AS blind_strict,
    COALESCE(blind_cells, 0) / NULLIF(users * ' || duckrisk_integer(periods) || ', 0) AS blind_cell,
    COALESCE(blind_cells, 0) / NULLIF(active_cells, 0) AS blind_active_cell,
    COALESCE(blind_records, 0) / NULLIF(released_records, 0) AS blind_row
FROM person_totals
JOIN cell_totals ON cell_totals.attempt = person_totals.attempt
ORDER BY person_totals.attempt');

-- item_similarity
-- The similarity of items by their common users, the basis of "bought by the same people" recommendations.
--
--   source: the records
--   user_column: the user of a record
--   item: the item; items are compared as text
--   quantity: the summed quantity; NULL counts records
--   least: the fewest users that a pair shares
--   most: largest number of pairs to list; NULL lists all
--
--   FROM item_similarity('retail.parquet', 'CustomerID', 'StockCode');
CREATE OR REPLACE TEMP MACRO item_similarity(source, user_column, item, quantity := NULL, least := 2, most := NULL) AS TABLE
SELECT * FROM query('WITH history AS (
    SELECT
        CAST(' || duckrisk_column(user_column) || ' AS STRING) AS user_id,
        CAST(' || duckrisk_column(item) || ' AS STRING) AS item' || CASE WHEN NOT (quantity IS NULL) THEN ',
        CAST(' || duckrisk_column(quantity) || ' AS DECIMAL(18, 3)) AS quantity' ELSE '' END || '
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
weights AS (
    SELECT user_id, item,
' || CASE WHEN NOT (quantity IS NULL) THEN 'CAST(SUM(quantity) AS DECIMAL(18, 3))' ELSE 'CAST(COUNT(*) AS DOUBLE)' END || '        AS weight
    FROM history
    WHERE user_id IS NOT NULL AND item IS NOT NULL
    GROUP BY user_id, item
),
items AS (
    SELECT
        item,
        ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC, item) AS item_number,
        CAST(SUM(weight * weight) AS DOUBLE) AS squares
    FROM weights
    WHERE weight > 0
    GROUP BY item
    HAVING COUNT(*) >= ' || duckrisk_integer(least) || '
),
users AS (
    SELECT user_id, ROW_NUMBER() OVER (ORDER BY user_id) AS user_number
    FROM weights
    GROUP BY user_id
),
vectors AS (
    SELECT users.user_number, items.item_number, weights.weight
    FROM weights
    JOIN items ON items.item = weights.item
    JOIN users ON users.user_id = weights.user_id
    WHERE weights.weight > 0
),
dots AS (
    SELECT first.item_number, second.item_number AS other_number, COUNT(*) AS users,
        SUM(first.weight * second.weight) AS dot
    FROM vectors AS second
    JOIN vectors AS first ON first.user_number = second.user_number AND first.item_number < second.item_number
    GROUP BY first.item_number, second.item_number
    HAVING COUNT(*) >= ' || duckrisk_integer(least) || '
)
SELECT
    items.item,
    others.item AS other,
    dots.users,
    LEAST(1, CAST(dots.dot AS DOUBLE) / SQRT(items.squares * others.squares)) AS similarity
FROM dots
JOIN items ON items.item_number = dots.item_number
JOIN items AS others ON others.item_number = dots.other_number
ORDER BY similarity DESC, item, other
' || CASE WHEN NOT (most IS NULL) THEN 'LIMIT ' || duckrisk_integer(most) || '
' ELSE '' END);

-- top_items
-- The items with the most users.
--
--   source: the records
--   user_column: the user of a record
--   item: the item; items are compared as text
--   most: largest number of items to list; NULL lists all
--
--   FROM top_items('retail.parquet', 'CustomerID', 'StockCode');
CREATE OR REPLACE TEMP MACRO top_items(source, user_column, item, most := NULL) AS TABLE
SELECT * FROM query('WITH history AS (
    SELECT ' || duckrisk_column(user_column) || ' AS user_id, CAST(' || duckrisk_column(item) || ' AS STRING) AS item
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
items AS (
    SELECT item, COUNT(DISTINCT user_id) AS users, COUNT(*) AS records
    FROM history
    WHERE user_id IS NOT NULL AND item IS NOT NULL
    GROUP BY item
)
SELECT ROW_NUMBER() OVER (ORDER BY users DESC, item DESC) AS place, item, users, records
FROM items
ORDER BY place
' || CASE WHEN NOT (most IS NULL) THEN 'LIMIT ' || duckrisk_integer(most) || '
' ELSE '' END);

-- determined_by
-- Columns whose value follows from the value of another column.
--
--   source: the records
--   column_name: X
--   columns: at most 32 columns, each a Y
--
--   FROM determined_by('retail.parquet', 'StockCode', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO determined_by(source, column_name, columns) AS TABLE
SELECT * FROM query('WITH opened AS (
    SELECT ' || duckrisk_column(column_name) || ' AS x' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: ', ' || duckrisk_column(each_item) || ' AS a' || each_number), '') || '

    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
by_value AS (
    SELECT
        COUNT(*) AS records
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '        , COUNT(a' || each_column_number || ') AS present' || each_column_number || '
        , MIN(a' || each_column_number || ') AS lowest' || each_column_number || '
        , MAX(a' || each_column_number || ') AS highest' || each_column_number || '
'), '') || '    FROM opened
    WHERE x IS NOT NULL
    GROUP BY x
),
counted AS (
    SELECT
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '        COUNT(
            CASE WHEN lowest' || each_column_number || ' <> highest' || each_column_number || '
                OR (present' || each_column_number || ' > 0 AND present' || each_column_number || ' < records)
            THEN 1 END
        ) AS exceptions' || each_column_number || CASE WHEN each_column_number < len(CAST(columns AS VARCHAR[])) THEN ',' ELSE '' END || '

'), '') || '    FROM by_value
)
-- One CASE of positions: the engine plans it faster than a SELECT for each column.
SELECT
    positions.position,
    CASE positions.position' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: ' WHEN ' || (each_number - 1) || ' THEN exceptions' || each_number), '') || ' END AS exceptions
FROM counted
CROSS JOIN (VALUES ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: '(' || (each_number - 1) || ')'), ', ') || ') AS positions (position)
ORDER BY positions.position');

-- distinct_values
-- Exact number of distinct values of a column.
--
--   source: the records
--   column_name: the column
--
--   FROM distinct_values('retail.parquet', 'StockCode');
CREATE OR REPLACE TEMP MACRO distinct_values(source, column_name) AS TABLE
SELECT * FROM query('WITH opened AS (
    SELECT ' || duckrisk_column(column_name) || ' AS value
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
by_value AS (
    SELECT value, COUNT(*) AS records
    FROM opened
    WHERE value IS NOT NULL
    GROUP BY value
)
SELECT CAST(COALESCE(SUM(records), 0) AS BIGINT) AS present, COUNT(*) AS distinct_values
FROM by_value');

-- profile
-- Profile of each column, in one pass: missing values, number of values, and kind of text.
--
--   source: the records
--   columns: at most 32 columns
--   texts: those of the columns that hold text
--   nested: those that hold several values each
--   bytes: those that hold bytes
--   numbers: those that hold numbers
--   integers: those of the numbers that are whole by their type
--
--   FROM profile('retail.parquet', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO profile(source, columns, texts := [], nested := [], bytes := [], numbers := [], integers := []) AS TABLE
SELECT * FROM query('WITH opened AS (
    SELECT ' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: duckrisk_column(each_item) || ' AS a' || each_number), ', ') || '

    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
counted AS (
    SELECT
        COUNT(*) AS records
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '        , COUNT(a' || each_column_number || ') AS present' || each_column_number || '
        , CAST(APPROX_COUNT_DISTINCT(a' || each_column_number || ') AS BIGINT) AS distinct' || each_column_number || '
        , MIN(a' || each_column_number || ') IS NOT DISTINCT FROM MAX(a' || each_column_number || ') AS constant' || each_column_number || '
' || CASE WHEN list_contains(CAST(texts AS VARCHAR[]), each_column) THEN '        -- A set {a, b}, as releases have them, is several values, and no prose if these are short. JSON is no set. An
        -- interval of numbers or moments is no prose either: it has no letters.
        , CAST(SUM(LENGTH(a' || each_column_number || ')) AS DOUBLE) / NULLIF(COUNT(a' || each_column_number || ') + COALESCE(SUM(
            CASE WHEN a' || each_column_number || ' LIKE ''{'' || ''%, %}'' AND a' || each_column_number || ' NOT LIKE ''%"%:%''
                THEN LENGTH(a' || each_column_number || ') - LENGTH(REPLACE(a' || each_column_number || ', '','', '''')) END
        ), 0), 0) AS length' || each_column_number || '
        , MAX(LENGTH(a' || each_column_number || ')) AS longest' || each_column_number || '
        , COUNT(CASE WHEN (
            a' || each_column_number || ' LIKE ''% % % %'' OR a' || each_column_number || ' LIKE ''%'' || CHR(12290) || ''%''
            OR a' || each_column_number || ' LIKE ''%'' || CHR(12289) || ''%''
        ) AND NOT (
            a' || each_column_number || ' LIKE ''{'' || ''%, %}'' AND a' || each_column_number || ' NOT LIKE ''%"%:%''
            AND LENGTH(a' || each_column_number || ') < 40 * (1 + LENGTH(a' || each_column_number || ')
                - LENGTH(REPLACE(a' || each_column_number || ', '','', '''')))
            OR (a' || each_column_number || ' LIKE ''[%, %]'' AND LOWER(a' || each_column_number || ') = UPPER(a' || each_column_number || '))
        ) THEN 1 END) AS blanks' || each_column_number || '
        , COUNT(CASE WHEN LENGTH(a' || each_column_number || ') < 1000 THEN
            CASE WHEN LENGTH(TRIM(a' || each_column_number || ')) >= 16 THEN TRY_CAST(a' || each_column_number || ' AS TIMESTAMP) END
        END) AS moments' || each_column_number || '
        , COUNT(CASE WHEN a' || each_column_number || ' LIKE ''%_@_%.__%'' THEN 1 END) AS at' || each_column_number || '
        , COUNT(CASE
            WHEN a' || each_column_number || ' LIKE ''{'' || ''%"%:%}'' OR a' || each_column_number || ' LIKE ''{'' || ''%''''%:%}''
                OR a' || each_column_number || ' LIKE ''[{'' || ''%:%}]'' THEN 1
        END) AS fields' || each_column_number || '
' ELSE '        , CAST(NULL AS DOUBLE) AS length' || each_column_number || '
' || CASE WHEN list_contains(CAST(nested AS VARCHAR[]), each_column) THEN '        , MAX(LENGTH(CAST(a' || each_column_number || ' AS STRING))) AS longest' || each_column_number || '
' WHEN list_contains(CAST(bytes AS VARCHAR[]), each_column) THEN '        , MAX(OCTET_LENGTH(CAST(a' || each_column_number || ' AS BLOB))) AS longest' || each_column_number || '
' ELSE '        , CAST(NULL AS BIGINT) AS longest' || each_column_number || '
' END || '        , CAST(0 AS BIGINT) AS blanks' || each_column_number || '
        , CAST(0 AS BIGINT) AS moments' || each_column_number || '
' || CASE WHEN list_contains(CAST(nested AS VARCHAR[]), each_column) THEN '        , COUNT(CASE WHEN CAST(a' || each_column_number || ' AS STRING) LIKE ''%_@_%.__%'' THEN 1 END) AS at' || each_column_number || '
' ELSE '        , CAST(0 AS BIGINT) AS at' || each_column_number || '
' END || '        , CAST(0 AS BIGINT) AS fields' || each_column_number || '
' END || CASE WHEN list_contains(CAST(numbers AS VARCHAR[]), each_column) THEN '        , CAST(MIN(a' || each_column_number || ') AS DOUBLE) AS lowest' || each_column_number || '
        , CAST(MAX(a' || each_column_number || ') AS DOUBLE) AS highest' || each_column_number || '
' ELSE '        , CAST(NULL AS DOUBLE) AS lowest' || each_column_number || '
        , CAST(NULL AS DOUBLE) AS highest' || each_column_number || '
' END || CASE WHEN (list_contains(CAST(numbers AS VARCHAR[]), each_column) AND NOT list_contains(CAST(integers AS VARCHAR[]), each_column)) THEN '        , COUNT(
            CASE WHEN CAST(a' || each_column_number || ' AS DOUBLE) <> FLOOR(CAST(a' || each_column_number || ' AS DOUBLE)) THEN 1 END
        ) AS fractions' || each_column_number || '
' ELSE '        , CAST(0 AS BIGINT) AS fractions' || each_column_number || '
' END), '') || '    FROM opened
)
-- Lists: the engine plans a SELECT for each column, or a CASE of positions, longer than it takes for all else.
SELECT
    CAST(UNNEST(RANGE(' || len(CAST(columns AS VARCHAR[])) || ')) AS INTEGER) AS position,
    records,
    UNNEST([' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: 'present' || each_number), ', ') || ']) AS present,
    UNNEST([' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: 'records - present' || each_number), ', ') || ']) AS missing,
    UNNEST([' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: 'distinct' || each_number), ', ') || ']) AS distinct_values,
    UNNEST([' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: 'constant' || each_number), ', ') || ']) AS constant,
    UNNEST([' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: 'length' || each_number), ', ') || ']) AS mean_length,
    UNNEST([' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: 'longest' || each_number), ', ') || ']) AS longest,
    UNNEST([' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: 'blanks' || each_number), ', ') || ']) AS with_blanks,
    UNNEST([' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: 'moments' || each_number), ', ') || ']) AS moments,
    UNNEST([' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: 'at' || each_number), ', ') || ']) AS with_at,
    UNNEST([' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: 'fields' || each_number), ', ') || ']) AS with_fields,
    UNNEST([' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: 'lowest' || each_number), ', ') || ']) AS lowest,
    UNNEST([' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: 'highest' || each_number), ', ') || ']) AS highest,
    UNNEST([' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: 'fractions' || each_number), ', ') || ']) AS fractions
FROM counted
ORDER BY position');

-- users
-- Number of users, records of each, and columns that never change for a user.
--
--   source: the records
--   user_column: the column of the person behind a record
--   columns: at most 32 columns
--   missing_tokens: that mean a missing value elsewhere; NULL for users of nested types
--
--   FROM users('retail.parquet', 'CustomerID', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO users(source, user_column, columns, missing_tokens := NULL) AS TABLE
SELECT * FROM query('WITH opened AS (
    SELECT ' || duckrisk_column(user_column) || ' AS user_id' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: ', ' || duckrisk_column(each_item) || ' AS a' || each_number), '') || '

    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
per_user AS (
    SELECT
        user_id,
        COUNT(*) AS records
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '        , CASE WHEN COUNT(a' || each_column_number || ') = 0 THEN 0
               WHEN COUNT(a' || each_column_number || ') < COUNT(*) OR MIN(a' || each_column_number || ') <> MAX(a' || each_column_number || ') THEN 1
               ELSE 0 END AS changing' || each_column_number || '
'), '') || '    FROM opened
    GROUP BY user_id
),
totals AS (
    SELECT
        CAST(COALESCE(SUM(CASE WHEN user_id IS NOT NULL THEN records ELSE 0 END), 0) AS BIGINT) AS records,
        CAST(COALESCE(SUM(CASE WHEN user_id IS NULL THEN records ELSE 0 END), 0) AS BIGINT) AS without_user,
        CAST(' || CASE WHEN len(CAST(missing_tokens AS VARCHAR[])) > 0 THEN 'COALESCE(SUM(
            CASE WHEN user_id IS NOT NULL AND TRIM(CONCAT(user_id, '''')) IN (' || array_to_string(list_transform(CAST(missing_tokens AS VARCHAR[]), lambda each_item, each_number: duckrisk_text(each_item)), ', ') || ')
            THEN records ELSE 0 END
        ), 0)' ELSE '0' END || ' AS BIGINT) AS records_of_token_users,
        COUNT(user_id) AS users,
        CAST(COALESCE(MAX(CASE WHEN user_id IS NOT NULL THEN records ELSE 0 END), 0) AS BIGINT) AS most_records
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '        , CAST(
            COALESCE(SUM(CASE WHEN user_id IS NOT NULL THEN changing' || each_column_number || ' ELSE 0 END), 0) AS BIGINT
        ) AS changing' || each_column_number || '
'), '') || '    FROM per_user
)
SELECT
    CAST(-1 AS INTEGER) AS position,
    records,
    without_user,
    records_of_token_users,
    users,
    most_records,
    CAST(0 AS BIGINT) AS changing_users
FROM totals
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: 'UNION ALL
SELECT
    CAST(' || (each_column_number - 1) || ' AS INTEGER),
    records,
    without_user,
    records_of_token_users,
    users,
    most_records,
    changing' || each_column_number || '
FROM totals
'), '') || 'ORDER BY position');

-- known_whole_records
-- People recognised with certainty by an attacker who knows a few whole records of each.
--
--   source: the records
--   user_column: the column of the person behind a record; NULL takes each record as a person
--   columns: the quasi-identifiers
--   known: records that the attacker knows of a person, at least 1
--   people: people drawn at most
--   candidates: other people looked at, all in all
--   seed: chooses people and records
--   among: the people to count, by the number of their "person"; NULL counts all
--
--   FROM known_whole_records('retail.parquet', 'CustomerID', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO known_whole_records(source, user_column, columns, known := 4, people := 10_000, candidates := 10_000_000, seed := 0, among := NULL) AS TABLE
SELECT * FROM query('WITH known AS (
    SELECT
        ' || duckrisk_person(user_column) || ' AS person' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ',
        ' || duckrisk_column(each_column) || ' AS v' || (each_column_number - 1)), '') || '
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
records AS (
    SELECT
        ' || duckrisk_cell_number(duckrisk_identifier('person')) || ' AS person,
        HASH(0' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ', ' || duckrisk_cell_number(duckrisk_identifier('v' || CAST((each_column_number - 1) AS VARCHAR)))), '') || ') AS record
    FROM known
    WHERE person IS NOT NULL
),
owned AS MATERIALIZED (
    SELECT person, record, COUNT(*) AS copies
    FROM records
    GROUP BY person, record
),
population AS (
    SELECT COUNT(DISTINCT person) AS people FROM owned
),
-- The last argument of a hash only flips bits, so that few orders are possible; the hash of the hash gives all.
drawn_people AS MATERIALIZED (
    SELECT person, ROW_NUMBER() OVER (ORDER BY HASH(HASH(person, ' || duckrisk_integer(seed) || ')), person) AS turn
    FROM (SELECT DISTINCT person FROM owned) AS everybody
    QUALIFY turn <= ' || duckrisk_integer(people) || '
),
-- A record that occurs several times can be drawn several times.
drawn_records AS (
    SELECT person, record,
        ROW_NUMBER() OVER (PARTITION BY person ORDER BY HASH(HASH(person, record, copy, ' || duckrisk_integer(seed) || ')), record,
        copy) AS place
    FROM (
        SELECT owned.person, owned.record, UNNEST(RANGE(owned.copies)) AS copy
        FROM owned
        SEMI JOIN drawn_people ON drawn_people.person = owned.person
    ) AS own
    QUALIFY place <= ' || duckrisk_integer(known) || '
),
needed AS MATERIALIZED (
    SELECT person, record, COUNT(*) AS copies
    FROM drawn_records
    GROUP BY person, record
),
holders AS (
    SELECT owned.record, COUNT(*) AS holders
    FROM owned
    SEMI JOIN needed ON needed.record = owned.record
    GROUP BY owned.record
),
-- The records of a drawn person, the rarest first: a person without it is no candidate.
ranked AS MATERIALIZED (
    SELECT
        needed.person,
        needed.record,
        needed.copies,
        holders.holders,
        ROW_NUMBER() OVER (PARTITION BY needed.person ORDER BY holders.holders, needed.record) AS place
    FROM needed
    JOIN holders ON holders.record = needed.record
),
examined AS MATERIALIZED (
    SELECT person
    FROM (
        SELECT
            ranked.person,
            drawn_people.turn,
            SUM(ranked.holders) OVER (ORDER BY drawn_people.turn ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
                AS work
        FROM ranked
        JOIN drawn_people ON drawn_people.person = ranked.person
        WHERE ranked.place = 1
    ) AS in_turn
    WHERE work <= ' || duckrisk_integer(candidates) || ' OR turn <= 30
),
fitting_1 AS (
    SELECT ranked.person, owned.person AS candidate
    FROM ranked
    SEMI JOIN examined ON examined.person = ranked.person
    JOIN owned ON owned.record = ranked.record AND owned.copies >= ranked.copies AND owned.person <> ranked.person
    WHERE ranked.place = 1
),
' || array_to_string(list_transform(range(2, (CAST(known AS BIGINT) + 1)), lambda each_place, each_place_number: 'fitting_' || each_place || ' AS (
    SELECT fitting.person, fitting.candidate
    FROM fitting_' || (each_place - 1) || ' AS fitting
    LEFT JOIN ranked ON ranked.person = fitting.person AND ranked.place = ' || each_place || '
    LEFT JOIN owned ON owned.person = fitting.candidate AND owned.record = ranked.record
        AND owned.copies >= ranked.copies
    WHERE ranked.person IS NULL OR owned.person IS NOT NULL
),
'), '') || 'counted AS (
    SELECT
        population.people,
        COUNT(examined.person) AS examined,
        COUNT(CASE WHEN others.person IS NULL THEN ' || CASE WHEN among IS NOT NULL THEN 'among' ELSE 'examined' END || '.person END)
            AS unique_people
    FROM population
    LEFT JOIN examined ON TRUE
    LEFT JOIN (SELECT DISTINCT person FROM fitting_' || CAST(known AS BIGINT) || ') AS others ON others.person = examined.person
' || CASE WHEN among IS NOT NULL THEN '    LEFT JOIN (SELECT ' || duckrisk_cell_number(duckrisk_identifier('person')) || ' AS person FROM ' || duckrisk_relation(among) || ' AS duckrisk_source) AS among
        ON among.person = examined.person
' ELSE '' END || '    GROUP BY population.people
),
interval_of AS (
    SELECT
        *,
        CAST(unique_people AS DOUBLE) / NULLIF(examined, 0) AS share,
        (unique_people + 1.96 * 1.96 / 2) / (examined + 1.96 * 1.96) AS centre,
        1.96 * SQRT(CAST(unique_people AS DOUBLE) * (examined - unique_people) / examined + 1.96 * 1.96 / 4)
            / (examined + 1.96 * 1.96) AS half_width
    FROM counted
)
SELECT
    people,
    examined,
    unique_people,
    share,
    CASE WHEN examined = people THEN share ELSE GREATEST(0, centre - half_width) END AS share_lower,
    CASE WHEN examined = people THEN share ELSE LEAST(1, centre + half_width) END AS share_upper
FROM interval_of');

-- uniqueness
-- People singled out by each small attribute set: an attacker who knows these values of one record identifies them.
--
--   source: the records
--   user_column: the column of the person behind a record; NULL takes each record as a person
--   columns: the attributes an attacker may know
--   missing_tokens: texts that count as missing
--   missing_is_value: a missing value is a value of its own
--   max_size: attributes of a set at most
--
--   FROM uniqueness('retail.parquet', 'CustomerID', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO uniqueness(source, user_column, columns, missing_tokens := ['', '?', '*', 'NULL', 'N/A'], missing_is_value := false, max_size := 3) AS TABLE
SELECT * FROM query('WITH records AS (
    SELECT
        ' || duckrisk_person(user_column) || ' AS person
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '        , ' || duckrisk_column(each_column) || ' AS v' || (each_column_number - 1) || '
'), '') || '    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
tokens AS (
    SELECT UNNEST([' || array_to_string(list_transform(CAST(missing_tokens AS VARCHAR[]), lambda each_token, each_token_number: duckrisk_text(each_token) || ', '), '') || 'NULL]) AS token
),
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: 'codes' || (each_column_number - 1) || ' AS MATERIALIZED (
    SELECT value, ROW_NUMBER() OVER () AS code
    FROM (SELECT DISTINCT v' || (each_column_number - 1) || ' AS value FROM records) AS different
    WHERE value IS NOT NULL AND TRIM(CAST(value AS VARCHAR)) NOT IN (SELECT token FROM tokens WHERE token IS NOT NULL)
),
'), '') || 'coded AS MATERIALIZED (
    SELECT
        person
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '        , COALESCE(codes' || (each_column_number - 1) || '.code, 0) AS c' || (each_column_number - 1) || '
'), '') || '    FROM records
' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '    LEFT JOIN codes' || (each_column_number - 1) || ' ON codes' || (each_column_number - 1) || '.value = records.v' || (each_column_number - 1) || '
'), '') || '    WHERE person IS NOT NULL
),
totals AS (
    SELECT COUNT(DISTINCT person) AS people, COUNT(*) AS records
    FROM coded
),
attributes AS MATERIALIZED (
    SELECT place - 1 AS position, names[place] AS name
    FROM (SELECT [' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_item, each_number: duckrisk_text(each_item)), ', ') || '] AS names) AS given
    CROSS JOIN (SELECT UNNEST(RANGE(1, ' || len(CAST(columns AS VARCHAR[])) || ' + 1)) AS place) AS places
),
sets AS MATERIALIZED (
    SELECT mask
    FROM (SELECT UNNEST(RANGE(1, 1 << ' || len(CAST(columns AS VARCHAR[])) || ')) AS mask) AS masks
    WHERE BIT_COUNT(mask) <= ' || duckrisk_integer(max_size) || '
),
classes AS (
    SELECT mask, MIN(person) AS person, COUNT(*) AS records
    FROM coded
    CROSS JOIN sets
    WHERE ' || duckrisk_flag(missing_is_value) || '
        OR (TRUE' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: '        AND (((mask >> ' || (each_column_number - 1) || ') & 1) = 0 OR c' || (each_column_number - 1) || ' > 0)'), '') || ')
    GROUP BY mask' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ',
        CASE WHEN ((mask >> ' || (each_column_number - 1) || ') & 1) = 1 THEN c' || (each_column_number - 1) || ' END'), '') || '
    HAVING MIN(person) = MAX(person)
),
counted AS (
    SELECT sets.mask, COUNT(DISTINCT classes.person) AS people,
        CAST(COALESCE(SUM(classes.records), 0) AS BIGINT) AS records
    FROM sets
    LEFT JOIN classes ON classes.mask = sets.mask
    GROUP BY sets.mask
)
SELECT
    (SELECT LIST(name ORDER BY position) FROM attributes WHERE ((counted.mask >> position) & 1) = 1) AS attributes,
    counted.people,
    CAST(counted.people AS DOUBLE) / NULLIF(totals.people, 0) AS share,
    counted.records,
    CAST(counted.records AS DOUBLE) / NULLIF(totals.records, 0) AS share_of_records
FROM counted
CROSS JOIN totals
ORDER BY BIT_COUNT(counted.mask), counted.people DESC, counted.records DESC, counted.mask');

-- whole_histories
-- People with a unique history, and the people in the smallest class of equal histories.
--
--   source: the records
--   user_column: the column of the person behind a record; NULL takes each record as a person
--   columns: the quasi-identifiers
--   among: the people to count, by the number of their "person"; NULL counts all
--
--   FROM whole_histories('retail.parquet', 'CustomerID', ['UnitPrice', 'Quantity']);
CREATE OR REPLACE TEMP MACRO whole_histories(source, user_column, columns, among := NULL) AS TABLE
SELECT * FROM query('WITH known AS (
    SELECT
        ' || duckrisk_person(user_column) || ' AS person' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ',
        ' || duckrisk_column(each_column) || ' AS v' || (each_column_number - 1)), '') || '
    FROM ' || duckrisk_relation(source) || ' AS duckrisk_source
),
records AS (
    SELECT
        ' || duckrisk_cell_number(duckrisk_identifier('person')) || ' AS person,
        HASH(0' || array_to_string(list_transform(CAST(columns AS VARCHAR[]), lambda each_column, each_column_number: ', ' || duckrisk_cell_number(duckrisk_identifier('v' || CAST((each_column_number - 1) AS VARCHAR)))), '') || ') AS record
    FROM known
    WHERE person IS NOT NULL
),
owned AS (
    SELECT person, record, COUNT(*) AS copies
    FROM records
    GROUP BY person, record
),
histories AS (
    SELECT
        person,
        SUM(CAST(HASH(record, copies) AS HUGEINT)) AS first_sum,
        SUM(CAST(HASH(copies, record) AS HUGEINT)) AS second_sum
    FROM owned
    GROUP BY person
),
classes AS (
    SELECT COUNT(*) AS class_size, COUNT(' || CASE WHEN among IS NOT NULL THEN 'among.person' ELSE '*' END || ') AS counted
    FROM histories
' || CASE WHEN among IS NOT NULL THEN '    LEFT JOIN (SELECT ' || duckrisk_cell_number(duckrisk_identifier('person')) || ' AS person FROM ' || duckrisk_relation(among) || ' AS duckrisk_source) AS among
        ON among.person = histories.person
' ELSE '' END || '    GROUP BY first_sum, second_sum
)
SELECT
    CAST(COALESCE(SUM(class_size), 0) AS BIGINT) AS people,
    CAST(COALESCE(SUM(CASE WHEN class_size = 1 THEN counted END), 0) AS BIGINT) AS unique_people,
    CAST(SUM(CASE WHEN class_size = 1 THEN counted ELSE 0 END) AS DOUBLE) / SUM(class_size) AS share,
    MIN(CASE WHEN counted > 0 THEN class_size END) AS smallest_class
FROM classes');
