-- releases_together
-- Who is alone in several releases together though hidden in each: tuples of profiles, joiners, links, and values.
--
-- idea: each release gives a person a profile, and so a class of people with the same profile. Classes never compare
--   values of two releases, so releases may differ in columns and in forms. A person is alone in the tuple if nobody
--   else is in the same class in every release. People who joined or left are classes of their own. Candidate sets of
--   sensitive values are intersected once for each tuple of classes.
-- source: Ganta, Kasiviswanathan and Smith, Composition attacks and auxiliary information in data privacy, KDD 2008,
--   for the sensitive values; the tuples of profiles are our own
-- runs: finish
-- makes: sequence_classes, sequence_tuples, sequence_values
--
-- parameter table: column, the table that is made
-- parameter tables: texts, a table for each release, in their order
-- parameter releases: integer, number of releases

-- name: sequence_records
-- Creates a view of the records of a release: the person, the quasi-identifiers, and the shared columns.
--
-- definition: a key table says who is behind a pseudonym, so that pseudonyms of two releases are never compared
-- missing: a record without a user is left out
--
-- takes: table
-- parameter source: relation, the records of the release
-- parameter user: column, of the person or of the pseudonym
-- parameter attributes: attributes, the quasi-identifiers that the release has
-- parameter shared: attributes, the columns that are compared between releases
-- parameter keys: relation or none, the key table
-- parameter key_person: column or none, its column of people
-- parameter key_pseudonym: column or none, its column of pseudonyms
CREATE OR REPLACE TEMP VIEW {{ table | identifier }} AS
WITH known AS (
    SELECT
        {{ user | identifier }} AS person,
        {{ attributes | each("{x.value} AS q{i}") }}{{ shared | each(", {x.value} AS s{i}", between="") }}

    FROM {{ source | relation }}
    WHERE {{ user | identifier }} IS NOT NULL
)
{% if keys %}
, holders AS (
    SELECT DISTINCT {{ key_person | identifier }} AS holder, CAST({{ key_pseudonym | identifier }} AS VARCHAR) AS code
    FROM {{ keys | relation }}
)
SELECT known.* REPLACE (holders.holder AS person)
FROM known
JOIN holders ON holders.code = CAST(known.person AS VARCHAR)
{% else %}
SELECT * FROM known
{% endif %}

-- name: key_faults
-- Counts what makes a key table unfit for a release.
--
-- parameter source: relation, the records of the release
-- parameter user: column, of the pseudonym
-- parameter keys: relation, the key table
-- parameter key_person: column, its column of people
-- parameter key_pseudonym: column, its column of pseudonyms
WITH released AS (
    SELECT DISTINCT CAST({{ user | identifier }} AS VARCHAR) AS code
    FROM {{ source | relation }}
    WHERE {{ user | identifier }} IS NOT NULL
),
holders AS (
    SELECT DISTINCT {{ key_person | identifier }} AS holder, CAST({{ key_pseudonym | identifier }} AS VARCHAR) AS code
    FROM {{ keys | relation }}
),
owned AS (
    SELECT released.code, holders.holder
    FROM released
    LEFT JOIN holders ON holders.code = released.code
)
SELECT
    (SELECT COUNT(*) FROM released) AS pseudonyms,
    COUNT(CASE WHEN holder IS NULL THEN 1 END) AS unknown,
    COUNT(holder) - COUNT(DISTINCT holder) AS repeated,
    COUNT(*) - COUNT(DISTINCT code) AS ambiguous
FROM owned

-- name: sequence_profiles
-- Creates the table of the people of a release, with the number of people of the same profile.
--
-- definition: the profile is the multiset of the person's records on the quasi-identifiers: the sorted list of a hash
--   of each. Records of different values have the same hash with a probability of 2^-64. "class" is one of the people
--   with the profile, the same for all of them
-- missing: a missing value is a value of its own
--
-- takes: table
-- parameter source: column, the records, as sequence_records makes them
-- parameter attributes: integer, number of quasi-identifiers
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
WITH profiles AS (
    SELECT person, LIST(record ORDER BY record) AS profile
    FROM (
        SELECT person, HASH({{ range(attributes) | each("q{x}") }}) AS record
        FROM {{ source | identifier }}
    ) AS records
    GROUP BY person
)
SELECT UNNEST(people) AS person, people[1] AS class, LEN(people) AS class_size
FROM (SELECT LIST(person ORDER BY person) AS people FROM profiles GROUP BY profile) AS alike

-- name: sequence_classes
-- Creates the table of the people of all releases and of their classes.
-- takes: tables
CREATE OR REPLACE TEMP TABLE sequence_classes AS
{% for table in tables %}
SELECT {{ loop.index }} AS release, person, class, class_size FROM {{ table | identifier }}
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}

-- name: sequence_tuples
-- Creates the table of the people with their class in each release and its size; none where a person is absent.
-- takes: releases
CREATE OR REPLACE TEMP TABLE sequence_tuples AS
SELECT
    person,
    COUNT(*) AS releases,
    {{ range(1, releases + 1) | each("MAX(CASE WHEN release = {x} THEN class END) AS class{x}") }},
    {{ range(1, releases + 1) | each("MAX(CASE WHEN release = {x} THEN class_size END) AS size{x}") }}

FROM sequence_classes
GROUP BY person

-- name: sequence_counts
-- The people of each release, those who are alone in it, and the same of the people in all releases.
-- takes: releases
SELECT
    release,
    COUNT(*) AS people,
    COUNT(DISTINCT class) AS classes,
    MIN(class_size) AS smallest_class,
    COUNT(CASE WHEN class_size = 1 THEN 1 END) AS alone,
    COUNT(CASE WHEN class_size = 1 AND tuples.releases = {{ releases }} THEN 1 END) AS alone_of_common
FROM sequence_classes AS classes
JOIN sequence_tuples AS tuples ON tuples.person = classes.person
GROUP BY release
ORDER BY release

-- name: tuple_counts
-- The people in all releases: hidden in each, and of these alone in the tuple of their classes.
--
-- definition: hidden: another person has the same profile in each release; alone: no other person in all releases is
--   in the same class in each of them. "exposed" are people of the last release that it or the tuple singles out; that
--   somebody is absent from a release is part of the tuple
-- source: our own
--
-- takes: releases
WITH known AS (
    SELECT
        releases,
        size{{ releases }} AS last_size,
        LEAST({{ range(1, releases + 1) | each("size{x}") }}) AS smallest,
        COUNT(*) OVER (PARTITION BY {{ range(1, releases + 1) | each("class{x}") }}) AS together
    FROM sequence_tuples
    WHERE size{{ releases }} IS NOT NULL
)
SELECT
    COUNT(CASE WHEN releases = {{ releases }} THEN 1 END) AS people,
    COUNT(CASE WHEN releases = {{ releases }} AND smallest > 1 THEN 1 END) AS hidden,
    COUNT(CASE WHEN releases = {{ releases }} AND smallest > 1 AND together = 1 THEN 1 END) AS alone,
    CAST(COUNT(CASE WHEN releases = {{ releases }} AND smallest > 1 AND together = 1 THEN 1 END) AS DOUBLE)
        / NULLIF(COUNT(CASE WHEN releases = {{ releases }} AND smallest > 1 THEN 1 END), 0) AS share,
    MIN(CASE WHEN releases = {{ releases }} THEN together END) AS smallest_tuple,
    COUNT(*) AS last_people,
    COUNT(CASE WHEN together = 1 OR last_size = 1 THEN 1 END) AS exposed,
    CAST(COUNT(CASE WHEN together = 1 OR last_size = 1 THEN 1 END) AS DOUBLE) / NULLIF(COUNT(*), 0) AS exposed_share
FROM known

-- name: changed_people
-- The people who joined each release but the first, and those who left it: how many their profile alone shows.
--
-- definition: whoever sees that people are in one of two neighbouring releases alone compares them with each other
--   alone. "alone" have a profile that none of these others has, "hidden" are those of them who shared it with somebody
--   in the whole release
-- source: Byun, Sohn, Bertino and Li, Secure anonymization for incremental datasets, SDM 2006
--
-- takes: releases
WITH changed AS (
{% for number in range(1, releases) %}
    SELECT {{ number }} AS pair, 'left' AS change, class{{ number }} AS class, size{{ number }} AS class_size
    FROM sequence_tuples
    WHERE size{{ number }} IS NOT NULL AND size{{ number + 1 }} IS NULL
    UNION ALL
    SELECT {{ number }} AS pair, 'joined' AS change, class{{ number + 1 }} AS class, size{{ number + 1 }} AS class_size
    FROM sequence_tuples
    WHERE size{{ number }} IS NULL AND size{{ number + 1 }} IS NOT NULL
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
),
compared AS (
    SELECT pair, change, class_size, COUNT(*) OVER (PARTITION BY pair, change, class) AS others
    FROM changed
)
SELECT
    pair,
    change,
    COUNT(*) AS people,
    COUNT(CASE WHEN others = 1 THEN 1 END) AS alone,
    COUNT(CASE WHEN others = 1 AND class_size > 1 THEN 1 END) AS hidden
FROM compared
GROUP BY pair, change
ORDER BY pair, change

-- name: sequence_values
-- Creates the table of the different values of each person in each release, by a hash of each shared column.
--
-- missing: a missing value has no hash
--
-- takes: tables
-- parameter shared: integer, number of shared columns
CREATE OR REPLACE TEMP TABLE sequence_values AS
WITH records AS (
{% for table in tables %}
    SELECT {{ loop.index }} AS release, person, {{ range(shared) | each("s{x}") }}

    FROM {{ table | identifier }}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
)
SELECT DISTINCT
    release,
    person,
    {{ range(shared) | each("CASE WHEN s{x} IS NOT NULL THEN HASH(s{x}) END AS h{x}") }}

FROM records

-- name: stable_columns
-- The people in all releases whose value of each shared column changes within a release or between two.
--
-- missing: a missing value is a value of its own
--
-- takes: releases
-- parameter places: integers, the numbers of the columns
WITH per_person AS (
    SELECT
        held.person,
        {{ places | each("MIN(COALESCE(held.h{x}, 0)) AS low{x}, MAX(COALESCE(held.h{x}, 0)) AS high{x}") }}

    FROM sequence_values AS held
    JOIN sequence_tuples AS tuples ON tuples.person = held.person
    WHERE tuples.releases = {{ releases }}
    GROUP BY held.person
)
{% for place in places %}
SELECT
    {{ place }} AS place,
    COUNT(CASE WHEN low{{ place }} <> high{{ place }} THEN 1 END) AS changed
FROM per_person
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
ORDER BY place

-- name: linked_people
-- The people of each release but the last that stable columns link with one person of the next, rightly or not.
--
-- definition: a person is linked if the records of the next release with the same values of the stable columns are of
--   one person alone. A blind guess among the people of the next release is right with the probability "chance"
-- source: our own
-- missing: a missing value is a value of its own
--
-- takes: releases
-- parameter places: integers, the numbers of the stable columns
WITH known AS (
    SELECT DISTINCT release, person, {{ places | each("COALESCE(h{x}, 0) AS k{i}") }}

    FROM sequence_values
),
holders AS (
    SELECT release, {{ places | each("k{i}") }}, MIN(person) AS first_person, MAX(person) AS last_person
    FROM known
    GROUP BY release, {{ places | each("k{i}") }}

),
candidates AS (
    SELECT
        known.release AS pair,
        known.person,
        MIN(holders.first_person) AS first_person,
        MAX(holders.last_person) AS last_person
    FROM known
    LEFT JOIN holders
        ON holders.release = known.release + 1 AND {{ places | each("holders.k{i} = known.k{i}", between=" AND ") }}

    WHERE known.release < {{ releases }}
    GROUP BY known.release, known.person
),
sizes AS (
    SELECT release, COUNT(DISTINCT person) AS people FROM known GROUP BY release
)
SELECT
    candidates.pair,
    COUNT(*) AS people,
    COUNT(CASE WHEN first_person = last_person THEN 1 END) AS linked,
    COUNT(CASE WHEN first_person = last_person AND first_person = candidates.person THEN 1 END) AS linked_right,
    COUNT(CASE WHEN first_person = last_person AND first_person <> candidates.person THEN 1 END) AS linked_wrong,
    CAST(COUNT(CASE WHEN first_person = last_person AND first_person = candidates.person THEN 1 END) AS DOUBLE)
        / NULLIF(COUNT(CASE WHEN first_person = last_person THEN 1 END), 0) AS share,
    1 / CAST(MAX(sizes.people) AS DOUBLE) AS chance
FROM candidates
LEFT JOIN sizes ON sizes.release = candidates.pair + 1
GROUP BY candidates.pair
ORDER BY candidates.pair

-- name: left_values
-- The people with one candidate value that all releases have in common, though each release leaves several.
--
-- definition: the candidates are the values that people of the same class have in a release. "several" are people
--   with two candidates or more in each release, "disclosed" those of them with one in common, "correct" those of
--   the latter who have it in the last release, and "emptied" those with none. Null where more pairs of a tuple of
--   classes and a candidate would be compared than allowed
-- source: Ganta, Kasiviswanathan and Smith, Composition attacks and auxiliary information in data privacy, KDD 2008
-- missing: a missing value is no candidate
--
-- takes: releases
-- parameter place: integer, the number of the sensitive column
-- parameter pairs: integer, largest number of pairs
WITH held AS (
    SELECT DISTINCT classes.release, classes.class, held.h{{ place }} AS value
    FROM sequence_classes AS classes
    JOIN sequence_values AS held ON held.release = classes.release AND held.person = classes.person
    WHERE held.h{{ place }} IS NOT NULL
),
counted AS (
    SELECT release, class, COUNT(*) AS candidates FROM held GROUP BY release, class
),
sized AS (
    SELECT tuples.person, COUNT(counted.class) AS releases, MIN(counted.candidates) AS fewest,
        SUM(counted.candidates) AS work, {{ range(1, releases + 1) | each("ANY_VALUE(tuples.class{x}) AS class{x}") }}

    FROM sequence_tuples AS tuples
    JOIN sequence_classes AS classes ON classes.person = tuples.person
    LEFT JOIN counted ON counted.release = classes.release AND counted.class = classes.class
    WHERE tuples.releases = {{ releases }}
    GROUP BY tuples.person
),
several AS (
    SELECT * FROM sized WHERE releases = {{ releases }} AND fewest > 1
),
tuples AS (
    SELECT MIN(person) AS tuple, MIN(work) AS work, {{ range(1, releases + 1) | each("class{x}") }}

    FROM several
    GROUP BY {{ range(1, releases + 1) | each("class{x}") }}

),
allowed AS (
    SELECT * FROM tuples WHERE (SELECT COALESCE(SUM(work), 0) FROM tuples) <= {{ pairs }}
),
common AS (
    SELECT allowed.tuple, COUNT(*) AS candidates, MIN(held1.value) AS value
    FROM allowed
    JOIN held AS held1 ON held1.release = 1 AND held1.class = allowed.class1
{% for number in range(2, releases + 1) %}
    JOIN held AS held{{ number }} ON held{{ number }}.release = {{ number }}
        AND held{{ number }}.class = allowed.class{{ number }} AND held{{ number }}.value = held1.value
{% endfor %}
    GROUP BY allowed.tuple
),
judged AS (
    SELECT several.person, COALESCE(common.candidates, 0) AS candidates, common.value
    FROM several
    JOIN allowed ON {{ range(1, releases + 1) | each("allowed.class{x} = several.class{x}", between=" AND ") }}

    LEFT JOIN common ON common.tuple = allowed.tuple
),
owned AS (
    SELECT DISTINCT person, h{{ place }} AS value
    FROM sequence_values
    WHERE release = {{ releases }} AND h{{ place }} IS NOT NULL
),
figures AS (
    SELECT
        COUNT(CASE WHEN judged.candidates = 1 THEN 1 END) AS disclosed,
        COUNT(CASE WHEN judged.candidates = 1 AND owned.value IS NOT NULL THEN 1 END) AS correct,
        COUNT(CASE WHEN judged.candidates = 0 THEN 1 END) AS emptied
    FROM judged
    LEFT JOIN owned ON owned.person = judged.person AND owned.value = judged.value
),
totals AS (
    SELECT
        (SELECT COUNT(*) FROM sized) AS people,
        (SELECT COUNT(*) FROM several) AS several,
        (SELECT COALESCE(SUM(work), 0) FROM tuples) <= {{ pairs }} AS is_allowed
)
SELECT
    totals.people,
    totals.several,
    CASE WHEN totals.is_allowed THEN figures.disclosed END AS disclosed,
    CASE WHEN totals.is_allowed THEN CAST(figures.disclosed AS DOUBLE) / NULLIF(totals.several, 0) END AS share,
    CASE WHEN totals.is_allowed THEN figures.correct END AS correct,
    CASE WHEN totals.is_allowed THEN figures.emptied END AS emptied
FROM totals, figures
