-- known_records
-- The probability that an attacker who knows p records of one person by an attribute identifies the person.
--
-- definition: one record is drawn uniformly, then p - 1 more of the same user's records uniformly without repetition
--   (all, if the user has fewer); U are the users with every drawn value. The risk is E[1/|U|], unicity is Pr(|U| =
--   1). Estimated by Monte Carlo: the draws are spread evenly over the records in an order of users fixed by the
--   seed; MD5 picks the records within a user.
-- source: extension of Ito (p = 1 is definition 2.5); unicity: de Montjoye et al. 2015; interval of
--   unicity: Wilson 1927
-- missing: a record without a user or without a value is left out.
-- read: unicity 0.9 at p = 2 means that two records known by this attribute fit one person alone in 9 of
--   10 cases. Both grow with p.
-- runs: finish
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter attribute: attribute, the value that the attacker learns of each record
-- parameter known: integer, the largest p, 1 to 16
-- parameter draws: integer, number of drawn attackers
-- parameter candidates: integer or none, largest number of groups of candidate users before fewer draws are used;
--   none sets no limit
-- parameter confidence: number, of the intervals: 0.80, 0.90, 0.95 or 0.99; no ends for others
-- parameter seed: integer, chooses the draws
-- parameter ordered: relation or none, the table ordered_people, where each record has a value; none orders them here
--
-- column known_records: INTEGER, records, p: how many the attacker knows
-- column draws: BIGINT, draws, attackers drawn and used
-- column risk: DOUBLE, probability, estimate of E[1/|U|]
-- column risk_lower: DOUBLE, probability, lower end of its normal interval
-- column risk_upper: DOUBLE, probability, upper end of its normal interval
-- column unicity: DOUBLE, probability, estimate of Pr(|U| = 1)
-- column unicity_lower: DOUBLE, probability, lower end of its Wilson interval
-- column unicity_upper: DOUBLE, probability, upper end of its Wilson interval
WITH history AS NOT MATERIALIZED (
    SELECT
        {% if user %}{{ user | person }}{% else %}ROW_NUMBER() OVER (ORDER BY {{ attribute | value }}){% endif %}
            AS user_id,
        {{ attribute | value }} AS value
    FROM {{ source | relation }}
),
{% if ordered is not none %}
users AS (
    SELECT user_id, records, number FROM {{ ordered | relation }}
),
in_seed_order AS (
    SELECT user_id, records, records_before FROM {{ ordered | relation }}
),
{% else %}
-- include: people_in_seed_order
{% endif %}
-- Draw d takes the record at the middle of the d-th of equal parts of all records: a user with twice
-- the records is drawn twice as often.
places AS (
    SELECT
        numbers.draw,
        CAST(FLOOR((numbers.draw + CAST(0.5 AS DOUBLE)) * totals.records / {{ draws | literal }}) AS BIGINT) AS place
    FROM range(0, {{ draws | literal }}) AS numbers (draw)
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
        CASE WHEN records <= {{ 4 * known + 4 }} THEN attempt
             ELSE CAST('0x' || SUBSTR(MD5('{{ seed | literal }} ' || draw || ' ' || attempt), 1, 15) AS BIGINT) %
                 records
        END AS place,
        MD5('{{ seed | literal }} order ' || draw || ' ' || attempt) AS turn
    FROM (SELECT draw, user_id, records, UNNEST(RANGE(0, LEAST(records, {{ 4 * known + 4 }}))) AS attempt
        FROM drawn_users) AS tries
),
picked AS (
    SELECT draw, user_id, place, ROW_NUMBER() OVER (PARTITION BY draw ORDER BY turn, place) AS turn
    FROM (
        SELECT draw, user_id, place, MIN(turn) AS turn
        FROM candidates
        GROUP BY draw, user_id, place
    ) AS different
    QUALIFY ROW_NUMBER() OVER (PARTITION BY draw ORDER BY turn, place) <= {{ known | literal }}
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
        place{% for word in range(0, 4) %},
        BIT_OR(CASE WHEN word = {{ word }} THEN user_bit ELSE 0 END) AS members_{{ word }}{% endfor %}

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
            CAST(SUM({% for word in range(0, 4) %}{% if not loop.first %}
                + {% endif %}CAST(BIT_COUNT(members_{{ word }}) AS SMALLINT){% endfor %}) AS BIGINT) AS users,
            CAST(SUM({% for word in range(0, 4) %}{% if not loop.first %} + {% endif %}CAST(members_{{ word }}
                <> 0 AS INTEGER){% endfor %}) AS BIGINT) AS user_groups
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
    FROM range(1, {{ known | literal }} + 1) AS attackers (known)
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
        SELECT draw, ROW_NUMBER() OVER (ORDER BY MD5('{{ seed | literal }} use ' || CAST(draw AS STRING)), draw) AS turn
        FROM drawn_users
    ) AS shuffled
    CROSS JOIN cost
{% if candidates is not none %}
    WHERE shuffled.turn
        <= GREATEST(
        30, CAST({{ draws | literal }} AS DOUBLE) * {{ candidates | literal }}
        / GREATEST(cost.candidates, {{ candidates | literal }}))
{% endif %}
),
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
    SELECT chain, ROW_NUMBER() OVER (ORDER BY chain) AS chain_number{% for size in range(1, known + 1) %},
        chain[{{ size }}].number << 32 AS place_{{ size }}{% endfor %}

    FROM (SELECT DISTINCT chain FROM chains_of_draws WHERE LENGTH(chain) > 1) AS different
),
having_1 AS (
    SELECT
        chains.chain_number,
        holders.place & 4294967295 AS user_block{% for word in range(0, 4) %},
        holders.members_{{ word }}{% endfor %}{% for later in range(2, known + 1) %},
        chains.place_{{ later }}{% endfor %}

    FROM chains JOIN holders ON holders.place >> 32 = chains.place_1 >> 32
),
{% for size in range(2, known + 1) %}
having_{{ size }} AS MATERIALIZED (
    SELECT
        having_{{ size - 1 }}.chain_number,
        having_{{ size - 1 }}.user_block{% for word in range(0, 4) %},
        having_{{ size - 1 }}.members_{{ word }}
            & holders.members_{{ word }} AS members_{{ word }}{% endfor %}{% for later in range(size + 1, known + 1) %},
        having_{{ size - 1 }}.place_{{ later }}{% endfor %}

    FROM having_{{ size - 1 }}
    JOIN holders
        ON holders.place = having_{{ size - 1 }}.place_{{ size }} | having_{{ size - 1 }}.user_block
        AND ({% for word in range(0, 4) %}{% if not loop.first %} | {% endif %}(
            having_{{ size - 1 }}.members_{{ word }} & holders.members_{{ word }}){% endfor %}) <> 0
),
{% endfor %}
users_of_draws AS (
    SELECT told.draw, 1 AS size, codes.users
    FROM told
    JOIN used_draws ON used_draws.draw = told.draw
    JOIN codes ON codes.code = told.code
    WHERE told.turn = 1
{% for size in range(2, known + 1) %}
    UNION ALL
    SELECT chains_of_draws.draw, {{ size }} AS size, found.users
    FROM chains_of_draws
    JOIN chains ON chains.chain = chains_of_draws.chain
    JOIN (
        SELECT
            chain_number,
            CAST(SUM({% for word in range(0, 4) %}{% if not loop.first %}
                + {% endif %}CAST(BIT_COUNT(members_{{ word }}) AS SMALLINT){% endfor %}) AS BIGINT) AS users
        FROM having_{{ size }}
        GROUP BY chain_number
    ) AS found ON found.chain_number = chains.chain_number
{% endfor %}
),
by_users AS (
    SELECT attackers.known, users_of_draws.users, COUNT(*) AS draws
    FROM attackers
    JOIN users_of_draws
        ON users_of_draws.draw = attackers.draw AND users_of_draws.size = LENGTH(attackers.known_values)
    GROUP BY attackers.known, users_of_draws.users
),
-- include: known_records_figures
