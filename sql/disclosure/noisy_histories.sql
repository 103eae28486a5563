-- noisy_histories
-- Attackers who know some items of a person, some of them wrong, and look for the history that fits best.
--
-- definition: a fact is a different combination of person, item, day and amount. The score of a candidate c is the sum
--   over known facts i of w_i max over the facts r of c with the item of i of exp(-|day_i - day_r| / 30)
--   exp(-|amount_i - amount_r| / (2 e)), with w_i = 1 / ln(max(people with the item, 2)) and e the error of amounts.
--   The best candidate is the answer if (best - second) / deviation > 1.5, where candidates without a known item have 0
--   and count in the deviation, too. Equal best candidates are no guess and no answer. For 1, 2, 4 and 8 known facts
--   "targets" are drawn of the people with as many, and of each of them the facts. Of these 0, 10 and 25 % are wrong:
--   floor(known * percent / 100 + u), u drawn once a person between 0 and 1. A wrong fact has the item and amount of
--   one drawn fact of the table and the day of another, so that popular items are drawn more often; of four draws the
--   first whose item the person does not have. Days move by up to "days" either way, amounts by up to e = band * (third
--   - first quartile). Draws are by MD5 of the seed and of the number of the person or the fact in the order of their
--   values.
-- source: Narayanan and Shmatikov, Robust de-anonymization of large sparse datasets, IEEE S&P 2008, sections 4 and 5
-- missing: a record without a person, an item, a day or an amount is left out; a number of 1e100 or more is none.
-- read: 345 answered of 400 people, 330 of them rightly, means that 96 % of the answers are right, and that 83 % of the
--   people are found; 55 people are withheld.
-- runs: finish
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter item: column, what the attacker knows, such as an article
-- parameter day: column or none, its date; none where there is none
-- parameter amount: column or none, a number, such as a price; none where there is none
-- parameter days: integer, largest error of a day
-- parameter band: number, largest error of an amount as a share of the middle half's range
-- parameter targets: integer, people drawn at most for each number of facts
-- parameter work: integer, comparisons of facts at most; beyond it fewer people are drawn, thirty at the least
-- parameter seed: integer, chooses people, facts and errors
--
-- include: noisy_knowledge_columns
WITH RECURSIVE history AS (
    SELECT DISTINCT
        {{ user | person }} AS user_id,
        {{ item | identifier }} AS item,
        {% if day %}DATE_DIFF('day', DATE '1970-01-01', TRY_CAST({{ day | identifier }} AS DATE)){% else %}0{% endif %}
            AS day,
        {% if amount %}TRY_CAST({{ amount | identifier }} AS DOUBLE){% else %}CAST(0 AS DOUBLE){% endif %} AS amount
    FROM {{ source | relation }}
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
        {{ work | literal }} / (SUM(CAST(facts AS DOUBLE) * facts) / SUM(facts)
            * 16) AS affordable
    FROM items
),
errors AS (
    SELECT {{ band | literal }} * (QUANTILE_DISC(amount, 0.75) - QUANTILE_DISC(amount, 0.25)) AS amount_error FROM facts
),
-- include: noisy_targets
own_facts AS MATERIALIZED (
    SELECT
        facts.candidate AS target,
        facts.fact,
        ROW_NUMBER() OVER (
            PARTITION BY facts.candidate
            ORDER BY MD5('{{ seed | literal }} fact ' || facts.fact), facts.fact
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
        1 + CAST('0x' || SUBSTR(digest, 1, 13) AS BIGINT) % bounds.facts AS fact,
        1 + CAST('0x' || SUBSTR(digest, 14, 13) AS BIGINT) % bounds.facts AS dated
    FROM (
        SELECT target, turn, attempt, MD5('{{ seed | literal }} wrong ' || fact || ' ' || attempt) AS digest
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
-- Two drawn parts of a fact's digest, each below 2^52: the error of the day, and that of the amount.
remembered AS MATERIALIZED (
    SELECT
        chosen.target,
        chosen.turn,
        chosen.is_wrong,
        facts.item_number,
        dates.day + CAST('0x' || SUBSTR(digest, 1, 13) AS BIGINT) % {{ 2 * days + 1 }} - {{ days | literal }} AS day,
        facts.amount
            + errors.amount_error * (CAST('0x' || SUBSTR(digest, 14, 13) AS BIGINT) / 2251799813685248 - 1) AS amount
    FROM (
        SELECT *, MD5('{{ seed | literal }} error ' || target || ' ' || turn || ' ' || fact) AS digest FROM chosen
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
-- include: noisy_counted
-- include: exact_ends
-- include: noisy_figures
