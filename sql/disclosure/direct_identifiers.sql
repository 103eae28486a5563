-- direct_identifiers
-- Which kinds of direct identifiers a column holds, asked of some of its values first.
--
-- source: the standards that direct_identifiers names
-- runs: finish
--
-- parameter source: relation, the records

-- name: direct_identifiers
-- Which kinds of direct identifiers a column holds, found by what its cells look like and by their check digits.
--
-- definition: a cell has the shape of a kind where all of it matches the pattern of that kind, and is valid where
--   also its check digits are right, or its kind has none. Blanks, hyphens, dots and brackets between digits do not
--   count; full-width digits are digits. by_chance = valid cells to be expected of arbitrary digits of that shape.
-- source: e-mail, RFC 5321; telephone, E.123 and national habits; cards, ISO/IEC 7812 with Luhn's check digit; My
--   Number, Japanese ministerial order 85 of 2014, article 5; IBAN, ISO 13616 with ISO 7064; vehicle identification
--   number, ISO 3779 with the check digit of 49 CFR 565; the list of HIPAA, 45 CFR 164.514(b)(2)
-- missing: an empty or missing cell is none of the present ones, by every rule for missing cells.
-- read: valid cells far above by_chance are identifiers. A column of other numbers of that length has about by_chance
--   valid ones. A name, a photograph or a medical record number has no shape that this could know.
--
-- parameter source: relation, the records
-- parameter column: column, whose cells are looked at
-- parameter missing_tokens: texts or none, that mean a missing cell too
--
-- column kind: VARCHAR, name, of the identifier
-- column present_cells: BIGINT, cells, that hold something
-- column shaped_cells: BIGINT, cells, with the shape of the kind
-- column valid_cells: BIGINT, cells, of them with right check digits
-- column valid_values: BIGINT, values, different ones in valid cells
-- column by_chance: DOUBLE, cells, that would be valid by chance; as many as shaped where there is no check digit
WITH cells AS (
    SELECT {{ column | identifier }} AS cell
    FROM {{ source | relation }}
),
-- A number with digits enough is whole where it is written as one with the place ".0".
different AS (
    SELECT
        CASE
            WHEN LENGTH(CAST(cell AS VARCHAR)) > 10 AND REGEXP_FULL_MATCH(CAST(cell AS VARCHAR), '[0-9]+\.0')
                THEN REPLACE(CAST(cell AS VARCHAR), '.0', '')
            ELSE TRIM(CAST(cell AS VARCHAR))
        END AS trimmed,
        COUNT(*) AS cells
    FROM cells
    GROUP BY cell
),
texts AS (
    SELECT
        CASE
            WHEN STRLEN(trimmed) = LENGTH(trimmed) THEN trimmed
            ELSE TRANSLATE(
                trimmed,
                CHR(65296) || CHR(65297) || CHR(65298) || CHR(65299) || CHR(65300) || CHR(65301) || CHR(65302)
                || CHR(65303) || CHR(65304) || CHR(65305) || CHR(65293) || CHR(65291) || CHR(12288),
                '0123456789-+ '
            )
        END AS written,
        cells
    FROM different
    WHERE trimmed <> ''{% if missing_tokens is not none %}{% for token in missing_tokens %} AND trimmed <> {{ token | literal }}{% endfor %}{% endif %}

),
totals AS (
    SELECT CAST(COALESCE(SUM(cells), 0) AS BIGINT) AS present_cells
    FROM texts
),
-- What has none of these signs has the shape of no kind.
digits AS (
    SELECT
        written,
        CAST(SUM(cells) AS BIGINT) AS cells,
        LENGTH(written) AS signs,
        CASE WHEN REGEXP_MATCHES(written, '[ .()\-]') THEN REGEXP_REPLACE(written, '[ .()\-]', '', 'g') ELSE written END AS packed,
        REGEXP_FULL_MATCH(written, '\+?[0-9 .()\-]+') AS numeric
    FROM texts
    WHERE REGEXP_MATCHES(written, '[0-9@:]|^[Ww][Ww][Ww]\.|^(..-){5}..$')
    GROUP BY written
),
-- The digits of a number from its last to its first.
backwards AS (
    SELECT
        written,
        cells,
        signs,
        packed,
        numeric,
        CASE
            WHEN numeric AND LENGTH(packed) BETWEEN 9 AND 19 AND SUBSTRING(packed, 1, 1) <> '+'
                THEN LIST_TRANSFORM(STRING_SPLIT(REVERSE(packed), ''), lambda digit: CAST(digit AS INTEGER))
        END AS places,
        CASE
            WHEN NOT numeric AND LENGTH(packed) BETWEEN 15 AND 34 AND REGEXP_FULL_MATCH(UPPER(packed), '[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}')
                THEN STRING_SPLIT(UPPER(SUBSTRING(packed, 5) || SUBSTRING(packed, 1, 4)), '')
        END AS bank_signs,
        CASE
            WHEN signs = 17 AND REGEXP_FULL_MATCH(UPPER(written), '[A-HJ-NPR-Z0-9]{17}')
                AND REGEXP_MATCHES(UPPER(written), '[A-Z]') AND REGEXP_MATCHES(written, '[0-9]')
                THEN STRING_SPLIT(UPPER(written), '')
        END AS vehicle_signs
    FROM digits
),
checks AS (
    SELECT
        written,
        cells,
        signs,
        packed,
        numeric,
        LEN(places) AS digits,
        CASE WHEN LEN(places) >= 13 THEN LIST_SUM(LIST_TRANSFORM(
            places,
            lambda digit, place: CASE WHEN place % 2 = 1 THEN digit WHEN digit < 5 THEN 2 * digit ELSE 2 * digit - 9 END
        )) % 10 = 0 END AS card_fits,
        CASE WHEN LEN(places) = 12 THEN 11 - LIST_SUM(LIST_TRANSFORM(
            places,
            lambda digit, place: CASE WHEN place = 1 THEN 0 WHEN place <= 7 THEN digit * place ELSE digit * (place - 6) END
        )) % 11 END AS my_number,
        places[1] AS last,
        CASE WHEN bank_signs IS NOT NULL THEN LIST_REDUCE(
            LIST_TRANSFORM(
                bank_signs,
                lambda sign: CASE WHEN sign <= '9' THEN CAST(TRY_CAST(sign AS INTEGER) AS BIGINT) ELSE CAST(ASCII(sign) - 55 AS BIGINT) END
            ),
            lambda so_far, sign: (so_far * CASE WHEN sign > 9 THEN 100 ELSE 10 END + sign) % 97
        ) END AS bank_rest,
        CASE WHEN vehicle_signs IS NOT NULL THEN LIST_SUM(LIST_TRANSFORM(
            vehicle_signs,
            lambda sign, place: [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2][place]
                * CAST('0123456789.12345678012345070923456789'[STRPOS('0123456789.ABCDEFGHIJKLMNOPQRSTUVWXYZ', sign)] AS INTEGER)
        )) % 11 END AS vehicle_rest,
        vehicle_signs[9] AS vehicle_check
    FROM backwards
),
-- A pattern is tried only where the length, or one sign, lets it match.
shapes AS (
    SELECT
        cells,
        -- Lengths are compared here, as an engine takes long to read a pattern that counts letters of all scripts.
        CASE WHEN signs <= 254 AND STRPOS(written, '@') BETWEEN 2 AND 65 AND LENGTH(STRING_SPLIT(written, '.')[-1]) <= 63
            THEN REGEXP_FULL_MATCH(written, '[^\s@<>"]+@([\w\-]+\.)+\pL\pL+') ELSE FALSE END AS mail,
        CASE WHEN numeric AND LENGTH(packed) BETWEEN 10 AND 16 THEN
            REGEXP_FULL_MATCH(written, '(\+[0-9]{1,3}[ .\-]?)(\(?[0-9]{1,5}\)?[ .\-]?){1,5}[0-9]{2,5}')
            OR REGEXP_FULL_MATCH(written, '0[0-9]{1,4}[ .\-][0-9]{1,5}[ .\-][0-9]{3,5}|0[5789]0[0-9]{8}')
            OR REGEXP_FULL_MATCH(written, '\(0?[0-9]{2,4}\)[ .\-]?[0-9]{3,4}[ .\-]?[0-9]{3,4}|[2-9][0-9]{2}[.\-][0-9]{3}[.\-][0-9]{4}')
            ELSE FALSE END AS telephone,
        COALESCE(digits >= 13 AND SUBSTRING(packed, 1, 1) BETWEEN '2' AND '6', FALSE) AS card,
        COALESCE(card_fits, FALSE) AS card_fits,
        COALESCE(digits = 12, FALSE) AS personal,
        COALESCE(CASE WHEN my_number >= 10 THEN 0 ELSE my_number END = last, FALSE) AS personal_fits,
        bank_rest IS NOT NULL AS bank,
        COALESCE(bank_rest = 1, FALSE) AS bank_fits,
        vehicle_rest IS NOT NULL AS vehicle,
        COALESCE(CASE WHEN vehicle_rest = 10 THEN 'X' ELSE CAST(vehicle_rest AS VARCHAR) END = vehicle_check, FALSE) AS vehicle_fits,
        CASE WHEN numeric AND signs = 11
            THEN REGEXP_FULL_MATCH(written, '[0-8][0-9]{2}-[0-9]{2}-[0-9]{4}') ELSE FALSE END AS social,
        CASE WHEN numeric AND signs = 11 THEN NOT REGEXP_MATCHES(written, '^(000|666)|-00-|-0000$') ELSE FALSE END AS social_fits,
        CASE WHEN signs BETWEEN 6 AND 10 THEN REGEXP_FULL_MATCH(
            UPPER(written), '\x{3012}? ?[0-9]{3}-[0-9]{4}|[0-9]{5}-[0-9]{4}|[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][A-Z]{2}|[A-Z][0-9][A-Z] [0-9][A-Z][0-9]'
        ) ELSE FALSE END AS postal,
        CASE WHEN CONTAINS(written, '://') OR CONTAINS(written, '.')
            THEN REGEXP_MATCHES(LOWER(written), '^(https?|ftp)://[^\s]+$|^www\.[^\s]+\.[^\s]+$') ELSE FALSE END AS web,
        CASE
            WHEN numeric AND signs BETWEEN 7 AND 15 THEN REGEXP_FULL_MATCH(
                written, '((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\.){3}(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
            )
            WHEN signs BETWEEN 3 AND 65 AND CONTAINS(written, ':') THEN REGEXP_FULL_MATCH(
                LOWER(written), '([0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|([0-9a-f]{1,4}:){1,7}:([0-9a-f]{1,4}(:[0-9a-f]{1,4}){0,5})?'
            )
            ELSE FALSE
        END AS network,
        CASE WHEN signs = 17 THEN REGEXP_FULL_MATCH(LOWER(written), '([0-9a-f]{2}[:\-]){5}[0-9a-f]{2}') ELSE FALSE END AS device,
        COALESCE(digits = 15, FALSE) AS imei,
        CASE
            WHEN SUBSTRING(written, 1, 2) IN ('18', '19', '20') AND REGEXP_FULL_MATCH(
                written, '(1[89]|20)[0-9]{2}([-/.])(0?[1-9]|1[0-2])[-/.](0?[1-9]|[12][0-9]|3[01])( .*|T.*)?'
            ) THEN TRUE
            WHEN signs BETWEEN 8 AND 10 AND REGEXP_FULL_MATCH(
                written, '(0?[1-9]|[12][0-9]|3[01])[-/.](0?[1-9]|1[0-2])[-/.](1[89]|20)[0-9]{2}|(0?[1-9]|1[0-2])/(0?[1-9]|[12][0-9]|3[01])/(1[89]|20)[0-9]{2}'
            ) THEN TRUE
            WHEN CONTAINS(written, CHR(26085)) THEN REGEXP_FULL_MATCH(
                written, '(\x{660E}\x{6CBB}|\x{5927}\x{6B63}|\x{662D}\x{548C}|\x{5E73}\x{6210}|\x{4EE4}\x{548C}|[MTSHR])?[0-9\x{5143}]{1,4}\x{5E74} ?[0-9]{1,2}\x{6708} ?[0-9]{1,2}\x{65E5}'
            )
            ELSE FALSE
        END AS dated
    FROM checks
),
kinds AS (
    SELECT UNNEST([
        {'kind': 'e-mail address', 'chance': CAST(1.0 AS DOUBLE), 'shaped': SUM(CASE WHEN mail THEN cells END), 'valid': SUM(CASE WHEN mail THEN cells END), 'different': COUNT(CASE WHEN mail THEN 1 END)},
        {'kind': 'telephone number', 'chance': CAST(1.0 AS DOUBLE), 'shaped': SUM(CASE WHEN telephone THEN cells END), 'valid': SUM(CASE WHEN telephone THEN cells END), 'different': COUNT(CASE WHEN telephone THEN 1 END)},
        {'kind': 'payment card number', 'chance': CAST(0.1 AS DOUBLE), 'shaped': SUM(CASE WHEN card THEN cells END), 'valid': SUM(CASE WHEN card AND card_fits THEN cells END), 'different': COUNT(CASE WHEN card AND card_fits THEN 1 END)},
        {'kind': 'My Number', 'chance': CAST(1.0 / 11 AS DOUBLE), 'shaped': SUM(CASE WHEN personal THEN cells END), 'valid': SUM(CASE WHEN personal AND personal_fits THEN cells END), 'different': COUNT(CASE WHEN personal AND personal_fits THEN 1 END)},
        {'kind': 'bank account (IBAN)', 'chance': CAST(1.0 / 97 AS DOUBLE), 'shaped': SUM(CASE WHEN bank THEN cells END), 'valid': SUM(CASE WHEN bank AND bank_fits THEN cells END), 'different': COUNT(CASE WHEN bank AND bank_fits THEN 1 END)},
        {'kind': 'vehicle identification number', 'chance': CAST(1.0 / 11 AS DOUBLE), 'shaped': SUM(CASE WHEN vehicle THEN cells END), 'valid': SUM(CASE WHEN vehicle AND vehicle_fits THEN cells END), 'different': COUNT(CASE WHEN vehicle AND vehicle_fits THEN 1 END)},
        {'kind': 'US social security number', 'chance': CAST(1.0 AS DOUBLE), 'shaped': SUM(CASE WHEN social THEN cells END), 'valid': SUM(CASE WHEN social AND social_fits THEN cells END), 'different': COUNT(CASE WHEN social AND social_fits THEN 1 END)},
        {'kind': 'postal code', 'chance': CAST(1.0 AS DOUBLE), 'shaped': SUM(CASE WHEN postal THEN cells END), 'valid': SUM(CASE WHEN postal THEN cells END), 'different': COUNT(CASE WHEN postal THEN 1 END)},
        {'kind': 'web address', 'chance': CAST(1.0 AS DOUBLE), 'shaped': SUM(CASE WHEN web THEN cells END), 'valid': SUM(CASE WHEN web THEN cells END), 'different': COUNT(CASE WHEN web THEN 1 END)},
        {'kind': 'network address', 'chance': CAST(1.0 AS DOUBLE), 'shaped': SUM(CASE WHEN network THEN cells END), 'valid': SUM(CASE WHEN network THEN cells END), 'different': COUNT(CASE WHEN network THEN 1 END)},
        {'kind': 'device address (MAC)', 'chance': CAST(1.0 AS DOUBLE), 'shaped': SUM(CASE WHEN device THEN cells END), 'valid': SUM(CASE WHEN device THEN cells END), 'different': COUNT(CASE WHEN device THEN 1 END)},
        {'kind': 'device number (IMEI)', 'chance': CAST(0.1 AS DOUBLE), 'shaped': SUM(CASE WHEN imei THEN cells END), 'valid': SUM(CASE WHEN imei AND card_fits THEN cells END), 'different': COUNT(CASE WHEN imei AND card_fits THEN 1 END)},
        {'kind': 'full date', 'chance': CAST(1.0 AS DOUBLE), 'shaped': SUM(CASE WHEN dated THEN cells END), 'valid': SUM(CASE WHEN dated THEN cells END), 'different': COUNT(CASE WHEN dated THEN 1 END)}
    ]) AS line
    FROM shapes
)
SELECT
    kinds.line.kind AS kind,
    totals.present_cells,
    CAST(COALESCE(kinds.line.shaped, 0) AS BIGINT) AS shaped_cells,
    CAST(COALESCE(kinds.line.valid, 0) AS BIGINT) AS valid_cells,
    CAST(kinds.line.different AS BIGINT) AS valid_values,
    COALESCE(kinds.line.shaped, 0) * CAST(kinds.line.chance AS DOUBLE) AS by_chance
FROM kinds
CROSS JOIN totals
ORDER BY kind

-- name: different_cells
-- The different cells of several columns as texts, one below the other.
-- takes: source
-- parameter columns: columns, whose cells these are
-- parameter one_in: integer, of so many values about one is taken, always the same ones; 1 takes all
-- parameter at_once: integer, 1 reads the records once and makes texts of all cells, which pays on small tables
{% if at_once %}
(SELECT UNNEST([{% for column in columns %}CAST({{ column | identifier }} AS VARCHAR){% if not loop.last %}, {% endif %}{% endfor %}]) AS cell FROM {{ source | relation }})
{% else %}
({% for column in columns %}{% if not loop.first %} UNION ALL {% endif %}SELECT DISTINCT CAST({{ column | identifier }} AS VARCHAR) AS cell FROM {{ source | relation }}{% if one_in > 1 %} WHERE HASH({{ column | identifier }}) % {{ one_in | literal }} = 0{% endif %}{% endfor %})
{% endif %}

-- name: some_cells
-- The records with some of the values of a column, always the same ones: all records of a value or none.
-- takes: source
-- parameter column: column, whose values are chosen
-- parameter one_in: integer, of so many values about one
(SELECT {{ column | identifier }} FROM {{ source | relation }} WHERE HASH({{ column | identifier }}) % {{ one_in | literal }} = 0)
