-- whole_histories
-- People with a unique history, and the people in the smallest class of equal histories.
--
-- definition: the history of a person is the multiset of their records: each combination of values with the number of
--   times it occurs. A class is the people with equal histories. unique_people counts the classes of one person.
--   Records are compared by 64-bit hashes, so n different ones have a pair that counts as equal with a probability of
--   at most n^2 / 2^65; histories are compared by two sums of these hashes. With "among" each person is compared with
--   all others, but only these people are counted as unique, and only their classes are looked at.
-- source: the attacker who knows everything of a person: El Emam, Guide to the De-Identification of Personal Health
--   Information, 2013 (the power of the adversary); class sizes: Sweeney, k-anonymity, 2002
-- missing: a record without a person is left out. A missing value is a value of its own.
-- read: 300 customers who each visited 7 of 14 shops share each record with 150 others, yet 279 have a unique set of
--   shops: a release of the table is a release of these sets.
-- runs: finish
--
-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter columns: columns, the quasi-identifiers
-- parameter among: relation or none, the people to count, by the number of their "person"; none counts all
--
-- column people: BIGINT, people, those with a record
-- column unique_people: BIGINT, people, those whose history nobody else has
-- column share: DOUBLE, share of people, unique_people of people; null without people
-- column smallest_class: BIGINT, people, those in the smallest class; null without people
-- include: record_numbers
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
    SELECT COUNT(*) AS class_size, COUNT({% if among %}among.person{% else %}*{% endif %}) AS counted
    FROM histories
{% if among %}
    LEFT JOIN (SELECT {{ "person" | number }} AS person FROM {{ among | relation }}) AS among
        ON among.person = histories.person
{% endif %}
    GROUP BY first_sum, second_sum
)
SELECT
    CAST(COALESCE(SUM(class_size), 0) AS BIGINT) AS people,
    CAST(COALESCE(SUM(CASE WHEN class_size = 1 THEN counted END), 0) AS BIGINT) AS unique_people,
    CAST(SUM(CASE WHEN class_size = 1 THEN counted ELSE 0 END) AS DOUBLE) / SUM(class_size) AS share,
    MIN(CASE WHEN counted > 0 THEN class_size END) AS smallest_class
FROM classes
