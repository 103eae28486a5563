-- uniqueness
-- Uniqueness by the number of known facts: typical and worst sets of one to four attributes, and all together.
--
-- idea: many sets are sampled; the worst set is searched from the most revealing attributes on; for large tables a
--   sample of people is compared with all. Each value is a hash of 64 bits.
-- source: de Montjoye, Hidalgo, Verleysen and Blondel, Unique in the crowd, 2013; Cochran, Sampling Techniques, 1977
-- runs: finish
-- makes: fact_sample, fact_values, person_records, relinked_people
--
-- parameter attributes: integer, number of attributes
-- parameter known: relation, the numbers of the attributes of each record: fact_values, or fact_columns
-- parameter by_record: flag, each record is a person
-- parameter weighted: flag or none, a record represents as many people as its column "people" says
-- parameter places: integers, the indexes of the attributes of the sets, one set after another
-- parameter size: integer, number of attributes of each set
-- parameter missing: integers, the indexes of the attributes whose missing values single nobody out

-- name: uniqueness
-- People singled out by each small attribute set: an attacker who knows these values of one record identifies them.
--
-- definition: a person is singled out by a set where a record of theirs has values of its attributes that no record
--   of anybody else has together. Shares are of all people, and of all records that have a person. It examines all
--   sets of up to max_size of at most 20 attributes, one by one; duckrisk assess draws sets where they are many.
-- source: singling out: Article 29 Working Party, Opinion 05/2014; shares by how many facts are known: de Montjoye,
--   Hidalgo, Verleysen and Blondel, Unique in the crowd, 2013, and de Montjoye, Radaelli, Singh and Pentland, 2015.
--   There the facts are several records of a person (known_records); here they are several attributes of one record.
-- missing: a record without a person is left out. NULL and the tokens are one missing value; it reveals nothing and
--   singles nobody out, unless missing_is_value is true.
-- read: at a share of 0.2 an attacker who knows these attributes of the right record identifies one person in five
--   with certainty. A person with many records is singled out by any of them: share_of_records is the rate of single
--   records.
-- instead: facts_known, facts_together
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter columns: columns, the attributes an attacker may know
-- parameter missing_tokens: texts, texts that count as missing
-- parameter missing_is_value: flag, a missing value is a value of its own
-- parameter max_size: integer, attributes of a set at most
--
-- column attributes: VARCHAR[], names, of the set
-- column people: BIGINT, people, singled out by the set
-- column share: DOUBLE, share of people, people of all people
-- column records: BIGINT, records, those that single their person out
-- column share_of_records: DOUBLE, share of records, records of all that have a person
WITH records AS (
    SELECT
        {{ user | person }} AS person
{% for column in columns %}
        , {{ column | identifier }} AS v{{ loop.index0 }}
{% endfor %}
    FROM {{ source | relation }}
),
tokens AS (
    SELECT UNNEST([{% for token in missing_tokens %}{{ token | literal }}, {% endfor %}NULL]) AS token
),
{% for column in columns %}
codes{{ loop.index0 }} AS MATERIALIZED (
    SELECT value, ROW_NUMBER() OVER () AS code
    FROM (SELECT DISTINCT v{{ loop.index0 }} AS value FROM records) AS different
    WHERE value IS NOT NULL AND TRIM(CAST(value AS VARCHAR)) NOT IN (SELECT token FROM tokens WHERE token IS NOT NULL)
),
{% endfor %}
coded AS MATERIALIZED (
    SELECT
        person
{% for column in columns %}
        , COALESCE(codes{{ loop.index0 }}.code, 0) AS c{{ loop.index0 }}
{% endfor %}
    FROM records
{% for column in columns %}
    LEFT JOIN codes{{ loop.index0 }} ON codes{{ loop.index0 }}.value = records.v{{ loop.index0 }}
{% endfor %}
    WHERE person IS NOT NULL
),
totals AS (
    SELECT COUNT(DISTINCT person) AS people, COUNT(*) AS records
    FROM coded
),
attributes AS MATERIALIZED (
    SELECT place - 1 AS position, names[place] AS name
    FROM (SELECT [{{ columns | literals }}] AS names) AS given
    CROSS JOIN (SELECT UNNEST(RANGE(1, {{ columns | length }} + 1)) AS place) AS places
),
sets AS MATERIALIZED (
    SELECT mask
    FROM (SELECT UNNEST(RANGE(1, 1 << {{ columns | length }})) AS mask) AS masks
    WHERE BIT_COUNT(mask) <= {{ max_size | literal }}
),
classes AS (
    SELECT mask, MIN(person) AS person, COUNT(*) AS records
    FROM coded
    CROSS JOIN sets
    WHERE {{ missing_is_value | literal }}
        OR (TRUE{% for column in columns %}
        AND (((mask >> {{ loop.index0 }}) & 1) = 0 OR c{{ loop.index0 }} > 0){% endfor %})
    GROUP BY mask{% for column in columns %},
        CASE WHEN ((mask >> {{ loop.index0 }}) & 1) = 1 THEN c{{ loop.index0 }} END{% endfor %}

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
ORDER BY BIT_COUNT(counted.mask), counted.people DESC, counted.records DESC, counted.mask

-- name: fact_columns
-- The values of attributes as hashes of 64 bits, quick to compare.
--
-- definition: the number is a hash; two different values have the same one with a probability of 2^-64. A missing
--   value has the number of NULL. Sets are compared number by number and not by a hash of them.
-- runs: wide
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter attributes: attributes, the attributes that can be known of a record
-- parameter places: integers, the indices of the attributes to read: a statement binds every column of its relations
-- parameter hashed: integers, the indices of the attributes whose type the engine hashes one to one, as cell_number
--   does
-- parameter counted: column or none, number of people that a record represents; none takes one
(
    SELECT
        {% if user %}{{ "person" | number }}{% else %}hash(NULL){% endif %} AS person
{% if counted %}
        , people
{% endif %}
{% for place in places %}
        , {% if place in hashed %}hash(v{{ place }}){% else %}{{ ("v" ~ place) | number }}{% endif %} AS h{{ place }}
{% endfor %}
    FROM (
        -- A value is written once: to plan it as often as its number names it takes as long as that.
        SELECT
            {% if user %}{{ user | person }}{% else %}NULL{% endif %} AS person
{% if counted %}
            , {{ counted | identifier }} AS people
{% endif %}
{% for place in places %}
            , {{ attributes[place] | value }} AS v{{ place }}
{% endfor %}
        FROM {{ source | relation }}
{% if user %}
        WHERE {{ user | person }} IS NOT NULL
{% endif %}
    ) AS known
)

-- name: fact_values
-- Stores the hashes of attributes that several sets share.
--
-- runs: wide
--
-- takes: known
CREATE OR REPLACE TEMP TABLE fact_values AS
SELECT * FROM {{ known | relation }} AS known

-- name: missing_facts
-- The missing values of some attributes, in order, and of all attributes.
--
-- runs: wide
--
-- takes: weighted, known, places
-- parameter counted: integers, the missing values of the other attributes, which are those of their columns (profile)
SELECT cells, CAST(COALESCE(LIST_SUM(LIST_CONCAT(cells, {{ counted | literal }})), 0) AS BIGINT) AS missing_cells
FROM (
    SELECT CAST([{% for place in places %}{% if weighted %}COALESCE(
        SUM(CASE WHEN h{{ place }} = hash(NULL) THEN people END), 0){% else %}COUNT(
        CASE WHEN h{{ place }} = hash(NULL) THEN 1 END){% endif %}{{ loop | between(", ") }}{% endfor %}] AS BIGINT[])
        AS cells
{% if places %}
    FROM {{ known | relation }} AS known
{% endif %}
) AS missing

-- name: missing_forms
-- The number of spellings of a missing value in each column, in the order of the columns.
--
-- runs: wide
--
-- parameter source: relation, the records
-- parameter attributes: attributes, of one column each, with the tokens of a missing value
-- parameter columns: columns, theirs
{% for attribute in attributes %}
{% if loop.index0 %}
UNION ALL
{% endif %}
SELECT {{ loop.index0 }} AS number, COUNT(*) AS forms
FROM (
    SELECT {{ columns[loop.index0] | identifier }}
    FROM {{ source | relation }}
    WHERE ({{ attribute | value }}) IS NULL
    GROUP BY {{ columns[loop.index0] | identifier }}
) AS written
{% endfor %}
ORDER BY number

-- name: facts_together
-- The people by size of their class on all attributes together.
--
-- definition: a class is the people with a record with the same values of all attributes, a missing value being a
--   value; a person with several records is in several classes, and counts in the smallest of them. The chance of
--   error bounds the probability that two different values of an attribute, people or records have the same hash of
--   64 bits
-- runs: wide
--
-- takes: attributes, by_record, weighted, known
-- parameter bounds: integers, the least size of each band
-- parameter all_people: integer, the people behind the records
-- parameter all_records: integer, the records that have a person
WITH {% if not by_record %}alike AS MATERIALIZED (
    SELECT person,
        hash({% for place in range(attributes) %}h{{ place }}{{ loop | between(", ") }}{% else %}0{% endfor %})
        AS class, COUNT(*) AS records
    FROM {{ known | relation }} AS known
    GROUP BY person, class
),
{% endif %}
classes AS (
{% if by_record %}
    SELECT hash({% for place in range(attributes) %}h{{ place }}{{ loop | between(", ") }}{% else %}0{% endfor %})
        AS class, {% if weighted %}SUM(people){% else %}COUNT(*){% endif %} AS class_size,
        {% if weighted %}SUM(people){% else %}COUNT(*){% endif %} AS records
    FROM {{ known | relation }} AS known
{% else %}
    SELECT class, COUNT(*) AS class_size, SUM(records) AS records
    FROM alike
{% endif %}
    GROUP BY class
),
sizes AS (
    SELECT class_size, COUNT(*) AS classes, SUM(records) AS records,
        {% if by_record %}SUM(class_size){% else %}0{% endif %} AS people
    FROM classes
    GROUP BY class_size
{% if not by_record %}
    UNION ALL
    SELECT class_size, 0 AS classes, 0 AS records, COUNT(*) AS people
    FROM (
        SELECT alike.person, MIN(classes.class_size) AS class_size
        FROM alike
        JOIN classes ON classes.class = alike.class
        GROUP BY alike.person
    ) AS smallest
    GROUP BY class_size
{% endif %}
),
bands AS (
    SELECT least, LEAD(least) OVER (ORDER BY least) - 1 AS most
    FROM (SELECT UNNEST({{ bounds | literal }}) AS least) AS starts
)
-- include: class_size_bands

-- name: surely_singled_out
-- The people that a few attributes single out for certain, in a sample of classes.
--
-- definition: whoever has a record with values of these attributes that nobody else's record has is alone on all
--   attributes as well (facts_together). The sample is drawn by a hash of the values, so that it has whole classes and
--   one look at the records is enough.
-- runs: wide
--
-- takes: by_record, places, known
-- parameter one_in: integer, one class in this many is drawn
SELECT COUNT({% if by_record %}*{% else %}DISTINCT person{% endif %}) AS people
FROM (
    SELECT MIN(person) AS person
    FROM {{ known | relation }} AS known
    WHERE hash({{ places | each("h{x}") }}) % {{ one_in }} = 0
    GROUP BY {{ places | each("h{x}") }}

    HAVING {% if by_record %}COUNT(*) = 1{% else %}MIN(person) = MAX(person){% endif %}

) AS alone

-- name: person_records
-- Creates a row for each record: the person, and a hash of its values.
--
-- definition: records of different values have the same number with a probability of 2^-64
-- runs: wide
--
-- takes: attributes, known
CREATE OR REPLACE TEMP TABLE person_records AS
SELECT person,
    hash({% for place in range(attributes) %}h{{ place }}{{ loop | between(", ") }}{% else %}0{% endfor %}) AS record
FROM {{ known | relation }} AS numbers

-- name: relinked_people
-- Lists the people whose records are linkable again without a user column, by number of the person.
--
-- definition: records that agree on all columns that are constant for each person form a linked history. A person is
--   relinked where all records of the linked history are theirs. A missing value is a value like another.
-- missing: a record without a person is left out
-- runs: wide
--
-- parameter source: relation, the records
-- parameter user: user, whose a record is, as the original says
-- parameter columns: columns, those that are constant for each person
CREATE OR REPLACE TEMP TABLE relinked_people AS
SELECT MIN(person) AS person
FROM (
    SELECT {{ "person" | number }} AS person,
        HASH(0{% for column in columns %}, {{ ("v" ~ loop.index0) | number }}{% endfor %}) AS history
    FROM (
        SELECT {{ user | person }}
            AS person{% for column in columns %}, {{ column | identifier }} AS v{{ loop.index0 }}{% endfor %}

        FROM {{ source | relation }}
        WHERE {{ user | person }} IS NOT NULL
    ) AS known
) AS numbers
GROUP BY history
HAVING MIN(person) = MAX(person)

-- name: fact_sample
-- Stores the records by which all attributes together single out a person, for a sample of people.
--
-- definition: nobody else is singled out by fewer attributes. The sample is drawn by hashes: of the person, and where
--   each record is one of its values.
-- runs: wide
--
-- takes: attributes, by_record, weighted, known
-- parameter one_in: integer, one person in this many is drawn
{% set places = range(attributes) %}
CREATE OR REPLACE TEMP TABLE fact_sample AS
SELECT MIN(person) AS person,
    COUNT(*) AS records{% for place in places %}, MIN(h{{ place }}) AS h{{ place }}{% endfor %}

FROM {{ known | relation }} AS known
{% if by_record %}
WHERE hash({{ places | each("h{x}") }}) % {{ one_in }} = 0
{% else %}
WHERE hash({{ places | each("h{x}") }}) IN (
    SELECT hash({{ places | each("h{x}") }})
    FROM {{ known | relation }} AS known
    WHERE person % {{ one_in }} = 0
)
{% endif %}
GROUP BY hash({{ places | each("h{x}") }})
HAVING {% if by_record %}{% if weighted %}SUM(people){% else %}COUNT(*){% endif %} = 1{% else %}MIN(person)
    = MAX(person) AND MIN(person) % {{ one_in }} = 0{% endif %}

-- name: sampled_people
-- The number of people in the sample, and of the records by which all attributes together single them out.
--
-- runs: wide
--
-- takes: by_record
SELECT {% if by_record %}COUNT(*){% else %}COUNT(DISTINCT person){% endif %} AS people,
    CAST(COALESCE(SUM(records), 0) AS BIGINT) AS records
FROM fact_sample

-- name: sampled_classes
-- The classes of attribute sets of one size within the sample, and those of one person there.
--
-- definition: as in facts_known. Who shares a class of a set with somebody else of the sample is not singled out by
--   it: most sets of few values need no look at the other records.
-- runs: wide
--
-- takes: by_record, places, size, missing
{% for start in range(0, places | length, size) %}
{% set facts = places[start:start + size] %}
{% if start %}
UNION ALL
{% endif %}
SELECT {{ start // size }} AS number, COUNT(*) AS classes, COUNT(CASE WHEN alone THEN 1 END) AS alone
FROM (
    SELECT {% if by_record %}COUNT(*) = 1{% else %}MIN(person) = MAX(person){% endif %} AS alone
    FROM fact_sample
    WHERE TRUE{% for place in facts %}{% if place in missing %}
        AND h{{ place }} <> hash(NULL){% endif %}{% endfor %}

    GROUP BY {{ facts | each("h{x}") }}

) AS classes
{% endfor %}
ORDER BY number

-- name: facts_known
-- People singled out by attribute sets of one size.
--
-- definition: as in uniqueness; of a sample of people only records equal to those of the sample are examined that one
--   person alone has there. Each value of the sample occurs once, as an engine may scan all equal rows.
-- runs: wide
--
-- takes: by_record, weighted, known, places, size, missing
-- parameter sampled: flag, fact_sample holds the records of the examined people
{% for start in range(0, places | length, size) %}
{% set facts = places[start:start + size] %}
{% if start %}
UNION ALL
{% endif %}
SELECT
    {{ start // size }} AS number,
    COUNT(*) AS classes,
{% if by_record %}
    COUNT(CASE WHEN records = 1 THEN 1 END) AS people,
    COUNT(CASE WHEN records = 1 THEN 1 END) AS records
{% else %}
    COUNT(DISTINCT CASE WHEN first = last THEN first END) AS people,
    CAST(COALESCE(SUM(CASE WHEN first = last THEN records END), 0) AS BIGINT) AS records
{% endif %}
FROM (
    SELECT {% if not by_record %}MIN(person) AS first, MAX(person) AS last,
        {% endif %}{% if weighted %}SUM(people){% else %}COUNT(*){% endif %} AS records
    FROM {{ known | relation }} AS known
{% if sampled %}
    SEMI JOIN (
        SELECT {{ facts | each("h{x}") }}
        FROM fact_sample
        GROUP BY {{ facts | each("h{x}") }}
        HAVING {% if by_record %}COUNT(*) = 1{% else %}MIN(person) = MAX(person){% endif %}

    ) AS drawn
        ON {{ facts | each("drawn.h{x} = known.h{x}", between=" AND ") }}

{% endif %}
    WHERE TRUE{% for place in facts %}{% if place in missing %}
        AND known.h{{ place }} <> hash(NULL){% endif %}{% endfor %}

    GROUP BY {{ facts | each("known.h{x}") }}

) AS classes
{% endfor %}
ORDER BY number

-- name: typical_share
-- The mean share singled out by drawn attribute sets of one size, and the share of the worst set.
--
-- definition: the sets are divided into strata h by the number of values of their attributes, N_h sets each, n_h of
--   them sampled: mean = sum W_h mean_h with W_h = N_h / sum N_h, and its variance is sum W_h^2 (1 - n_h / N_h) s_h^2
--   / n_h. If the strata are themselves a random part of all sets, 1 of "one_in", the variance of the shares among
--   the sampled sets is added, and for a random part of the people that of a share. The interval is the mean plus and
--   minus Student's t at 95 % with (sum v_h)^2 / sum v_h^2 degrees of freedom, v_h being the strata's parts of the
--   variance. Its lower end is at least the share that all sets single out with certainty: as many as any examined
--   smaller set within them.
-- source: Cochran, Sampling Techniques, 1977, sections 5.3 and 12.2; degrees of freedom: Satterthwaite, 1946
-- missing: as in uniqueness
-- read: of a stratum that is drawn whole nothing is uncertain
--
-- parameter strata: integers, the number of each drawn set's stratum
-- parameter sizes: integers, number of sets of that stratum
-- parameter people: integers, number of people singled out by each sampled set
-- parameter records: integers, the records that do it
-- parameter worst_people: integer, number of people singled out by the worst set
-- parameter worst_records: integer, the records that do it
-- parameter all_people: integer, number of examined people
-- parameter all_records: integer, the records by which they can be singled out
-- parameter share_of_people: number, the share of all people who can be singled out if the people were sampled, else
--   1
-- parameter share_of_records: number, the same of the records
-- parameter undrawn: number, the share of all sets that are in no stratum
-- parameter unseen: number, the share of the people who could be singled out and were not examined
-- parameter least: number, lower bound of the mean share of the examined people singled out by all sets
WITH drawn AS (
    SELECT
        UNNEST({{ strata | literal }}) AS stratum,
        CAST(UNNEST({{ sizes | literal }}) AS DOUBLE) AS size,
        UNNEST({{ people | literal }}) / CAST({{ all_people | literal }} AS DOUBLE) AS people,
        UNNEST({{ records | literal }}) / CAST({{ all_records | literal }} AS DOUBLE) AS records
),
strata AS (
    SELECT
        stratum,
        MIN(size) AS size,
        COUNT(*) AS drawn,
        AVG(people) AS people,
        AVG(people * people) AS squares,
        AVG(records) AS records,
        COALESCE(VAR_SAMP(people), 0) AS variance
    FROM drawn
    GROUP BY stratum
),
weighted AS (
    SELECT *, size / SUM(size) OVER () AS weight
    FROM strata
),
parts AS (
    SELECT *, weight * weight * (1 - drawn / size) * variance / drawn AS part
    FROM weighted
),
sums AS (
    SELECT
        SUM(CAST(weight * people AS DECIMAL(38, 18))) AS people,
        SUM(CAST(weight * squares AS DECIMAL(38, 18))) AS squares,
        SUM(CAST(weight * records AS DECIMAL(38, 18))) AS records,
        SUM(CAST(part AS DECIMAL(38, 30))) AS variance,
        SUM(CAST(part * part AS DECIMAL(38, 37))) AS fourth,
        SUM(size) AS sets
    FROM parts
),
moments AS (
    SELECT
        CAST(people AS DOUBLE) AS people,
        CAST(records AS DOUBLE) AS records,
        CAST({{ least | literal }} AS DOUBLE) AS least,
        CAST(variance AS DOUBLE) AS drawing,
        CAST(variance AS DOUBLE)
            + {{ undrawn | literal }}
                * GREATEST(0, CAST(squares AS DOUBLE) - CAST(people AS DOUBLE) * CAST(people AS DOUBLE)) / sets
            + {{ unseen | literal }} * CAST(people AS DOUBLE) * (1 - CAST(people AS DOUBLE))
                / {{ all_people | literal }} AS variance,
        CASE WHEN fourth > 0 THEN CAST(variance AS DOUBLE) * CAST(variance AS DOUBLE)
            / CAST(fourth AS DOUBLE) END AS freedom
    FROM sums
),
student AS (
    SELECT
        *,
        CASE
            WHEN freedom IS NULL OR freedom >= 120 THEN 1.98
            WHEN freedom >= 60 THEN 2.0003
            WHEN freedom >= 30 THEN 2.0423
            WHEN freedom >= 20 THEN 2.0860
            WHEN freedom >= 15 THEN 2.1315
            WHEN freedom >= 10 THEN 2.2282
            WHEN freedom >= 8 THEN 2.3060
            WHEN freedom >= 6 THEN 2.4470
            WHEN freedom >= 5 THEN 2.5706
            WHEN freedom >= 4 THEN 2.7765
            WHEN freedom >= 3 THEN 3.1825
            WHEN freedom >= 2 THEN 4.3027
            ELSE 12.7063
        END * SQRT(GREATEST(variance, 0)) AS half_width,
        least - 1.98 * SQRT({{ unseen | literal }} * least * (1 - least) / {{ all_people | literal }}) AS lowest
    FROM moments
)
SELECT
    LEAST(1, GREATEST(people, lowest) * {{ share_of_people | literal }}) AS typical,
    GREATEST(0, people - half_width, lowest) * {{ share_of_people | literal }} AS typical_lower,
    LEAST(1, GREATEST(people + half_width, lowest)) * {{ share_of_people | literal }} AS typical_upper,
    LEAST(1, records * {{ share_of_records | literal }}) AS typical_of_records,
    {{ worst_people | literal }} / CAST({{ all_people | literal }} AS DOUBLE)
        * {{ share_of_people | literal }} AS worst,
    {{ worst_records | literal }} / CAST({{ all_records | literal }} AS DOUBLE)
        * {{ share_of_records | literal }} AS worst_of_records
FROM student

-- name: facts_of_histories
-- The people that several known records of one attribute identify: the mean over attributes, and the worst one.
--
-- definition: unicity as in known_records; of equal attributes the first is the worst
--
-- parameter known: integers, number of known records, in each case
-- parameter attributes: texts, the attribute of each case
-- parameter unicity: numbers, the probability that they fit one person alone; NULL where nobody could be drawn
WITH cases AS (
    SELECT
        UNNEST({{ known | literal }}) AS records,
        UNNEST({{ attributes | literal }}) AS attribute,
        CAST(UNNEST({{ unicity | literal }}) AS DOUBLE) AS unicity,
        UNNEST(RANGE({{ known | length }})) AS place
)
SELECT
    CAST(records AS INTEGER) AS records,
    COUNT(*) AS attributes,
    CAST(SUM(CAST(unicity AS DECIMAL(38, 18))) AS DOUBLE) / COUNT(unicity) AS typical,
    MAX(unicity) AS worst,
    ARG_MIN(attribute, ROW(-unicity, place)) FILTER (WHERE unicity IS NOT NULL) AS worst_attribute
FROM cases
GROUP BY records
ORDER BY records
