-- direct_identifiers
-- The kinds of direct identifiers in columns; each distinct value is examined once.
--
-- source: the standards that direct_identifiers names
-- runs: finish

-- name: direct_identifiers
-- The kinds of direct identifiers in columns, by the form of their values and by check digits.
--
-- definition: a value has the shape of a kind if all of it matches the pattern of that kind. It is valid if also its
--   check digits are right, or its kind has none. Blanks, hyphens, dots and brackets between digits do not count;
--   full-width digits are digits. A card has 13 to 19 digits, the first one of 2 to 6, and a Luhn sum that is a
--   multiple of 10. by_chance is the expected number of valid values among arbitrary digits of that shape:
--   shaped_cells / 10 with Luhn's digit, / 11 with a vehicle's or a My Number's (2 / 11 if it ends in 0), / 97 with
--   an IBAN's, all of them without check digits. An IBAN has the length and the alphabet of its country. A report
--   takes a kind with check digits as likely if at least twice as many values are valid as by chance, and if chance
--   yields this number with a probability of at most 1e-6, or 1e-2 if the name of the column suggests the kind. The
--   bound on it is exp(-n KL(v / n, p)), with n shaped_values, v valid_values and p = values_by_chance / n. A value
--   of many records is one draw.
-- source: the bound, Hoeffding, 1963, theorem 1; e-mail, RFC 5321; telephone, E.123 and national habits; cards, ISO/IEC
--   7812 with Luhn's check digit; My Number, Japanese ministerial order 85 of 2014, article 5; IBAN, ISO 13616 and its
--   register with ISO 7064; vehicle identification number, ISO 3779 with the check digit of 49 CFR 565; the list of
--   HIPAA, 45 CFR 164.514(b)(2)
-- missing: an empty or missing value is not counted as present, under every rule for missing values.
-- read: valid values far above by_chance are identifiers. A column of other numbers of that length has about
--   by_chance valid ones. Names, photographs and medical record numbers have no recognisable shape.
--
-- parameter source: relation, the records
-- parameter columns: columns, the columns to examine
-- parameter missing_tokens: texts or none, further texts of a missing value
-- parameter named: texts or none, what names of columns suggest: '0 My Number' of the first column
--
-- column position: INTEGER, position, the column's index among the given columns, from 0
-- column kind: VARCHAR, name, of the identifier
-- column present_cells: BIGINT, values, that are present
-- column shaped_cells: BIGINT, values, with the shape of the kind
-- column valid_cells: BIGINT, values, of them with right check digits
-- column shaped_values: BIGINT, values, distinct ones with the shape
-- column valid_values: BIGINT, values, distinct valid ones
-- column by_chance: DOUBLE, values, expected to be valid by chance; as many as shaped where there is no check digit
-- column values_by_chance: DOUBLE, values, that would be valid by chance
-- column likely: BOOLEAN, truth, whether there are more valid values than chance brings about
WITH different AS MATERIALIZED (
    -- Combined first: the engine would otherwise set up all that follows for each column. With many columns and few
    -- records, values are read in one pass.
{% if columns | length > 32 %}
    SELECT place, cell, COUNT(*) AS cells
    FROM (
        SELECT
            UNNEST(RANGE(1, {{ (columns | length) + 1 }})) AS place,
            UNNEST([{{ columns | each("CAST({x.identifier} AS VARCHAR)") }}]) AS cell
        FROM {{ source | relation }}
    ) AS every_cell
    GROUP BY place, cell
{% else %}
{% for column in columns %}
    SELECT {{ loop.index }} AS place, CAST({{ column | identifier }} AS VARCHAR) AS cell, COUNT(*) AS cells
    FROM {{ source | relation }}
    GROUP BY {{ column | identifier }}
{% if not loop.last %}
    UNION ALL
{% endif %}
{% endfor %}
{% endif %}
),
kinds (bit, kind, chance) AS (
    VALUES
        (1, 'e-mail address', CAST(1.0 AS DOUBLE)),
        (2, 'telephone number', 1.0),
        (4, 'postal code', 1.0),
        (8, 'web address', 1.0),
        (16, 'network address', 1.0),
        (32, 'device address (MAC)', 1.0),
        (64, 'full date', 1.0),
        (128, 'payment card number', 0.1),
        (256, 'device number (IMEI)', 0.1),
        (512, 'My Number', 1.0 / 11),
        (1024, 'bank account (IBAN)', 1.0 / 97),
        (2048, 'vehicle identification number', 1.0 / 11),
        (4096, 'US social security number', 1.0)
),
-- Contribution of each four digits to Luhn's sum: every second digit from the right is doubled, and its digits are
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
            WHEN cell LIKE '%.0' AND LENGTH(cell) > 10 AND REGEXP_FULL_MATCH(cell, '[0-9]+\.0')
                THEN REPLACE(cell, '.0', '')
            WHEN cell LIKE ' %' OR cell LIKE '% ' OR STRLEN(cell) > LENGTH(cell) THEN TRIM(cell)
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
                IN (''{% if missing_tokens is not none %}{% for token in missing_tokens %},
                {{ token | literal }}{% endfor %}{% endif %}) THEN NULL
            WHEN STRLEN(trimmed) = LENGTH(trimmed) THEN trimmed
            ELSE TRANSLATE(
                trimmed,
                CHR(65296) || CHR(65297) || CHR(65298) || CHR(65299) || CHR(65300) || CHR(65301) || CHR(65302)
                || CHR(65303) || CHR(65304) || CHR(65305) || CHR(65293) || CHR(65291) || CHR(12288),
                '0123456789-+ '
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
            TRY_CAST(CASE WHEN written BETWEEN '1' AND ':' AND LENGTH(written) <= 19 THEN written END AS BIGINT)
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
        CASE WHEN NOT plain AND signs >= 3 THEN REGEXP_MATCHES(written, '[0-9@:]|^[Ww][Ww][Ww]\.|^(..-){5}..$')
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
        CASE WHEN other AND signs >= 7 THEN REGEXP_FULL_MATCH(written, '\+?[0-9 .()\-]+') ELSE FALSE END AS numeric,
        CASE
            WHEN plain THEN written
            -- The dots of a network address part four numbers, and no digits of one.
            WHEN numeric AND signs >= 10 AND NOT REGEXP_FULL_MATCH(
                written, '((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\.){3}(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
            )
                THEN REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(written, ' ', ''), '-', ''), '.', ''), '(', ''), ')', '')
        END AS number,
        CASE
            WHEN other AND signs >= 15 AND REGEXP_FULL_MATCH(
                UPPER(written),
                    '[ .()\-]*[A-Z][ .()\-]*[A-Z][ .()\-]*[0-9][ .()\-]*[0-9][ .()\-]*([A-Z0-9][ .()\-]*){11,30}'
            ) THEN REGEXP_REPLACE(UPPER(written), '[ .()\-]', '', 'g')
        END AS account,
        CASE
            WHEN other AND signs = 17 AND REGEXP_FULL_MATCH(UPPER(written), '[A-HJ-NPR-Z0-9]{17}')
                AND REGEXP_MATCHES(UPPER(written), '[A-Z]') AND REGEXP_MATCHES(written, '[0-9]')
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
        CASE WHEN number >= '0' AND LENGTH(number) BETWEEN 12 AND 19 THEN LENGTH(number) ELSE 0 END AS length,
        number BETWEEN '2' AND '7' AS of_cards,
        TRY_CAST(CASE WHEN number >= '0' AND LENGTH(number) BETWEEN 12 AND 19 THEN number END AS BIGINT) AS number,
        -- Each country of the register has a length and an alphabet of its own.
        CASE WHEN account IS NOT NULL AND REGEXP_FULL_MATCH(
            account,
            'AD[0-9]{10}[A-Z0-9]{12}|(AE|IL|SO|TL)[0-9]{21}|(AL|CY)[0-9]{10}[A-Z0-9]{16}'
            || '|(AT|BA|EE|LT|MN|XK)[0-9]{18}|AZ[0-9]{2}[A-Z]{4}[A-Z0-9]{20}|BE[0-9]{14}'
            || '|BG[0-9]{2}[A-Z]{4}[0-9]{6}[A-Z0-9]{8}|BH[0-9]{2}[A-Z]{4}[A-Z0-9]{14}|BR[0-9]{25}[A-Z][A-Z0-9]'
            || '|BY[0-9]{2}[A-Z0-9]{4}[0-9]{4}[A-Z0-9]{16}|(CH|LI)[0-9]{7}[A-Z0-9]{12}|(CR|DE|ME|RS|VA)[0-9]{20}'
            || '|(CZ|ES|SE|SK|TN)[0-9]{22}|(DJ|MR)[0-9]{25}|(DK|FI|FO|GL|SD)[0-9]{16}'
            || '|DO[0-9]{2}[A-Z0-9]{4}[0-9]{20}|EG[0-9]{27}|FK[0-9]{2}[A-Z]{2}[0-9]{12}'
            || '|(FR|MC)[0-9]{12}[A-Z0-9]{11}[0-9]{2}|(GB|IE)[0-9]{2}[A-Z]{4}[0-9]{14}'
            || '|GE[0-9]{2}[A-Z]{2}[0-9]{16}|GI[0-9]{2}[A-Z]{4}[A-Z0-9]{15}|GR[0-9]{9}[A-Z0-9]{16}'
            || '|GT[0-9]{2}[A-Z0-9]{24}|(HN|NI|SV)[0-9]{2}[A-Z]{4}[0-9]{20}|HR[0-9]{19}|(HU|PL)[0-9]{26}'
            || '|IQ[0-9]{2}[A-Z]{4}[0-9]{15}|IS[0-9]{24}|(IT|SM)[0-9]{2}[A-Z][0-9]{10}[A-Z0-9]{12}'
            || '|(JO|YE)[0-9]{2}[A-Z]{4}[0-9]{4}[A-Z0-9]{18}|KW[0-9]{2}[A-Z]{4}[A-Z0-9]{22}'
            || '|(KZ|LU)[0-9]{5}[A-Z0-9]{13}|LB[0-9]{6}[A-Z0-9]{20}|LC[0-9]{2}[A-Z]{4}[A-Z0-9]{24}'
            || '|LV[0-9]{2}[A-Z]{4}[A-Z0-9]{13}|(LY|PT|ST)[0-9]{23}|MD[0-9]{2}[A-Z0-9]{20}'
            || '|MK[0-9]{5}[A-Z0-9]{10}[0-9]{2}|MT[0-9]{2}[A-Z]{4}[0-9]{5}[A-Z0-9]{18}'
            || '|MU[0-9]{2}[A-Z]{4}[0-9]{19}[A-Z]{3}|NL[0-9]{2}[A-Z]{4}[0-9]{10}|NO[0-9]{13}'
            || '|OM[0-9]{5}[A-Z0-9]{16}|(PK|RO)[0-9]{2}[A-Z]{4}[A-Z0-9]{16}|(PS|QA)[0-9]{2}[A-Z]{4}[A-Z0-9]{21}'
            || '|RU[0-9]{16}[A-Z0-9]{15}|SA[0-9]{4}[A-Z0-9]{18}|SC[0-9]{2}[A-Z]{4}[0-9]{20}[A-Z]{3}|SI[0-9]{17}'
            || '|TR[0-9]{8}[A-Z0-9]{16}|UA[0-9]{8}[A-Z0-9]{19}|VG[0-9]{2}[A-Z]{4}[0-9]{16}'
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
                STRING_SPLIT(SUBSTRING(account, 5) || SUBSTRING(account, 1, 4), ''),
                lambda sign: CASE WHEN sign <= '9' THEN CAST(TRY_CAST(sign AS INTEGER) AS BIGINT)
                    ELSE CAST(ASCII(sign) - 55 AS BIGINT) END
            ),
            lambda so_far, sign: (so_far * CASE WHEN sign > 9 THEN 100 ELSE 10 END + sign) % 97
        ) END AS bank,
        CASE WHEN vehicle IS NOT NULL THEN LIST_SUM(LIST_TRANSFORM(
            STRING_SPLIT(vehicle, ''),
            lambda sign, place: [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2][place]
                * CAST('0123456789.12345678012345070923456789'[STRPOS('0123456789.ABCDEFGHIJKLMNOPQRSTUVWXYZ', sign)]
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
                WHEN signs <= 254 AND STRPOS(written, '@') BETWEEN 2 AND 65
                    AND LENGTH(STRING_SPLIT(written, '.')[-1]) <= 63
                    AND REGEXP_FULL_MATCH(written, '[^\s@<>"]+@([\w\-]+\.)+\pL\pL+') THEN 1
                ELSE 0
            END
            + CASE
                WHEN number_signs BETWEEN 10 AND 16 AND (
                    REGEXP_FULL_MATCH(written, '(\+[0-9]{1,3}[ .\-]?)(\(?[0-9]{1,5}\)?[ .\-]?){1,5}[0-9]{2,5}')
                    OR REGEXP_FULL_MATCH(written, '0[0-9]{1,4}[ .\-][0-9]{1,5}[ .\-][0-9]{3,5}|0[5789]0[0-9]{8}')
                    OR REGEXP_FULL_MATCH(
                        written,
                        '\(0?[0-9]{2,4}\)[ .\-]?[0-9]{3,4}[ .\-]?[0-9]{3,4}'
                            || '|[2-9][0-9]{2}[.\-][0-9]{3}[.\-][0-9]{4}')
                ) THEN 2
                ELSE 0
            END
            + CASE
                WHEN signs BETWEEN 6 AND 10 AND REGEXP_FULL_MATCH(
                    UPPER(written),
                    '\x{3012}? ?[0-9]{3}-[0-9]{4}|[0-9]{5}-[0-9]{4}'
                        || '|[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][A-Z]{2}|[A-Z][0-9][A-Z] [0-9][A-Z][0-9]'
                ) THEN 4
                ELSE 0
            END
            + CASE
                WHEN (CONTAINS(written, '://') OR CONTAINS(written, '.'))
                    AND REGEXP_MATCHES(LOWER(written), '^(https?|ftp)://[^\s]+$|^www\.[^\s]+\.[^\s]+$') THEN 8
                ELSE 0
            END
            + CASE
                WHEN numeric AND signs <= 15 AND REGEXP_FULL_MATCH(
                    written,
                    '((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\.){3}'
                        || '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
                ) THEN 16
                WHEN signs <= 65 AND CONTAINS(written, ':') AND REGEXP_FULL_MATCH(
                    LOWER(written),
                    '([0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|([0-9a-f]{1,4}:){1,7}:([0-9a-f]{1,4}(:[0-9a-f]{1,4}){0,5})?'
                ) THEN 16
                ELSE 0
            END
            + CASE WHEN signs = 17 AND REGEXP_FULL_MATCH(LOWER(written), '([0-9a-f]{2}[:\-]){5}[0-9a-f]{2}') THEN 32
                ELSE 0 END
            + CASE
                WHEN SUBSTRING(written, 1, 2) IN ('18', '19', '20') AND REGEXP_FULL_MATCH(
                    written, '(1[89]|20)[0-9]{2}([-/.])(0?[1-9]|1[0-2])[-/.](0?[1-9]|[12][0-9]|3[01])( .*|T.*)?'
                ) THEN 64
                WHEN signs BETWEEN 8 AND 10 AND REGEXP_FULL_MATCH(
                    written,
                    '(0?[1-9]|[12][0-9]|3[01])[-/.](0?[1-9]|1[0-2])[-/.](1[89]|20)[0-9]{2}'
                        || '|(0?[1-9]|1[0-2])/(0?[1-9]|[12][0-9]|3[01])/(1[89]|20)[0-9]{2}'
                ) THEN 64
                WHEN CONTAINS(written, CHR(26085)) AND REGEXP_FULL_MATCH(
                    written,
                    '(\x{660E}\x{6CBB}|\x{5927}\x{6B63}|\x{662D}\x{548C}|\x{5E73}\x{6210}|\x{4EE4}\x{548C}|[MTSHR])?'
                        || '[0-9\x{5143}]{1,4}\x{5E74} ?[0-9]{1,2}\x{6708} ?[0-9]{1,2}\x{65E5}'
                ) THEN 64
                ELSE 0
            END
        ELSE 0 END AS unchecked,
        CASE WHEN length >= 13 AND of_cards THEN 128 ELSE 0 END
        -- Two rests of the sum make the check digit of a My Number 0, and one each of the others.
        + CASE length WHEN 15 THEN 256 WHEN 12 THEN CASE WHEN last = 0 THEN 512 + 8192 ELSE 512 END ELSE 0 END
        + CASE WHEN bank IS NOT NULL THEN 1024 ELSE 0 END
        + CASE WHEN car IS NOT NULL THEN 2048 ELSE 0 END
        + CASE WHEN numeric AND signs = 11 AND REGEXP_FULL_MATCH(written, '[0-8][0-9]{2}-[0-9]{2}-[0-9]{4}') THEN 4096
            ELSE 0 END AS checked,
        CASE WHEN luhn = 0 THEN 128 + 256 ELSE 0 END
        + CASE WHEN CASE WHEN personal <= 1 THEN 0 ELSE 11 - personal END = last THEN 512 ELSE 0 END
        + CASE WHEN bank = 1 THEN 1024 ELSE 0 END
        + CASE WHEN CASE WHEN car = 10 THEN 'X' ELSE CAST(car AS VARCHAR) END = car_check THEN 2048 ELSE 0 END
        + CASE WHEN numeric AND signs = 11 AND NOT REGEXP_MATCHES(written, '^(000|666)|-00-|-0000$') THEN 4096
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
    SELECT UNNEST(RANGE({{ columns | length }})) + 1 AS place
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
        END >= -1e-9 - LN({% if named is not none %}CASE WHEN position || ' ' || kind IN (''{% for name in named %},
            {{ name | literal }}{% endfor %}) THEN 1e-2 ELSE 1e-6 END{% else %}1e-6{% endif %})
    END AS likely
FROM found
ORDER BY position, kind

-- name: some_cells
-- The records of a deterministic sample of the values of a column: all records of a value or none.
--
-- parameter source: relation, the records
-- parameter column: column, whose values are chosen
-- parameter one_in: integer, about one value in this many is sampled
(SELECT {{ column | identifier }} FROM {{ source | relation }}
    WHERE HASH({{ column | identifier }}) % {{ one_in | literal }} = 0)

-- name: held_texts
-- What values hold, a row each: the texts, numbers and names of fields of lists, structures, maps and JSON.
--
-- definition: a text that is no JSON and no fields as Python writes them is one value
-- parameter source: relation, the records
-- parameter column: column, that is taken apart
(
    SELECT UNNEST(CASE
        WHEN cell LIKE '{' || '%' OR cell LIKE '[%' THEN
-- include: texts_of_cell, CELL: cell
        ELSE [cell]
    END) AS {{ column | identifier }}
    FROM (
        SELECT COALESCE(
            CAST(TRY_CAST({{ column | identifier }} AS JSON) AS VARCHAR), CAST({{ column | identifier }} AS VARCHAR)
        ) AS cell
        FROM {{ source | relation }}
    ) AS written
)
