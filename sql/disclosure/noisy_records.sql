-- noisy_records
-- Attackers who know some values of a record, some of them wrong, and look for the record that fits best.
--
-- definition: each record is a person; a fact is the value of an attribute. The score of a candidate c is the sum over
--   known facts i of w_i s_i, with s_i 1 if c has the value i, exp(-|day_i - day_c| / 30) of a day and exp(-|i - c| /
--   (2 e)) of a number, 0 if c has none; w_i = 1 / ln(max(records with the value, 2)), of days and numbers those within
--   their error. The best candidate is the answer if (best - second) / deviation > 1.5, over all candidates. Equal
--   best candidates are no guess and no answer. For 1, 2, 4 and 8 known facts "targets" are drawn of the records with
--   as many values, and of each of them the facts. Of these 0, 10 and 25 % are wrong: floor(known * percent / 100 + u),
--   u drawn once a record between 0 and 1. A wrong fact is the value of a drawn record, so that popular values are
--   drawn more often; of four records the first that differs there. Days move by up to "days" either way, numbers by up
--   to e = band * (third - first quartile). Draws are by MD5 of the seed and of the number of the record in the order
--   of its values.
-- source: Narayanan and Shmatikov, Robust de-anonymization of large sparse datasets, IEEE S&P 2008, sections 4 and 5
-- missing: a missing value is no fact, and a candidate without a value gains nothing by it; a number of 1e100 or
--   more is none.
-- read: 60 answered of 100 records, 55 of them rightly, means that 92 % of the answers are right, and that 55 % of the
--   records are found; 40 are withheld, for others look alike or nothing stands out.
-- runs: finish
--
-- parameter source: relation, the records
-- parameter columns: columns, attributes whose values are equal or not
-- parameter dates: columns, attributes that are dates
-- parameter numbers: columns, attributes that are numbers
-- parameter days: integer, largest error of a day
-- parameter band: number, largest error of a number as a share of the middle half's range
-- parameter targets: integer, records drawn at most for each number of facts
-- parameter work: integer, scores at most; beyond it fewer records are drawn, thirty at the least
-- parameter seed: integer, chooses records, facts and errors
--
-- include: noisy_knowledge_columns
WITH RECURSIVE records AS (
    SELECT
{% for column in columns %}
        {{ column | identifier }} AS a{{ loop.index }},
{% endfor %}
{% for column in dates %}
        CAST(DATE_DIFF('day', DATE '1970-01-01', TRY_CAST({{ column | identifier }} AS DATE)) AS DOUBLE)
            AS a{{ columns | length + loop.index }},
{% endfor %}
{% for column in numbers %}
        CASE WHEN ABS(TRY_CAST({{ column | identifier }} AS DOUBLE)) < 1e100
            THEN TRY_CAST({{ column | identifier }} AS DOUBLE) END
            AS a{{ columns | length + dates | length + loop.index }},
{% endfor %}
        0 AS nothing
    FROM {{ source | relation }}
),
{% for column in columns %}
codes{{ loop.index }} AS (
    SELECT value, CAST(ROW_NUMBER() OVER (ORDER BY value) AS DOUBLE) AS code
    FROM (SELECT DISTINCT a{{ loop.index }} AS value FROM records WHERE a{{ loop.index }} IS NOT NULL) AS different
),
{% endfor %}
cells AS (
    SELECT
{% for place in range(1, columns | length + 1) %}
        codes{{ place }}.code AS c{{ place }},
{% endfor %}
{% for place in range(columns | length + 1, columns | length + dates | length + numbers | length + 1) %}
        records.a{{ place }} AS c{{ place }},
{% endfor %}
        nothing
    FROM records
{% for place in range(1, columns | length + 1) %}
    LEFT JOIN codes{{ place }} ON codes{{ place }}.value = records.a{{ place }}
{% endfor %}
),
combinations AS (
    SELECT *, COUNT(*) AS copies FROM cells GROUP BY ALL
),
classes AS MATERIALIZED (
    SELECT
        *,
        ROW_NUMBER() OVER (ORDER BY nothing{% for place in range(1, columns | length + dates | length
            + numbers | length + 1) %}, c{{ place }}{% endfor %}) AS candidate,
        0{% for place in range(1, columns | length + dates | length + numbers | length + 1) %}

            + CAST(c{{ place }} IS NOT NULL AS INTEGER){% endfor %} AS facts
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
    SELECT {{ work | literal }} / (8.0 * COUNT(*)) AS affordable FROM classes
),
-- include: noisy_targets
marks AS MATERIALIZED (
    SELECT place, cell, CAST(SUM(records) OVER (PARTITION BY place ORDER BY cell) AS BIGINT) AS up_to
    FROM (
{% for place in range(1, columns | length + dates | length + numbers | length + 1) %}
        SELECT {{ place }} AS place, c{{ place }} AS cell, SUM(copies) AS records
        FROM classes WHERE c{{ place }} IS NOT NULL GROUP BY c{{ place }}
        UNION ALL
{% endfor %}
        SELECT 0 AS place, 0 AS cell, 0 AS records
    ) AS counted
),
-- An error of -1 stands for values that are equal or not.
errors AS MATERIALIZED (
{% for place in range(1, columns | length + 1) %}
    SELECT {{ place }} AS place, CAST(-1 AS DOUBLE) AS error, CAST(0 AS DOUBLE) AS scale
    UNION ALL
{% endfor %}
{% for place in range(columns | length + 1, columns | length + dates | length + 1) %}
    SELECT {{ place }} AS place, CAST({{ days | literal }} AS DOUBLE) AS error, CAST(30 AS DOUBLE) AS scale
    UNION ALL
{% endfor %}
{% for column in numbers %}
    SELECT
        {{ columns | length + dates | length + loop.index }} AS place,
        {{ band | literal }} * (QUANTILE_DISC(a{{ columns | length + dates | length + loop.index }}, 0.75)
            - QUANTILE_DISC(a{{ columns | length + dates | length + loop.index }}, 0.25)) AS error,
        2 * error AS scale
    FROM records
    UNION ALL
{% endfor %}
    SELECT 0 AS place, 0 AS error, 0 AS scale
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
            PARTITION BY target ORDER BY MD5('{{ seed | literal }} fact ' || target || ' ' || place), place
        ) AS turn
    FROM (
{% for place in range(1, columns | length + dates | length + numbers | length + 1) %}
        SELECT target, {{ place }} AS place, c{{ place }} AS cell FROM own
        UNION ALL
{% endfor %}
        SELECT target, 0 AS place, NULL AS cell FROM own
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
        1 + CAST('0x' || SUBSTR(MD5('{{ seed | literal }} wrong ' || own_facts.target || ' ' || own_facts.place || ' '
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
{% for place in range(1, columns | length + dates | length + numbers | length + 1) %}
            WHEN {{ place }} THEN classes.c{{ place }}
{% endfor %}
        END AS cell
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
        chosen.cell + GREATEST(errors.error, 0) * (CAST('0x' || SUBSTR(MD5(
            '{{ seed | literal }} error ' || chosen.target || ' ' || chosen.turn || ' ' || chosen.is_wrong
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
        cases.wrong{% for place in range(1, columns | length + dates | length + numbers | length + 1) %},
        MAX(CASE WHEN weighed.place = {{ place }} THEN weighed.cell END) AS v{{ place }},
        MAX(CASE WHEN weighed.place = {{ place }} THEN weighed.weight END) AS w{{ place }}{% endfor %}

    FROM (SELECT DISTINCT target, known, wrong FROM attackers) AS cases
    JOIN weighed ON weighed.target = cases.target AND weighed.turn <= cases.known
        AND weighed.is_wrong = (weighed.turn <= cases.wrong)
    GROUP BY cases.target, cases.known, cases.wrong
),
scales AS (
    SELECT 0 AS nothing{% for place in range(1, columns | length + dates | length + numbers | length + 1) %},
        MAX(CASE WHEN place = {{ place }} THEN NULLIF(scale, 0) END) AS s{{ place }}{% endfor %}

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
{% for place in range(1, columns | length + 1) %}
            + CASE WHEN classes.c{{ place }} = asked.v{{ place }} THEN asked.w{{ place }} ELSE 0 END
{% endfor %}
{% for place in range(columns | length + 1, columns | length + dates | length + numbers | length + 1) %}
            + CASE WHEN classes.c{{ place }} = asked.v{{ place }} THEN asked.w{{ place }}
                ELSE COALESCE(asked.w{{ place }}
                    * EXP(-ABS(classes.c{{ place }} - asked.v{{ place }}) / scales.s{{ place }}), 0) END
{% endfor %}
        )) AS BIGINT) AS score
    FROM asked
    JOIN own ON own.target = asked.target
    CROSS JOIN scales
    CROSS JOIN classes
),
-- include: noisy_counted
-- include: exact_ends
-- include: noisy_figures
