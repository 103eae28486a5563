-- limits
-- The limits of a policy in a DuckDB shell: the figures of a table, and which limits it keeps.
--
-- idea: the statements of the metrics run on numbers of the cells, of any columns. What SQL cannot know stays open:
--   who the persons are, which columns identify them, and figures that depend on the meaning of a text. So no limit
--   is kept here that duckrisk assess finds exceeded for the same roles
-- source: our own
-- runs: finish
--
-- parameter cell: expression, a value
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter records: relation, the people and their records
-- parameter counted: relation, the people singled out by each set
-- parameter size: integer, facts of a set

-- name: limits_of_policies
-- The limits of all policies, in the order of reports.
--
-- parameter policies: texts, the policy of each limit
-- parameter names: texts, its name
-- parameter bounds: numbers, its value
-- parameter minima: integers, 1 for a limit that a table must reach, else 0
(
    SELECT
        UNNEST({{ policies | literal }}) AS policy,
        UNNEST({{ names | literal }}) AS name,
        CAST(UNNEST({{ bounds | literal }}) AS DOUBLE) AS bound,
        UNNEST({{ minima | literal }}) = 1 AS is_minimum,
        UNNEST(RANGE({{ names | length }})) AS place
)

-- name: cell_moment
-- The moment of a cell, in UTC where it has a time zone; NULL if it is none.
-- takes: cell
TRY_CAST(CAST({{ cell | expression }} AS VARCHAR) AS TIMESTAMP)

-- name: cell_time_of_day
-- The time of day of a cell; NULL if it is none.
-- takes: cell
TRY_CAST(CAST({{ cell | expression }} AS VARCHAR) AS TIME)

-- name: cell_facts
-- The numbers of what an attacker may know of a cell: the value, or the day and the minute of a moment.
--
-- takes: cell
-- parameter number: expression, the number of the value
-- parameter day: expression, the day of a moment
-- parameter minute: expression, the minute of a moment
-- parameter minute_of_time: expression, the minute of a time of day
CASE
    WHEN STARTS_WITH(TYPEOF({{ cell | expression }}), 'TIMESTAMP')
    THEN [HASH({{ day | expression }}), HASH({{ minute | expression }})]
    WHEN TYPEOF({{ cell | expression }}) = 'TIME' THEN [HASH({{ minute_of_time | expression }})]
    ELSE [{{ number | expression }}]
END

-- name: cell_token
-- Whether a cell has a text that counts as missing.
-- takes: cell
-- parameter tokens: texts, those that count as missing
COALESCE(TRIM(CAST({{ cell | expression }} AS VARCHAR)) IN ({{ tokens | literals }}), FALSE)

-- name: cell_draw
-- Whether duckrisk assess may know a cell by another number, and so draw other records.
--
-- definition: it knows the day and the minute of a moment, NULL for a text that counts as missing, the digest of a
--   long text, and the number or the day that a text holds
--
-- takes: cell
-- parameter token: expression, whether it counts as missing
-- parameter longest: integer, characters of the longest text that is no long one
{{ token | expression }} OR STARTS_WITH(TYPEOF({{ cell | expression }}), 'TIME') OR COALESCE(
    TYPEOF({{ cell | expression }}) = 'VARCHAR' AND (
        LENGTH(CAST({{ cell | expression }} AS VARCHAR)) > {{ longest | literal }}
        OR REGEXP_MATCHES(CAST({{ cell | expression }} AS VARCHAR), '^[^a-zA-Z]*[0-9][^a-zA-Z]*$')
            AND NOT REGEXP_MATCHES(CAST({{ cell | expression }} AS VARCHAR), '^[0-9]+$')
    ), FALSE)

-- name: cell_time
-- Whether a cell is a moment, or a text that may be read as one.
-- takes: cell
CASE
    WHEN STARTS_WITH(TYPEOF({{ cell | expression }}), 'TIME') THEN TYPEOF({{ cell | expression }})
    WHEN TYPEOF({{ cell | expression }}) = 'VARCHAR' AND {{ cell | expression }} IS NOT NULL
    THEN CASE
        WHEN REGEXP_MATCHES(CAST({{ cell | expression }} AS VARCHAR), '[0-9].*(:|' || CHR(26178) || ')')
            OR TRY_CAST(CAST({{ cell | expression }} AS VARCHAR) AS TIMESTAMP) IS NOT NULL
        THEN 'written' ELSE 'no' END
END

-- name: sensitive_cells
-- A row for each record: the person, a number of the quasi-identifiers, and one of the sensitive value.
--
-- takes: source, user
-- parameter numbers: expression, the numbers of the quasi-identifiers
-- parameter value: expression, the sensitive value
-- parameter number: expression, the number of the sensitive value; NULL if it is missing
-- parameter time: expression, whether the value is a moment
SELECT person, value, is_day, is_number, is_time, has_digit, HASH(*COLUMNS('^n ')) AS class
FROM (
    SELECT
        {{ user | person }} AS person,
        {{ number | expression }} AS value,
        TYPEOF({{ value | expression }}) = 'DATE' AS is_day,
        COALESCE({{ time | expression }} <> 'no', FALSE) AS is_time,
        TYPEOF({{ value | expression }}) <> 'VARCHAR' AS is_number,
        REGEXP_MATCHES(CAST({{ value | expression }} AS VARCHAR), '[0-9]') AS has_digit,
        {{ numbers | expression }} AS 'n \0'
    FROM {{ source | relation }} AS duckrisk_source
) AS known

-- name: sensitive_extent
-- Whether a sensitive column could be judged in coarser forms, which disclose more, or has moments.
--
-- parameter cells: relation, sensitive_cells
SELECT
    COALESCE(BOOL_OR(is_time), FALSE) AS has_times,
    COUNT(DISTINCT value) > 10 OR COALESCE(BOOL_OR(is_day), FALSE)
        OR COALESCE(BOOL_AND(has_digit) AND NOT BOOL_OR(is_number), FALSE) AS is_least
FROM {{ cells | relation }} AS cells

-- name: record_facts
-- A record as one fact, as facts_together reads it.
-- takes: records
(SELECT person, record AS h0 FROM {{ records | relation }})

-- name: all_people
-- The number of people; NULL without any.
-- takes: records
(SELECT NULLIF(COUNT(DISTINCT person), 0) FROM {{ records | relation }})

-- name: all_records
-- The number of their records; NULL without any.
-- takes: records
(SELECT NULLIF(COUNT(*), 0) FROM {{ records | relation }})

-- name: people_of_sets
-- The people that each set of a size singles out.
-- takes: counted, size
(SELECT COALESCE(LIST(people), []) FROM {{ counted | relation }} AS counted WHERE size = {{ size }})

-- name: numbers_of_sets
-- A number for each set of a size: each is a stratum of its own, because all are examined.
-- takes: counted, size
(SELECT RANGE(COUNT(*)) FROM {{ counted | relation }} AS counted WHERE size = {{ size }})

-- name: sizes_of_strata
-- The size of each of these strata.
-- takes: counted, size
(SELECT COALESCE(LIST(1), []) FROM {{ counted | relation }} AS counted WHERE size = {{ size }})

-- name: limits
-- The limits of a policy for a table, with its figures; none counts as kept that SQL cannot judge.
--
-- definition: the figures are those of facts_together, typical_share, attribute_risk, whole_histories,
--   known_whole_records and disclosed_people, with all columns but constants as facts. A text that counts as missing
--   is a value for a single fact, and none in sets of facts. Of moments the day and the minute are facts
-- missing: a record without a person is left out
--
-- takes: source, user
-- parameter sensitive: columns, the sensitive columns
-- parameter policy: text, the name of the policy
-- parameter policies: relation, limits_of_policies
-- parameter numbers: expression, the numbers of the quasi-identifiers
-- parameter facts: expression, the facts of each
-- parameter tokens: expression, whether each counts as missing
-- parameter times: expression, whether each is a moment
-- parameter draws: expression, whether duckrisk assess may know each by another number
-- parameter k: integer, of attribute_risk
-- parameter most: integer, facts whose sets are examined
-- parameter together: relation, facts_together of the records
-- parameter typical_1: relation, typical_share of single facts
-- parameter typical_2: relation, typical_share of pairs
-- parameter typical_3: relation, typical_share of sets of three
-- parameter histories: relation, as whole_histories gives
-- parameter whole_records: relation, as known_whole_records gives
-- parameter disclosed: relation, as disclosed_people gives
-- parameter extent: relation, sensitive_extent
WITH shell_cells AS MATERIALIZED (
    SELECT
        person,
        HASH(*COLUMNS('^n ')) AS record,
        [*COLUMNS('^n ')] AS numbers,
        [*COLUMNS('^f ')] AS facts,
        [*COLUMNS('^m ')] AS tokens,
        [*COLUMNS('^t ')] AS times,
        [*COLUMNS('^d ')] AS draws
    FROM (
        SELECT
            {{ user | person }} AS person,
            {{ numbers | expression }} AS 'n \0',
            {{ facts | expression }} AS 'f \0',
            {{ tokens | expression }} AS 'm \0',
            {{ times | expression }} AS 't \0',
            {{ draws | expression }} AS 'd \0'
        FROM {{ source | relation }} AS duckrisk_source
    ) AS given
),
shell_columns AS MATERIALIZED (
    SELECT
        place,
        MAX(width) AS width,
        BOOL_OR(draw) AS has_other_draws,
        COALESCE(BOOL_AND(time = 'written'), FALSE) AS has_written_times,
        MIN(number) = MAX(number) AND (COUNT(*) > 1 OR MIN(number) = HASH(NULL)) AS is_constant
    FROM (
        SELECT
            UNNEST(RANGE(1, LEN(numbers) + 1)) AS place,
            UNNEST(numbers) AS number,
            UNNEST(LIST_TRANSFORM(facts, LAMBDA fact: LEN(fact))) AS width,
            UNNEST(times) AS time,
            UNNEST(draws) AS draw
        FROM shell_cells
    ) AS cells
    GROUP BY place
),
-- A place of each fact in the list of a record. A constant column tells nothing of anybody.
shell_places AS MATERIALIZED (
    SELECT LIST(fact ORDER BY fact) FILTER (NOT is_constant) AS facts
    FROM (
        SELECT ROW_NUMBER() OVER (ORDER BY place, part) AS fact, is_constant
        FROM (SELECT place, is_constant, UNNEST(RANGE(width)) AS part FROM shell_columns) AS parts
    ) AS numbered
),
shell_records AS MATERIALIZED (
    SELECT
        {{ "person" | number }} AS person,
        record,
        FLATTEN(facts) AS facts,
        FLATTEN(LIST_TRANSFORM(facts, LAMBDA parts, place: LIST_TRANSFORM(
            parts, LAMBDA part: CASE WHEN tokens[place] THEN HASH(NULL) ELSE part END))) AS present_facts
    FROM shell_cells
    WHERE person IS NOT NULL
),
shell_totals AS MATERIALIZED (
    SELECT
        COUNT(DISTINCT person) AS people,
        COUNT(*) AS records,
        COALESCE(COUNT(*) > COUNT(DISTINCT person), FALSE) AS has_histories,
        COALESCE((SELECT LEN(facts) FROM shell_places), 0) AS facts,
        (SELECT BOOL_OR(has_other_draws) FROM shell_columns) AS has_other_draws,
        (SELECT BOOL_OR(has_written_times) FROM shell_columns) AS has_written_times
    FROM shell_records
),
shell_single_facts AS (
    WITH knowledge AS (
        SELECT position, COUNT(*) AS records, COUNT(DISTINCT person) AS users
        FROM (
            SELECT
                records.person,
                UNNEST(places.facts) AS position,
                UNNEST(LIST_TRANSFORM(places.facts, LAMBDA fact: records.facts[fact])) AS value
            FROM shell_records AS records
            CROSS JOIN shell_places AS places
        ) AS learnt
        WHERE value <> HASH(NULL)
        GROUP BY position, value
    ),
-- include: attribute_risk_figures
),
-- Records of equal facts are one row: who shares all facts with somebody else is alone in no set of them.
shell_combinations AS MATERIALIZED (
    SELECT facts, MIN(person) AS first_person, MAX(person) AS last_person
    FROM (
        SELECT
            records.person,
            LIST_TRANSFORM(places.facts, LAMBDA fact: records.present_facts[fact]) AS facts
        FROM shell_records AS records
        CROSS JOIN shell_places AS places
    ) AS known
    GROUP BY facts
),
shell_facts AS MATERIALIZED (
    SELECT UNNEST(RANGE(1, facts + 1)) AS fact FROM shell_totals WHERE facts <= {{ most | literal }}
),
shell_sets AS MATERIALIZED (
    SELECT 1 AS size, fact AS first_fact, NULL AS second_fact, NULL AS third_fact FROM shell_facts
    UNION ALL
    SELECT 2, a.fact, b.fact, NULL FROM shell_facts AS a JOIN shell_facts AS b ON a.fact < b.fact
    UNION ALL
    SELECT 3, a.fact, b.fact, c.fact
    FROM shell_facts AS a
    JOIN shell_facts AS b ON a.fact < b.fact
    JOIN shell_facts AS c ON b.fact < c.fact
),
shell_classes AS (
    SELECT first_fact, second_fact, third_fact, MIN(first_person) AS person
    FROM (
        SELECT
            sets.first_fact, sets.second_fact, sets.third_fact, rows.first_person, rows.last_person,
            rows.facts[sets.first_fact] AS first_value,
            rows.facts[sets.second_fact] AS second_value,
            rows.facts[sets.third_fact] AS third_value
        FROM shell_combinations AS rows
        CROSS JOIN shell_sets AS sets
    ) AS known
    WHERE first_value <> HASH(NULL)
        AND (second_fact IS NULL OR second_value <> HASH(NULL))
        AND (third_fact IS NULL OR third_value <> HASH(NULL))
    GROUP BY first_fact, second_fact, third_fact, first_value, second_value, third_value
    HAVING MIN(first_person) = MAX(last_person)
),
shell_counted AS MATERIALIZED (
    SELECT sets.size, COUNT(DISTINCT classes.person) AS people
    FROM shell_sets AS sets
    LEFT JOIN shell_classes AS classes
        ON classes.first_fact = sets.first_fact
        AND classes.second_fact IS NOT DISTINCT FROM sets.second_fact
        AND classes.third_fact IS NOT DISTINCT FROM sets.third_fact
    GROUP BY sets.size, sets.first_fact, sets.second_fact, sets.third_fact
),
shell_known_facts AS (
    SELECT GREATEST(
        (SELECT typical FROM {{ typical_1 | relation }}),
        (SELECT typical FROM {{ typical_2 | relation }}),
        (SELECT typical FROM {{ typical_3 | relation }})
    ) AS typical
),
shell_together AS MATERIALIZED (SELECT * FROM {{ together | relation }}),
shell_histories AS MATERIALIZED (SELECT * FROM {{ histories | relation }}),
shell_whole_records AS MATERIALIZED (SELECT * FROM {{ whole_records | relation }}),
shell_sensitive AS (
    SELECT NULL AS share, TRUE AS has_times, TRUE AS is_least WHERE FALSE
{% for column in sensitive %}
    UNION ALL
    SELECT disclosed.share, extent.has_times, extent.is_least
    FROM {{ disclosed | relation }} AS disclosed
    CROSS JOIN {{ extent | relation }} AS extent
{% endfor %}
),
-- A figure that is open can show that a limit is exceeded, and never that it is kept.
figures AS (
    SELECT 'identifying_columns' AS name, NULL AS figure, NULL AS lower, NULL AS upper,
        'SQL does not know which columns identify people.' AS open
    UNION ALL
    SELECT 'unique_people', COALESCE(MAX(share) FILTER (least = 1), 0), NULL, NULL, NULL FROM shell_together
    UNION ALL
    SELECT 'smallest_class', MIN(smallest_class), NULL, NULL, NULL FROM shell_together
    UNION ALL
    SELECT 'unique_histories', share, NULL, NULL, NULL FROM shell_histories
    UNION ALL
    SELECT 'smallest_history', smallest_class, NULL, NULL, NULL FROM shell_histories
    UNION ALL
    -- Where duckrisk assess draws other records, two draws differ by at most this, but in 1 of 500 cases.
    SELECT 'three_records', found.share,
        found.share_lower - CASE WHEN totals.has_other_draws THEN 2.2 / SQRT(found.examined) ELSE 0 END,
        found.share_upper + CASE WHEN totals.has_other_draws THEN 2.2 / SQRT(found.examined) ELSE 0 END,
        CASE WHEN totals.has_written_times THEN 'Some columns hold moments as texts: cast them to TIMESTAMP.' END
    FROM shell_whole_records AS found
    CROSS JOIN shell_totals AS totals
    UNION ALL
    SELECT 'one_fact', MAX(mean_risk), NULL, NULL, NULL FROM shell_single_facts
    UNION ALL
    SELECT 'three_facts',
        CASE WHEN NOT totals.has_written_times AND totals.facts <= {{ most | literal }} THEN found.typical END,
        NULL, NULL,
        CASE
            WHEN totals.facts > {{ most | literal }} THEN 'There are too many sets of these columns.'
            WHEN totals.has_written_times THEN 'Some columns hold moments as texts: cast them to TIMESTAMP.'
            WHEN totals.has_histories THEN 'People with several records: facts of several of them are not counted.'
        END
    FROM shell_known_facts AS found
    CROSS JOIN shell_totals AS totals
    UNION ALL
    SELECT 'sensitive_disclosed', MAX(CASE WHEN NOT has_times THEN share END), NULL, NULL,
        CASE
            WHEN BOOL_OR(has_times) THEN 'Moments are not judged as sensitive values.'
            WHEN BOOL_OR(is_least) THEN 'Months, bands and prefixes of the sensitive values are not counted.'
        END
    FROM shell_sensitive
),
judged AS (
    SELECT
        limits.place, limits.name, figures.figure, limits.is_minimum, limits.bound,
        CASE
            WHEN figures.name IS NULL THEN 'SQL does not judge this limit.'
            WHEN totals.facts = 0 THEN 'No column tells anything of anybody.'
            ELSE figures.open
        END AS open,
        CASE WHEN limits.is_minimum THEN COALESCE(figures.lower, figures.figure) >= limits.bound
            ELSE COALESCE(figures.upper, figures.figure) <= limits.bound END AS is_kept,
        CASE WHEN limits.is_minimum THEN COALESCE(figures.upper, figures.figure) < limits.bound
            ELSE COALESCE(figures.lower, figures.figure) > limits.bound END AS is_exceeded
    FROM {{ policies | relation }} AS limits
    LEFT JOIN figures ON figures.name = limits.name
    CROSS JOIN shell_totals AS totals
    WHERE limits.policy = {{ policy | literal }}
        AND (totals.has_histories OR limits.name NOT IN ('unique_histories', 'smallest_history', 'three_records'))
        AND (EXISTS (SELECT 1 FROM shell_sensitive) OR limits.name <> 'sensitive_disclosed')
),
decided AS (
    SELECT *, CASE WHEN is_exceeded THEN FALSE WHEN is_kept AND open IS NULL THEN TRUE END AS kept FROM judged
)
SELECT
    name,
    figure,
    CASE WHEN is_minimum THEN 'at least' ELSE 'at most' END AS rule,
    bound,
    kept,
    CASE
        WHEN kept IS NOT NULL THEN NULL
        WHEN open IS NOT NULL THEN open
        WHEN figure IS NULL THEN 'Nobody has a value of a column.'
        ELSE 'The interval of the figure holds the limit.'
    END AS why_open,
    CASE
        WHEN (SELECT COUNT(*) FROM shell_cells) = 0 THEN ERROR('The table has no records.')
        WHEN (SELECT people FROM shell_totals) = 0 THEN ERROR('No record has a person in the column "user".')
        WHEN (SELECT COUNT(*) FROM decided WHERE NOT kept) > 0 THEN 'a limit is exceeded'
        WHEN (SELECT COUNT(*) FROM decided WHERE kept IS NULL AND name <> 'identifying_columns') > 0 THEN 'undecided'
        ELSE 'limits kept, roles not judged'
    END AS outcome
FROM decided
ORDER BY place
