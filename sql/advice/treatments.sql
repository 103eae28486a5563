-- treatments
-- The effect of a treatment on information, on links between records, and on the people singled out.
--
-- idea: a treatment publishes a value for each value of a column and deletes some records. The published values of
--   each combination are packed into words of 60 bits, which the search for attribute sets reads like a table. What
--   the next treatment leaves unchanged gives a lower bound of the value of a leak.
-- source: information: Yamaoka and Itoh, section 5; the rest is our own
-- runs: finish
-- reads: advice_people, advice_disclosed, advice_tuples, patterns, settled, tier_ease
-- makes: combinations, persons, treated_cells, treated_deletions, treated_records, users_missing
--
-- parameter columns: integer, number of columns with numbered values
-- parameter words: integer, words of the values
-- parameter shifts: integers, the first bit of each field in its word
-- parameter count: integer, words of a combination
-- parameter deletes_records: flag, the step deletes records
-- parameter base: number, the value of the least sensitive record
-- parameter table: column, the table to create
-- parameter period: expression or none, the first day of a pseudonym's period, computed from the day; none if a
--   user has one pseudonym for all time
-- parameter outcomes: column, the value of a leak of each record under the current treatment

-- name: treated_cells
-- The published values of each combination of values, packed into words of 60 bits.
--
-- definition: "spread" is log2 of the number of combinations that the published values cover in the columns that
--   count as information
--
-- takes: columns, shifts, count, table
-- parameter kept: integers, the numbers of the published columns
-- parameter forms: texts, the tables with their forms
-- parameter words: integers, the word that holds the field of each published column
-- parameter informative: integers, the published columns that count as information
-- parameter lost: integers, number of values of each removed column that counts as information
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT
    advice_tuples.tuple,
    advice_tuples.present,
    advice_tuples.records,
{% for i in range(columns) %}
    advice_tuples.c{{ i }},
{% endfor %}
{% for word in range(count) %}
    CAST(0 AS BIGINT){% for i in range(kept | length) if words[i] == word %}
        | (CAST(f{{ kept[i] }}.cell AS BIGINT) << {{ shifts[i] }}){% endfor %} AS q{{ word }},
{% endfor %}
    CAST(0 AS DOUBLE){% for i in informative %} + LOG2(f{{ i }}.leaves){% endfor %}{% for leaves in lost %}
        + LOG2({{ leaves }}){% endfor %} AS spread
FROM advice_tuples
{% for i in kept %}
JOIN {{ forms[loop.index0] | identifier }} AS f{{ i }} ON f{{ i }}.code = advice_tuples.c{{ i }}
{% endfor %}

-- name: changed_cells
-- The published values of a treatment that changes the form of at most one column.
-- takes: columns, count
-- parameter source: relation, the published values of the current treatment
-- parameter column: integer or none, the changed column; none changes no column
-- parameter before: column, the table with its current form
-- parameter after: column or none, the table with its new form; none removes the column
-- parameter leaves: integer, number of values of the column
-- parameter informative: flag, the column counts as information
-- parameter word: integer, the word that holds its field
-- parameter shift: integer, the first bit of its field in this word
-- parameter others: integer, the bits of the other fields in this word
CREATE OR REPLACE TEMP TABLE treated_cells AS
SELECT
    cells.tuple,
    cells.present,
    cells.records,
{% for i in range(columns) %}
    cells.c{{ i }},
{% endfor %}
{% for w in range(count) %}
    {% if column is not none and w == word %}(cells.q{{ w }} & {{ others }}){% if after is not none %}
        | (CAST(after.cell AS BIGINT) << {{ shift }}){% endif %}{% else %}cells.q{{ w }}{% endif %} AS q{{ w }},
{% endfor %}
    cells.spread{% if column is not none and informative %} - LOG2(before.leaves)
        + LOG2({% if after is not none %}after.leaves{% else %}{{ leaves }}{% endif %}){% endif %} AS spread
FROM {{ source | relation }} AS cells
{% if column is not none %}
JOIN {{ before | identifier }} AS before ON before.code = cells.c{{ column }}
{% if after is not none %}
JOIN {{ after | identifier }} AS after ON after.code = cells.c{{ column }}
{% endif %}
{% endif %}

-- name: treated_deletions
-- The combinations of values whose record is deleted: unique by its published values on at least one of the sets.
--
-- definition: a deletion can make other records unique, so this is repeated until it finds none
--
-- takes: words
-- parameter sets: integers, for each set the bits of its fields in each word
-- parameter replace: flag, create the table; else add the records that are unique among those not deleted
{% if replace %}
CREATE OR REPLACE TEMP TABLE treated_deletions AS
{% else %}
INSERT INTO treated_deletions
{% endif %}
WITH sets AS (
    SELECT * FROM (
        VALUES
{% for fields in sets %}
        ({{ loop.index0 }}{% for field in fields %}, CAST({{ field }} AS BIGINT){% endfor %}){{ loop | between }}
{% endfor %}
    ) AS listed (number{% for word in range(words) %}, f{{ word }}{% endfor %})
),
alone AS (
    SELECT MIN(tuple) AS tuple
    FROM (
        SELECT tuple, records,
            number{% for word in range(words) %}, q{{ word }} & f{{ word }} AS k{{ word }}{% endfor %}

        FROM treated_cells, sets
{% if not replace %}
        WHERE NOT EXISTS (SELECT 1 FROM treated_deletions WHERE treated_deletions.tuple = treated_cells.tuple)
{% endif %}
    ) AS keyed
    GROUP BY number{% for word in range(words) %}, k{{ word }}{% endfor %}

    HAVING SUM(records) = 1
)
SELECT DISTINCT tuple FROM alone

-- name: treated_information
-- The information left by a treatment.
--
-- definition: U = 1 - KL(T || T') / KL(T || T0); T is the distribution of the records over the combinations of
--   values. T' spreads each record evenly over the combinations that its published values cover, T0 over all; T' also
--   spreads a deleted record over all. A combination has t records; its published values have m kept records and cover
--   2^spread of 2^all combinations; d of n records are deleted. So n KL is the sum of
--   t (log2 t - log2(m / 2^spread + d / 2^all)). U is 1 if the table has no information to lose.
-- source: Yamaoka and Itoh, section 5 (information U); a deleted record counts as suppressed in every attribute
-- missing: a missing value is a value; the domain of a column is the set of its occurring values
--
-- takes: words, deletes_records
-- parameter masks: integers, for each word the bits of the columns that count as information
-- parameter leaves: integers, number of values of each of these columns
WITH classes AS (
    SELECT
        CAST(SUM(records) AS DOUBLE) AS t,
        CAST(SUM({% if deletes_records %}CASE WHEN treated_deletions.tuple IS NULL THEN records
            ELSE 0 END{% else %}records{% endif %}) AS DOUBLE) AS m,
        MIN(spread) AS spread
    FROM treated_cells
{% if deletes_records %}
    LEFT JOIN treated_deletions USING (tuple)
{% endif %}
    GROUP BY {% if words %}{{ range(words) | each("q{x} & {y}", masks) }}{% else %}spread{% endif %}

),
totals AS (
    SELECT SUM(t) AS n, SUM(t - m) AS d FROM classes
),
domain AS (
    SELECT CAST(0 AS DOUBLE){% for count in leaves %} + LOG2({{ count }}){% endfor %} AS spread
),
published AS (
    SELECT
        SUM(CAST(t * (CASE
            WHEN m = 0 THEN LOG2(d) - domain.spread
            WHEN d = 0 THEN LOG2(m) - classes.spread
            ELSE LOG2(m + d * POWER(2, classes.spread - domain.spread)) - classes.spread
        END) AS DECIMAL(38, 12))) AS log_sum
    FROM classes, totals, domain
),
divergences AS (
    SELECT
        totals.n,
        totals.d,
        CAST(advice_disclosed.log_sum - published.log_sum AS DOUBLE) / totals.n AS kl,
        CAST(advice_disclosed.log_sum AS DOUBLE) / totals.n - LOG2(totals.n) + domain.spread AS kl0
    FROM totals, published, domain, advice_disclosed
)
SELECT
    kl,
    kl0,
    CASE WHEN kl0 < 1e-9 THEN CAST(1 AS DOUBLE) ELSE ROUND(1 - kl / kl0, 12) + 0 END AS information,
    CAST(n - d AS BIGINT) AS records,
    CAST(d AS BIGINT) AS deleted
FROM divergences

-- name: treated_persons
-- Numbers the pseudonyms of the kept records: one per user, or one per user and period.
--
-- missing: a missing period counts as one more period
--
-- takes: deletes_records, period
CREATE OR REPLACE TEMP TABLE persons AS
SELECT person, period, ROW_NUMBER() OVER () AS code, CAST(records AS BIGINT) AS records
FROM (
    SELECT person,
        {% if period is not none %}{{ period | expression }}{% else %}CAST(NULL AS DATE){% endif %} AS period,
        SUM(records) AS records
    FROM advice_people
{% if deletes_records %}
    WHERE NOT EXISTS (SELECT 1 FROM treated_deletions WHERE treated_deletions.tuple = advice_people.tuple)
{% endif %}
    GROUP BY ALL
) AS pseudonyms

-- name: links_left
-- The records that can still be linked to another record of the same user.
--
-- definition: each record is linked to the previous one with the same pseudonym, so the number of links is that of
--   records less that of pseudonyms; "links" is their share of the links between users' records in the original table
-- source: our own
--
-- parameter whole: integer, number of links in the original table
SELECT
    COUNT(*) AS users,
    CAST(COALESCE(SUM(records), 0) - COUNT(*) AS DOUBLE) / NULLIF({{ whole }}, 0) AS links
FROM persons

-- name: treated_records
-- The known attributes of each record of a treated table, packed into words of 60 bits.
-- takes: shifts, deletes_records, period
-- parameter forms: texts, the tables with the forms of the published columns
-- parameter columns: integers, the numbers of these columns
-- parameter fields: integers, for each attribute the index of its column and its index among the attributes of the
--   column; -1 and its bit if only its presence counts
-- parameter searched: integer, number of attributes that form sets
-- parameter words: integers, the word that holds the field of each attribute
-- parameter masks: integers, the bits of each attribute's field in its word
-- parameter by_pseudonym: flag, persons are pseudonyms; else each record is a person
-- parameter set_bits: integer, bits of an attribute set
CREATE OR REPLACE TEMP TABLE treated_records AS
WITH packed AS (
    SELECT
        treated_cells.tuple
{% for word in range(words | max + 1) %}
        , CAST(0 AS BIGINT){% for i in range(fields | length) if words[i] == word %}
            | {% if fields[i][0] < 0 %}(
            CASE WHEN (treated_cells.present & {{ fields[i][1] }}) = 0 THEN CAST(0 AS BIGINT)
            ELSE {{ 2 ** shifts[i] }} END){% elif i < searched %}(
            CAST(f{{ fields[i][0] }}.k{{ fields[i][1] }} AS BIGINT) << {{ shifts[i] }}){% else %}(
            CASE WHEN f{{ fields[i][0] }}.k{{ fields[i][1] }} = 0 THEN CAST(0 AS BIGINT)
            ELSE {{ 2 ** shifts[i] }} END){% endif %}{% endfor %} AS p{{ word }}
{% endfor %}
        , treated_cells.records
    FROM treated_cells
{% for form in forms %}
    JOIN {{ form | identifier }} AS f{{ loop.index0 }}
        ON f{{ loop.index0 }}.code = treated_cells.c{{ columns[loop.index0] }}
{% endfor %}
{% if deletes_records %}
    WHERE NOT EXISTS (SELECT 1 FROM treated_deletions WHERE treated_deletions.tuple = treated_cells.tuple)
{% endif %}
)
SELECT
{% for word in range(words | max + 1) %}
    p{{ word }},
{% endfor %}
    CAST({{ range(fields | length) | each("(CASE WHEN (p{y} & {z}) = 0 THEN CAST({bit} AS BIGINT) ELSE 0 END)", words,
        masks, between=" | ") }} AS {{ set_bits | integer_type }}) AS missing,
{% if by_pseudonym %}
    persons.code AS person,
    advice_people.records
FROM packed
JOIN advice_people ON advice_people.tuple = packed.tuple
JOIN persons
    ON persons.person = advice_people.person
    AND (persons.period
        IS NOT DISTINCT
        FROM {% if period is not none %}{{ period | expression }}{% else %}CAST(NULL AS DATE){% endif %})
{% else %}
    packed.tuple AS person,
    packed.records
FROM packed
{% endif %}

-- name: treated_combinations
-- The distinct combinations of a treated table, for the search of attribute sets.
--
-- definition: "id" is the number of the only person of a combination, null if several share it
--
-- parameter words: integer, words of a combination
-- parameter by_pseudonym: flag, persons are pseudonyms; else each record is a person
-- parameter id_bits: integer, bits of the number of a person
CREATE OR REPLACE TEMP TABLE combinations AS
SELECT
{% for word in range(words) %}
    p{{ word }},
{% endfor %}
    CAST(CASE WHEN {% if by_pseudonym %}MIN(person) = MAX(person){% else %}SUM(records) = 1{% endif %}
        THEN MIN(person) END AS {{ id_bits | integer_type }}) AS id,
    CAST(SUM(records) AS UINTEGER) AS records,
    missing
FROM treated_records
GROUP BY {% for word in range(words) %}p{{ word }}, {% endfor %}missing

-- name: treated_users_missing
-- The pseudonyms and the attributes that are missing in all their records.
CREATE OR REPLACE TEMP TABLE users_missing AS
SELECT person AS id, CAST(BIT_AND(missing) AS BIGINT) AS missing
FROM treated_records
GROUP BY person

-- name: keep_outcomes
-- Stores the value of a leak of each singled-out record under the treatment searched last.
--
-- definition: "every_mask" are the attributes in all of its easiest sets, "any_mask" those in at least one of them
--
-- takes: table
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT
    settled.id AS tuple,
    CAST(tier_ease.ease AS DECIMAL(18, 15)) AS ease,
    CAST(tier_ease.ease AS DECIMAL(18, 15)) * patterns.sensitivity AS value,
    settled.missing,
    settled.every_mask,
    settled.any_mask,
    treated_cells.spread
FROM settled
JOIN treated_cells ON treated_cells.tuple = settled.id
JOIN tier_ease ON tier_ease.tier = settled.tier
JOIN patterns ON patterns.missing = settled.missing

-- name: keep_user_outcomes
-- Stores the value of a leak of each singled-out pseudonym under the treatment searched last.
-- takes: table
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT
    persons.person,
    persons.period,
    CAST(tier_ease.ease AS DECIMAL(18, 15)) AS ease,
    CAST(tier_ease.ease AS DECIMAL(18, 15)) * patterns.sensitivity AS value,
    users_missing.missing,
    settled.every_mask,
    settled.any_mask
FROM settled
JOIN persons ON persons.code = settled.id
JOIN users_missing ON users_missing.id = settled.id
JOIN tier_ease ON tier_ease.tier = settled.tier
JOIN patterns ON patterns.missing = users_missing.missing

-- name: column_floors
-- Lower bounds of the value of leaks if a column is removed, or made coarser without new missing values.
--
-- definition: a set without the column's attributes singles out the same records as before. A user with a singled-out
--   record is singled out at least as easily
--
-- takes: outcomes, period, base
-- parameter users: column or none, the values of leaks of pseudonyms; none uses those of records
-- parameter divisor: integer, the number of persons to divide by; 1 for the sum
-- parameter masks: integers, the bits of each column's attributes
-- parameter economic: integers, the economic level of each attribute
-- parameter psychological: integers, the psychological level of each attribute
WITH columns AS (
    SELECT UNNEST(RANGE({{ masks | length }})) AS place, CAST(UNNEST({{ masks | literal }}) AS BIGINT) AS mask
),
attributes AS (
    SELECT
        CAST(1 AS BIGINT) << UNNEST(RANGE({{ economic | length }})) AS bit,
        UNNEST({{ economic | literal }}) AS economic,
        UNNEST({{ psychological | literal }}) AS psychological
),
different AS (
{% if users %}
    SELECT person,
        {% if period is not none %}{{ period | expression }}{% else %}CAST(NULL AS DATE){% endif %} AS period,
        CAST(missing AS BIGINT) AS missing, every_mask, any_mask, ease, value, 1 AS records
    FROM advice_people
    JOIN {{ outcomes | identifier }} AS outcomes ON outcomes.tuple = advice_people.tuple
    UNION
    SELECT person, period, missing, every_mask, any_mask, ease, value, 1 FROM {{ users | identifier }}
{% else %}
    SELECT NULL AS person, NULL AS period, CAST(missing AS BIGINT) AS missing, every_mask, any_mask, ease, value,
        COUNT(*) AS records
    FROM {{ outcomes | identifier }}
    GROUP BY missing, every_mask, any_mask, ease, value
{% endif %}
),
priced AS (
    SELECT
        place,
        mask,
        missing,
        COALESCE(CAST(POWER(10, MAX(psychological) - 1) + POWER(5, MAX(economic) - 1) AS INTEGER), 0) AS sensitivity
    FROM (SELECT DISTINCT missing FROM different) AS patterns
    CROSS JOIN columns
    LEFT JOIN attributes ON ((missing | mask) & bit) = 0
    GROUP BY place, mask, missing
),
spared AS (
    SELECT place,
        {% if users %}MAX(ease * sensitivity){% else %}SUM(ease * (records * sensitivity)){% endif %} AS without,
        {% if users %}MAX(value){% else %}SUM(value * records){% endif %} AS coarser
    FROM different
    JOIN priced USING (missing)
    WHERE (CASE WHEN BIT_COUNT(mask) = 1 THEN every_mask ELSE any_mask END & mask) = 0
    GROUP BY place, person, period
)
SELECT
    place,
    CAST(SUM(without) AS DOUBLE) * {{ base | literal }} / {{ divisor }} AS without,
    CAST(SUM(coarser) AS DOUBLE) * {{ base | literal }} / {{ divisor }} AS coarser
FROM spared
GROUP BY place

-- name: kept_value
-- A lower bound of the value of leaks if records are deleted: the value of the kept records before.
--
-- definition: a set that singles out a kept record still does after others are deleted
--
-- takes: outcomes, base
SELECT COALESCE(CAST(SUM(value) AS DOUBLE), 0) * {{ base | literal }} AS value
FROM {{ outcomes | identifier }} AS outcomes
WHERE NOT EXISTS (SELECT 1 FROM treated_deletions WHERE treated_deletions.tuple = outcomes.tuple)

-- name: unchanged_value
-- A lower bound of the value of leaks: that of the records that stay singled out as easily as before.
--
-- definition: if no published value of a record covers more values than before, it agrees on each set with the same
--   records. If one of its easiest sets lacks the changed attribute, it is singled out as easily as before
--
-- takes: outcomes, base
-- parameter mask: integer, the bit of the changed attribute; 0 if several change
SELECT COALESCE(CAST(SUM(value) AS DOUBLE), 0) * {{ base | literal }} AS value
FROM treated_cells
JOIN {{ outcomes | identifier }} AS outcomes ON outcomes.tuple = treated_cells.tuple
WHERE treated_cells.spread <= outcomes.spread + 0.000000001
{% if mask %}
    OR (outcomes.every_mask & {{ mask }}) = 0
{% endif %}

-- name: pseudonyms_floor
-- A lower bound of the mean value of a leak of one pseudonym, with shorter periods or deleted records.
--
-- definition: a pseudonym with a singled-out record is singled out at least as easily as the record. A pseudonym of the
--   same period without deleted records is singled out as easily as before
--
-- takes: outcomes, period, deletes_records, base
-- parameter users: column or none, the values of leaks of pseudonyms under the current treatment; none if the period
--   changes
WITH known AS (
    SELECT
        people.person,
        {% if period is not none %}{{ period | expression }}{% else %}CAST(NULL AS DATE){% endif %} AS period,
        {% if deletes_records %}BOOL_OR(gone.tuple IS NULL){% else %}TRUE{% endif %} AS stays,
        {% if deletes_records %}BOOL_AND(gone.tuple IS NULL){% else %}TRUE{% endif %} AS whole,
        MAX({% if deletes_records %}CASE WHEN gone.tuple IS NULL
            THEN outcomes.value END{% else %}outcomes.value{% endif %}) AS value
    FROM advice_people AS people
    LEFT JOIN {{ outcomes | identifier }} AS outcomes ON outcomes.tuple = people.tuple
{% if deletes_records %}
    LEFT JOIN treated_deletions AS gone ON gone.tuple = people.tuple
{% endif %}
    GROUP BY 1, 2
)
SELECT
    COALESCE(CAST(
        SUM(GREATEST(
        COALESCE(known.value, 0){% if users %}, CASE WHEN whole THEN COALESCE(before.value, 0) ELSE 0 END{% endif %}))
        AS DOUBLE) / COUNT(*), 0) * {{ base | literal }} AS value_each
FROM known
{% if users %}
LEFT JOIN {{ users | identifier }} AS before
    ON before.person = known.person AND (before.period IS NOT DISTINCT FROM known.period)
{% endif %}
WHERE stays

-- name: value_each
-- The mean value of a leak of one user.
--
-- parameter value: number, the total value of the users
-- parameter users: integer, number of users
SELECT CAST({{ value | literal }} AS DOUBLE) / {{ users }} AS value_each
