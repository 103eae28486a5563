-- uniform
-- One form per quasi-identifier, found by top-down specialisation: every column begins as one group and is cut.
--
-- idea: a class has one part of each column, so what all cuts of a column delete follows from one count of its values
--   by class. A side of a class is too small for its first or its last few values only: the deleted records are a sum
--   of changes along the values.
-- source: Fung, Wang and Yu, Top-down specialization for information and privacy preservation, ICDE 2005; deletion as
--   in Samarati, Protecting respondents' identities in microdata release, TKDE 2001
-- runs: finish
-- reads: quasi_owned, quasi_rare, quasi_records, quasi_sensitive, quasi_tuples
-- makes: uniform_kept, uniform_open, uniform_rows
--
-- parameter count: integer, number of forms of the sensitive columns; no class may disclose a value of these
-- parameter indices: integers, the numbers of the quasi-identifiers that are searched
-- parameter tables: columns, the tables of the units of these, or of those with a ladder
-- parameter parts: expressions, what a class has in each column
-- parameter attribute: integer, which quasi-identifier
-- parameter units: column, the table of its units: code, rank, place, n, and of a ladder also u0, u1, ...
-- parameter codes: column, the table of the codes of the column
-- parameter missing: flag, missing values are in a part with others, and become a side of their own
-- parameter people: flag, classes count people, else records
-- parameter k: integer, the least people or records of a class
-- parameter rungs: integers, rungs of a ladder
-- parameter leaves: integer, number of values of the column
-- parameter ranged: flag, shares are of the range; else of the values

-- name: uniform_units
-- Puts the values of a column in the order of its cuts, in units that no cut divides.
--
-- definition: numbers in their order, at most a number of quantiles; categories by frequency, each a unit. Of two sides
--   of a cut of categories the more frequent values lose less in the smaller set, so the best sides are a prefix of
--   this order
-- source: our own
-- missing: missing values are unit 0
--
-- takes: attribute, units, codes
-- parameter quantiles: integer or none, most units of numbers; none for categories
CREATE OR REPLACE TEMP TABLE {{ units | identifier }} AS
WITH counted AS (
    SELECT a{{ attribute }} AS code, COUNT(*) AS n
    FROM quasi_records
    GROUP BY a{{ attribute }}

),
ordered AS (
    SELECT
        code,
        n,
        ROW_NUMBER() OVER (ORDER BY {% if quantiles is none %}n DESC, {% endif %}code) AS number
{% if quantiles is not none %}
        , COUNT(*) OVER () AS units
        , (SUM(n) OVER (ORDER BY code) - n) * {{ quantiles }} // SUM(n) OVER () AS quantile
{% endif %}
    FROM counted
    WHERE code > 0
)
SELECT
    ordered.code,
{% if quantiles is none %}
    CAST(number AS INTEGER) AS rank,
{% else %}
    CAST(CASE WHEN units <= {{ quantiles }} THEN number ELSE DENSE_RANK() OVER (ORDER BY quantile) END AS INTEGER)
        AS rank,
{% endif %}
    place,
    n
FROM ordered
JOIN {{ codes | identifier }} AS codes USING (code)
UNION ALL
SELECT code, 0, NULL, n
FROM counted
WHERE code = 0

-- name: uniform_list_units
-- The units of a column, in their order, with the ends of their places and values.
--
-- takes: units, codes
SELECT
    rank,
    COUNT(*) AS size,
    MIN(units.place) AS low,
    MAX(units.place) AS high,
    MIN(value) AS least,
    MAX(value) AS most
FROM {{ units | identifier }} AS units
JOIN {{ codes | identifier }} AS codes USING (code)
WHERE rank > 0
GROUP BY rank
ORDER BY rank

-- name: uniform_code_shape
-- Whether the values of a column look like codes, with a meaning in their first characters, and their length.
--
-- definition: at least nine of ten values hold a digit and no blank: 85123A, 250.83, 104-0061
-- source: our own
--
-- takes: codes
SELECT
    COALESCE(10 * COUNT(CASE WHEN REGEXP_MATCHES(label0, '^\S*\d\S*$') THEN 1 END) >= 9 * COUNT(label0), FALSE)
        AS is_code,
    COALESCE(MAX(LENGTH(label0)), 0) AS length
FROM {{ codes | identifier }} AS codes

-- name: uniform_periods
-- Puts the days of a column under their periods: a ladder from decades to the days themselves.
--
-- definition: u0, u1, ... are the first days of the periods of each rung; the last rung is the value
-- source: truncation of dates
-- missing: missing values are unit 0, and a period of their own on each rung
--
-- takes: attribute, units, codes
-- parameter cells: expressions, the first day of the period of `value`, from coarse to fine
CREATE OR REPLACE TEMP TABLE {{ units | identifier }} AS
WITH counted AS (
    SELECT a{{ attribute }} AS code, COUNT(*) AS n
    FROM quasi_records
    GROUP BY a{{ attribute }}

),
days AS (
    SELECT code, n, value, CASE WHEN ISFINITE(value) THEN CAST(value AS DATE) - DATE '1970-01-01' END AS day
    FROM counted
    JOIN {{ codes | identifier }} AS codes USING (code)
)
SELECT
    code,
    CAST(CASE WHEN code = 0 THEN 0 ELSE ROW_NUMBER() OVER (PARTITION BY code = 0 ORDER BY value) END AS INTEGER)
        AS rank,
    -- dates that are not finite are at least as far from all others as the ends of the range
    CASE
        WHEN code > 0 AND day IS NULL THEN CASE WHEN value > DATE '1970-01-01' THEN 2 ELSE -1 END
        WHEN MAX(day) OVER () > MIN(day) OVER ()
            THEN CAST(day - MIN(day) OVER () AS DOUBLE) / (MAX(day) OVER () - MIN(day) OVER ())
        ELSE 0
    END AS place,
    n
{% for cell in cells %}
    , {{ cell | expression }} AS u{{ loop.index0 }}
{% endfor %}
    , code AS u{{ cells | length }}
FROM days

-- name: uniform_labels
-- Puts the values of a column under their prefixes or labels: a ladder from coarse to fine.
--
-- definition: u0, u1, ... are the labels of each rung; the last rung is the value
-- source: value generalisation hierarchies
-- missing: missing values are unit 0, and a label of their own on each rung
--
-- takes: attribute, units, codes
-- parameter cells: expressions, the label of a value on each rung, from coarse to fine
CREATE OR REPLACE TEMP TABLE {{ units | identifier }} AS
WITH counted AS (
    SELECT a{{ attribute }} AS code, COUNT(*) AS n
    FROM quasi_records
    GROUP BY a{{ attribute }}

)
SELECT
    counted.code,
    CAST(CASE WHEN counted.code = 0 THEN 0
        ELSE ROW_NUMBER() OVER (PARTITION BY counted.code = 0 ORDER BY counted.code) END AS INTEGER) AS rank,
    CAST(0 AS DOUBLE) AS place,
    n
{% for cell in cells %}
    , CASE WHEN counted.code > 0 THEN {{ cell | expression }} END AS u{{ loop.index0 }}
{% endfor %}
    , counted.code AS u{{ cells | length }}
FROM counted
JOIN {{ codes | identifier }} AS codes USING (code)

-- name: uniform_rung_losses
-- What the records lose on each rung of a ladder.
--
-- definition: loss = the sum over records of the share of the range or of the values that their period or label covers,
--   0 for one value, to the power of the exponent
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006 (NCP)
-- missing: missing values lose nothing
--
-- takes: units, rungs, leaves, ranged
-- parameter exponent: number, of the share: 1 for NCP, 0.5 for its root
{% for rung in rungs %}
SELECT
    {{ rung }} AS rung,
    CAST(COALESCE(SUM(n * CAST(POWER(share, {{ exponent | literal }}) AS DECIMAL(18, 15))), 0) AS DOUBLE) AS loss
FROM (
    SELECT
        CAST(SUM(n) AS BIGINT) AS n,
        CASE WHEN COUNT(*) = 1 THEN 0 ELSE LEAST({% if ranged %}MAX(place) - MIN(place){% else %}
            CAST(COUNT(*) AS DOUBLE) / {{ leaves }}{% endif %}, 1) END AS share
    FROM {{ units | identifier }} AS units
    WHERE rank > 0
    GROUP BY u{{ rung }}

) AS covered
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
ORDER BY rung

-- name: uniform_rows
-- The distinct combinations of units, of each person or with sensitive values, with their records.
--
-- takes: indices, tables
-- parameter more: columns, what else a row has: the person, or sensitive values
CREATE OR REPLACE TEMP TABLE uniform_rows AS
SELECT
{% for index in indices %}
    u{{ index }}.rank AS a{{ index }},
{% endfor %}
{% for name in more %}
    {{ name | identifier }},
{% endfor %}
    CAST(SUM(quasi_tuples.n) AS BIGINT) AS n
FROM quasi_tuples
{% for index in indices %}
JOIN {{ tables[loop.index0] | identifier }} AS u{{ index }} ON u{{ index }}.code = quasi_tuples.a{{ index }}

{% endfor %}
GROUP BY ALL

-- name: uniform_begin
-- Begins with all records in one class.
CREATE OR REPLACE TEMP TABLE uniform_open AS
SELECT *, CAST(0 AS BIGINT) AS class
FROM uniform_rows

-- name: uniform_changes
-- What a cut of a column deletes, as changes from unit to unit, for all its cuts at once.
--
-- definition: a cut after unit r deletes the sum of `uncut` over the units of the part, plus the sum of `change` over
--   the units up to r; missing values (unit 0) are a side of their own. The people who have a value bound the people of
--   a side that it is disclosed to; the greatest bound counts, and it only grows with the side
-- source: our own
--
-- takes: attribute, missing, people, k, count
WITH pieces AS (
    SELECT
        class,
        a{{ attribute }} AS rank,
{% if people %}
        person,
{% else %}
{% for _ in range(count) %}
        s{{ loop.index0 }},
{% endfor %}
{% endif %}
        CAST(SUM(n) AS BIGINT) AS n
    FROM uniform_open
    GROUP BY ALL
),
{% if people %}
spans AS (
    SELECT class, rank = 0 AS missing, person, MIN(rank) AS first_rank, MAX(rank) AS last_rank
    FROM pieces
    WHERE person IS NOT NULL
    GROUP BY ALL
),
{% endif %}
{% if count %}
-- people with a sensitive value, by the units where they begin and end; values of few people are never disclosed
{% if people %}
bearers AS (
    SELECT class, missing, value, first_rank, last_rank
    FROM spans
    JOIN quasi_owned USING (person)
),
shared AS (
    SELECT class, missing, value
    FROM bearers
    GROUP BY ALL
    HAVING 10 * COUNT(*) >= 9 * {{ k }}
),
{% endif %}
held AS (
{% if people %}
    SELECT class, value, rank, SUM(starts) AS starts, SUM(ends) AS ends
    FROM (
        SELECT class, missing, value, first_rank AS rank, 1 AS starts, 0 AS ends FROM bearers
        UNION ALL
        SELECT class, missing, value, last_rank, 0, 1 FROM bearers
    ) AS counts
    SEMI JOIN shared USING (class, missing, value)
    GROUP BY class, value, rank
{% else %}
{% for _ in range(count) %}
    SELECT class, s{{ loop.index0 }} AS value, rank, SUM(n) AS starts, SUM(n) AS ends
    FROM pieces
    WHERE s{{ loop.index0 }} IS NOT NULL
    GROUP BY ALL
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
{% endif %}
),
limits AS (
    SELECT
        class,
        rank,
        MAX(LEAST(10 * below // 9, 2 * below * rare.total // (3 * rare.people))) AS most_below,
        MAX(LEAST(10 * above // 9, 2 * above * rare.total // (3 * rare.people))) AS most_above
    FROM (
        SELECT
            class,
            value,
            rank,
            SUM(starts) OVER (PARTITION BY class{% if missing %}, rank = 0{% endif %}, value ORDER BY rank
                ROWS UNBOUNDED PRECEDING) AS below,
            SUM(ends) OVER (PARTITION BY class{% if missing %}, rank = 0{% endif %}, value ORDER BY rank
                ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS above
        FROM held
    ) AS summed
    JOIN quasi_rare AS rare USING (value)
    GROUP BY class, rank
),
{% endif %}
{% if people or count %}
-- people begin at their first unit in the class, and end at their last one
counted AS (
    SELECT
        class,
        rank,
        SUM(n) AS n,
        {% if people %}SUM(starts){% else %}SUM(n){% endif %} AS starts,
        {% if people %}SUM(ends){% else %}SUM(n){% endif %} AS ends,
        MAX(most_below) AS most_below,
        MAX(most_above) AS most_above
    FROM (
        SELECT class, rank, n, 0 AS starts, 0 AS ends, CAST(NULL AS HUGEINT) AS most_below,
            CAST(NULL AS HUGEINT) AS most_above
        FROM pieces
{% if people %}
        UNION ALL
        SELECT class, first_rank, 0, 1, 0, NULL, NULL FROM spans
        UNION ALL
        SELECT class, last_rank, 0, 0, 1, NULL, NULL FROM spans
{% endif %}
{% if count %}
        UNION ALL
        SELECT class, rank, 0, 0, 0, most_below, most_above FROM limits
{% endif %}
    ) AS counts
    GROUP BY class, rank
),
{% else %}
counted AS (
    SELECT *, n AS starts, n AS ends FROM pieces
),
{% endif %}
summed AS (
    SELECT
        class,
        rank,
        n,
        starts,
        ends,
        SUM(n) OVER (PARTITION BY class{% if missing %}, rank = 0{% endif %} ORDER BY rank
            ROWS UNBOUNDED PRECEDING) AS below,
        SUM(n) OVER (PARTITION BY class{% if missing %}, rank = 0{% endif %}) AS records,
{% if people %}
        SUM(starts) OVER (PARTITION BY class{% if missing %}, rank = 0{% endif %} ORDER BY rank
            ROWS UNBOUNDED PRECEDING) AS people_below,
        SUM(ends) OVER (PARTITION BY class{% if missing %}, rank = 0{% endif %})
            - SUM(ends) OVER (PARTITION BY class{% if missing %}, rank = 0{% endif %} ORDER BY rank
                ROWS UNBOUNDED PRECEDING) AS people_above,
{% else %}
        below AS people_below,
        records - below AS people_above,
{% endif %}
{% if count %}
        most_below,
        most_above,
        MAX(most_below) OVER (PARTITION BY class{% if missing %}, rank = 0{% endif %} ORDER BY rank
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS most_before,
        MAX(most_above) OVER (PARTITION BY class{% if missing %}, rank = 0{% endif %} ORDER BY rank
            ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS most_after
{% endif %}
    FROM counted
),
sides AS (
    SELECT
        rank,
        n,
        below,
        CASE WHEN people_below < {{ k }}{% if count %} OR GREATEST(most_below, most_before) >= people_below{% endif %}

            THEN below ELSE 0 END AS lower,
        CASE WHEN people_above < {{ k }}{% if count %} OR most_after >= people_above{% endif %}

            THEN records - below ELSE 0 END AS upper,
        CASE WHEN people_below - starts < {{ k }}{% if count %} OR most_before >= people_below - starts{% endif %}

            THEN below - n ELSE 0 END AS lower_before,
        CASE WHEN people_above + ends < {{ k }}{% if count %}
                OR GREATEST(most_above, most_after) >= people_above + ends{% endif %}

            THEN records - below + n ELSE 0 END AS upper_before
    FROM summed
)
SELECT
    rank,
    CAST(SUM(n) AS BIGINT) AS n,
    CAST(COALESCE(SUM(CASE WHEN below = n THEN upper_before END), 0) AS BIGINT) AS uncut,
    CAST(SUM(lower + upper - lower_before - upper_before) AS BIGINT) AS change
FROM sides
GROUP BY rank
ORDER BY rank

-- name: uniform_part
-- The part of a unit of a column; missing values are part -1.
--
-- takes: attribute
-- parameter coded: flag, of the table of its units; else of the rows
-- parameter last: integers, the last unit of each part, in order
-- parameter parts: integers, the number of each part
CASE
    WHEN {% if coded %}u{{ attribute }}.rank{% else %}a{{ attribute }}{% endif %} = 0 THEN -1
{% for rank in last %}
    WHEN {% if coded %}u{{ attribute }}.rank{% else %}a{{ attribute }}{% endif %} <= {{ rank }}
    THEN {{ parts[loop.index0] }}
{% endfor %}
END

-- name: uniform_rung
-- The period or label of a unit of a column.
--
-- takes: attribute
-- parameter rung: integer, the rung
u{{ attribute }}.u{{ rung }}

-- name: uniform_classes
-- The classes of all rows from the parts of the columns.
--
-- definition: different classes have the same number with a probability of 2^-64
-- source: our own
--
-- takes: tables, parts, people, k, count
-- parameter ladders: integers, the numbers of the quasi-identifiers with a ladder
-- parameter large: flag, leave out classes that are too small or disclose a value
CREATE OR REPLACE TEMP TABLE uniform_open AS
WITH placed AS (
    SELECT uniform_rows.*, HASH(0{{ parts | each(", {x.expression}", between="") }}) AS class, 0 AS side
    FROM uniform_rows
{% for index in ladders %}
    JOIN {{ tables[loop.index0] | identifier }} AS u{{ index }} ON u{{ index }}.rank = uniform_rows.a{{ index }}

{% endfor %}
)
{% if large %}
,
{% if count %}
-- include: disclosing_groups, KEYS: class, side
,
-- include: disclosed_groups, KEYS: class, side
,
{% endif %}
-- include: cut_classes
{% else %}
SELECT * EXCLUDE (side)
FROM placed
{% endif %}

-- name: uniform_counts
-- The rows that are left, by column and unit; those of a ladder together.
--
-- takes: indices
-- parameter ladders: integers, the quasi-identifiers that have a ladder
{% for index in indices %}
SELECT {{ index }} AS attribute, {% if index in ladders %}0{% else %}a{{ index }}{% endif %} AS rank,
    CAST(SUM(n) AS BIGINT) AS n
FROM uniform_open
GROUP BY rank

{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
ORDER BY attribute, rank

-- name: uniform_cut
-- Cuts the classes of one part of a column, and leaves out the classes that became too small or disclose a value.
--
-- takes: attribute, missing, people, k, count
-- parameter above: integer, the first unit of the upper side
-- parameter last: integer, the last unit of the part
CREATE OR REPLACE TEMP TABLE uniform_open AS
WITH placed AS (
    SELECT
        *,
        CASE
            WHEN a{{ attribute }} BETWEEN {{ above }} AND {{ last }} THEN 1
{% if missing %}
            WHEN a{{ attribute }} = 0 THEN 2
{% endif %}
            ELSE 0
        END AS side
    FROM uniform_open
),
{% if count %}
-- include: disclosing_groups, KEYS: class, side
,
-- include: disclosed_groups, KEYS: class, side
,
{% endif %}
-- include: cut_classes

-- name: uniform_rung_deletions
-- What each rung of a ladder would delete.
--
-- takes: attribute, units, people, k, count, rungs
{% for rung in rungs %}
SELECT {{ rung }} AS rung, CAST(COALESCE(SUM(n), 0) AS BIGINT) AS deleted
FROM (
    WITH placed AS (
        SELECT class, HASH(u{{ rung }}) AS side{% if people %}, person{% else %}{% for _ in range(count) %},
            s{{ loop.index0 }}{% endfor %}{% endif %}, SUM(uniform_open.n) AS n
        FROM uniform_open
        JOIN {{ units | identifier }} AS units ON units.rank = uniform_open.a{{ attribute }}

        GROUP BY ALL
    ),
{% if count %}
-- include: disclosing_groups, KEYS: class, side
,
-- include: disclosed_groups, KEYS: class, side
,
{% endif %}
    grown AS (
        SELECT class, side, SUM(n) AS n, {% if people %}COUNT(person){% else %}SUM(n){% endif %} AS people
        FROM placed
        GROUP BY class, side
    )
    SELECT n
    FROM grown
    WHERE people < {{ k }}{% if count %}
        OR (class, side) IN (SELECT (class, side) FROM disclosed){% endif %}

) AS lost
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
ORDER BY rung

-- name: uniform_refine
-- Refines the classes by a rung of a ladder, and leaves out the classes that became too small or disclose a value.
--
-- takes: attribute, units, people, k, count
-- parameter rung: integer, the rung
CREATE OR REPLACE TEMP TABLE uniform_open AS
WITH placed AS (
    SELECT uniform_open.*, HASH(u{{ rung }}) AS side
    FROM uniform_open
    JOIN {{ units | identifier }} AS units ON units.rank = uniform_open.a{{ attribute }}

),
{% if count %}
-- include: disclosing_groups, KEYS: class, side
,
-- include: disclosed_groups, KEYS: class, side
,
{% endif %}
-- include: cut_classes

-- name: uniform_kept
-- The records that are left, with the codes of their values and a number of their class.
--
-- definition: different classes have the same number with a probability of 2^-64
-- source: k-anonymity with deletion, as in Samarati, TKDE 2001
-- missing: a missing value is a value of its own; a record without a person counts as no person
--
-- takes: indices, tables, parts, people, k, count
CREATE OR REPLACE TEMP TABLE uniform_kept AS
WITH placed AS (
    SELECT
        quasi_records.record,
{% if people %}
        quasi_records.person,
{% else %}
        1 AS n,
{% for _ in range(count) %}
        own.s{{ loop.index0 }},
{% endfor %}
{% endif %}
{% for index in indices %}
        a{{ index }},
{% endfor %}
        HASH(0{{ parts | each(", {x.expression}", between="") }}) AS class
    FROM quasi_records
{% for index in indices %}
    JOIN {{ tables[loop.index0] | identifier }} AS u{{ index }} ON u{{ index }}.code = quasi_records.a{{ index }}

{% endfor %}
{% if count %}
    -- records that were left out before have no sensitive values
    JOIN quasi_sensitive AS own ON own.record = quasi_records.record
{% endif %}
),
{% if count %}
-- include: disclosing_groups, KEYS: class
,
-- include: disclosed_groups, KEYS: class
,
{% endif %}
classes AS (
    SELECT class
    FROM placed
{% if count %}
    ANTI JOIN disclosed USING (class)
{% endif %}
    GROUP BY class
    HAVING {% if people %}COUNT(DISTINCT person){% else %}COUNT(*){% endif %} >= {{ k }}

)
SELECT placed.*
FROM placed
SEMI JOIN classes USING (class)

-- name: uniform_count_kept
-- Counts the records that are left and their classes, and the smallest class.
--
-- takes: people
SELECT
    CAST(COALESCE(SUM(records), 0) AS BIGINT) AS records,
    COUNT(*) AS classes,
    CAST(MIN(size) AS BIGINT) AS smallest
FROM (
    SELECT COUNT(*) AS records, {% if people %}COUNT(DISTINCT person){% else %}COUNT(*){% endif %} AS size
    FROM uniform_kept
    GROUP BY class
) AS classes

-- name: uniform_kept_parts
-- What the remaining records have in each part of a column: the values of a set, or the ends and the mean of a band.
--
-- definition: the mean is that of the places from 0 to 1, a sum of decimals, whatever the order of the records
-- source: microaggregation, as in Domingo-Ferrer and Mateo-Sanz, TKDE 2002
-- missing: missing values are left out
--
-- takes: attribute, units, codes
-- parameter part: expression, the part of a unit
-- parameter listed: flag, list the values as texts
WITH counted AS (
    SELECT a{{ attribute }} AS code, COUNT(*) AS n
    FROM uniform_kept
    GROUP BY a{{ attribute }}

)
SELECT
    {{ part | expression }} AS part,
    CAST(SUM(counted.n) AS BIGINT) AS n,
    COUNT(*) AS size,
    MIN(codes.place) AS low,
    MAX(codes.place) AS high,
    MIN(value) AS least,
    MAX(value) AS most,
    CAST(SUM(counted.n * CAST(codes.place AS DECIMAL(18, 15))) AS DOUBLE) / SUM(counted.n) AS mean{% if listed %},
    LIST(label0 ORDER BY code) AS labels{% endif %}

FROM counted
JOIN {{ units | identifier }} AS u{{ attribute }} USING (code)
JOIN {{ codes | identifier }} AS codes USING (code)
WHERE u{{ attribute }}.rank > 0
GROUP BY part
ORDER BY part

-- name: uniform_kept_loss
-- The NCP of the remaining records in a column with a ladder.
--
-- definition: a period or a label also covers the values that deleted records alone have, as a comparison reads it
-- source: Xu et al., Utility-based anonymization using local recoding, KDD 2006 (NCP)
-- missing: missing values lose nothing
--
-- takes: attribute, units, codes, leaves, ranged
-- parameter rung: integer, the rung
SELECT CAST(COALESCE(SUM(n * CAST(share AS DECIMAL(18, 15))), 0) AS DOUBLE) AS ncp
FROM (
    SELECT
        CAST(SUM(counted.n) AS BIGINT) AS n,
        CASE WHEN COUNT(*) = 1 THEN 0 ELSE LEAST({% if ranged %}MAX(codes.place) - MIN(codes.place){% else %}
            CAST(COUNT(*) AS DOUBLE) / {{ leaves }}{% endif %}, 1) END AS share
    FROM {{ units | identifier }} AS units
    JOIN {{ codes | identifier }} AS codes USING (code)
    LEFT JOIN (SELECT a{{ attribute }} AS code, COUNT(*) AS n FROM uniform_kept GROUP BY a{{ attribute }}) AS counted
        USING (code)
    WHERE rank > 0
    GROUP BY u{{ rung }}

) AS covered
