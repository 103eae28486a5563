-- direct_identifiers
-- Which kinds of direct identifiers a column holds, found by what its cells look like and by their check digits.
--
-- definition: a cell has the shape of a kind where all of it matches the pattern of that kind, and is valid where
--   also its check digits are right, or its kind has none. Blanks, hyphens, dots and brackets between digits do not
--   count; full-width digits are digits. by_chance = valid cells to be expected of arbitrary digits of that shape.
-- source: e-mail, RFC 5321; telephone, E.123 and national habits; cards, ISO/IEC 7812 with Luhn's check digit; My
--   Number, Japanese ministerial order 85 of 2014, article 5; IBAN, ISO 13616 with ISO 7064; vehicle identification
--   number, ISO 3779 with the check digit of 49 CFR 565; the list of HIPAA, 45 CFR 164.514(b)(2)
-- missing: an empty or missing cell is none of the present ones.
-- read: valid cells far above by_chance are identifiers. A column of other numbers of that length has about by_chance
--   valid ones. A name, a photograph or a medical record number has no shape that this could know.
-- portable: no
--
-- parameter source: relation, the records
-- parameter column: column, whose cells are looked at
--
-- column kind: VARCHAR, name, of the identifier
-- column present_cells: BIGINT, cells, that hold something
-- column shaped_cells: BIGINT, cells, with the shape of the kind
-- column valid_cells: BIGINT, cells, of them with right check digits
-- column valid_values: BIGINT, values, different ones in valid cells
-- column by_chance: DOUBLE, cells, that would be valid by chance; as many as shaped where there is no check digit
WITH known AS (
    SELECT CAST({{ column | identifier }} AS VARCHAR) AS written
    FROM {{ source | relation }}
),
kinds AS (
    SELECT kind, chance
    FROM (
        VALUES
            ('e-mail address', 1.0),
            ('telephone number', 1.0),
            ('payment card number', 0.1),
            ('My Number', 1.0 / 11),
            ('bank account (IBAN)', 1.0 / 97),
            ('vehicle identification number', 1.0 / 11),
            ('US social security number', 1.0),
            ('postal code', 1.0),
            ('web address', 1.0),
            ('network address', 1.0),
            ('device address (MAC)', 1.0),
            ('device number (IMEI)', 0.1),
            ('full date', 1.0)
    ) AS listed (kind, chance)
),
texts AS (
    SELECT TRANSLATE(
            TRIM(written),
            CHR(65296) || CHR(65297) || CHR(65298) || CHR(65299) || CHR(65300) || CHR(65301) || CHR(65302)
            || CHR(65303) || CHR(65304) || CHR(65305) || CHR(65293) || CHR(65291) || CHR(12288),
            '0123456789-+ '
        ) AS written, COUNT(*) AS cells
    FROM known
    WHERE TRIM(written) <> ''
    GROUP BY 1
),
digits AS (
    SELECT
        written,
        cells,
        LENGTH(written) <= 254 AS short,
        REGEXP_REPLACE(written, '[ .()\-]', '', 'g') AS packed,
        REGEXP_FULL_MATCH(written, '\+?[0-9 .()\-]+') AS numeric
    FROM texts
),
-- The digits of a number from its last to its first.
backwards AS (
    SELECT
        written,
        cells,
        short,
        packed,
        numeric,
        CASE
            WHEN numeric AND REGEXP_FULL_MATCH(packed, '[0-9]{9,19}')
                THEN LIST_TRANSFORM(STRING_SPLIT(REVERSE(packed), ''), lambda digit: CAST(digit AS INTEGER))
        END AS places,
        CASE
            WHEN REGEXP_FULL_MATCH(UPPER(packed), '[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}')
                THEN STRING_SPLIT(UPPER(SUBSTRING(packed, 5) || SUBSTRING(packed, 1, 4)), '')
        END AS bank_signs,
        CASE
            WHEN REGEXP_FULL_MATCH(UPPER(written), '[A-HJ-NPR-Z0-9]{17}')
                AND REGEXP_MATCHES(UPPER(written), '[A-Z]') AND REGEXP_MATCHES(written, '[0-9]')
                THEN STRING_SPLIT(UPPER(written), '')
        END AS vehicle_signs
    FROM digits
),
checks AS (
    SELECT
        written,
        cells,
        short,
        packed,
        numeric,
        LIST_SUM(LIST_TRANSFORM(
            places,
            lambda digit, place: CASE WHEN place % 2 = 1 THEN digit WHEN digit < 5 THEN 2 * digit ELSE 2 * digit - 9 END
        )) % 10 = 0 AS card_fits,
        11 - LIST_SUM(LIST_TRANSFORM(
            places,
            lambda digit, place: CASE WHEN place = 1 THEN 0 WHEN place <= 7 THEN digit * place ELSE digit * (place - 6) END
        )) % 11 AS my_number,
        places[1] AS last,
        LIST_REDUCE(
            LIST_TRANSFORM(
                bank_signs,
                lambda sign: CASE WHEN sign <= '9' THEN CAST(TRY_CAST(sign AS INTEGER) AS BIGINT) ELSE CAST(ASCII(sign) - 55 AS BIGINT) END
            ),
            lambda so_far, sign: (so_far * CASE WHEN sign > 9 THEN 100 ELSE 10 END + sign) % 97
        ) AS bank_rest,
        LIST_SUM(LIST_TRANSFORM(
            vehicle_signs,
            lambda sign, place: [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2][place]
                * CAST('0123456789.12345678012345070923456789'[STRPOS('0123456789.ABCDEFGHIJKLMNOPQRSTUVWXYZ', sign)] AS INTEGER)
        )) % 11 AS vehicle_rest,
        vehicle_signs[9] AS vehicle_check
    FROM backwards
),
shapes AS (
    SELECT 'e-mail address' AS kind, cells,
        short AND REGEXP_FULL_MATCH(written, '[^\s@<>"]{1,64}@([\w\-]+\.)+[\pL]{2,63}') AS shaped,
        TRUE AS valid
    FROM checks
    UNION ALL
    SELECT 'telephone number', cells,
        numeric AND (
            REGEXP_FULL_MATCH(written, '(\+[0-9]{1,3}[ .\-]?)(\(?[0-9]{1,5}\)?[ .\-]?){1,5}[0-9]{2,5}')
            OR REGEXP_FULL_MATCH(written, '0[0-9]{1,4}[ .\-][0-9]{1,5}[ .\-][0-9]{3,5}|0[5789]0[0-9]{8}')
            OR REGEXP_FULL_MATCH(written, '\(0?[0-9]{2,4}\)[ .\-]?[0-9]{3,4}[ .\-]?[0-9]{3,4}|[2-9][0-9]{2}[.\-][0-9]{3}[.\-][0-9]{4}')
        ) AND LENGTH(packed) BETWEEN 10 AND 16,
        TRUE
    FROM checks
    UNION ALL
    SELECT 'payment card number', cells,
        COALESCE(numeric AND REGEXP_FULL_MATCH(packed, '[2-6][0-9]{12,18}'), FALSE), card_fits
    FROM checks
    UNION ALL
    SELECT 'My Number', cells,
        COALESCE(numeric AND REGEXP_FULL_MATCH(packed, '[0-9]{12}'), FALSE),
        CASE WHEN my_number >= 10 THEN 0 ELSE my_number END = last
    FROM checks
    UNION ALL
    SELECT 'bank account (IBAN)', cells, bank_rest IS NOT NULL, bank_rest = 1
    FROM checks
    UNION ALL
    SELECT 'vehicle identification number', cells, vehicle_rest IS NOT NULL,
        CASE WHEN vehicle_rest = 10 THEN 'X' ELSE CAST(vehicle_rest AS VARCHAR) END = vehicle_check
    FROM checks
    UNION ALL
    SELECT 'US social security number', cells,
        REGEXP_FULL_MATCH(written, '[0-8][0-9]{2}-[0-9]{2}-[0-9]{4}'),
        NOT REGEXP_MATCHES(written, '^(000|666)|-00-|-0000$')
    FROM checks
    UNION ALL
    SELECT 'postal code', cells,
        REGEXP_FULL_MATCH(
            UPPER(written), '\x{3012}? ?[0-9]{3}-[0-9]{4}|[0-9]{5}-[0-9]{4}|[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][A-Z]{2}|[A-Z][0-9][A-Z] [0-9][A-Z][0-9]'
        ),
        TRUE
    FROM checks
    UNION ALL
    SELECT 'web address', cells, REGEXP_MATCHES(LOWER(written), '^(https?|ftp)://[^\s]+$|^www\.[^\s]+\.[^\s]+$'), TRUE
    FROM checks
    UNION ALL
    SELECT 'network address', cells,
        REGEXP_FULL_MATCH(written, '((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\.){3}(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])')
        OR REGEXP_FULL_MATCH(LOWER(written), '([0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|([0-9a-f]{1,4}:){1,7}:([0-9a-f]{1,4}(:[0-9a-f]{1,4}){0,5})?'),
        TRUE
    FROM checks
    UNION ALL
    SELECT 'device address (MAC)', cells,
        REGEXP_FULL_MATCH(LOWER(written), '([0-9a-f]{2}[:\-]){5}[0-9a-f]{2}'), TRUE
    FROM checks
    UNION ALL
    SELECT 'device number (IMEI)', cells,
        COALESCE(numeric AND REGEXP_FULL_MATCH(packed, '[0-9]{15}'), FALSE), card_fits
    FROM checks
    UNION ALL
    SELECT 'full date', cells,
        REGEXP_FULL_MATCH(written, '(1[89]|20)[0-9]{2}([-/.])(0?[1-9]|1[0-2])[-/.](0?[1-9]|[12][0-9]|3[01])( .*|T.*)?')
        OR REGEXP_FULL_MATCH(written, '(0?[1-9]|[12][0-9]|3[01])[-/.](0?[1-9]|1[0-2])[-/.](1[89]|20)[0-9]{2}|(0?[1-9]|1[0-2])/(0?[1-9]|[12][0-9]|3[01])/(1[89]|20)[0-9]{2}')
        OR REGEXP_FULL_MATCH(written, '(\x{660E}\x{6CBB}|\x{5927}\x{6B63}|\x{662D}\x{548C}|\x{5E73}\x{6210}|\x{4EE4}\x{548C}|[MTSHR])?[0-9\x{5143}]{1,4}\x{5E74} ?[0-9]{1,2}\x{6708} ?[0-9]{1,2}\x{65E5}'),
        TRUE
    FROM checks
)
SELECT
    kinds.kind,
    CAST(COALESCE(SUM(shapes.cells), 0) AS BIGINT) AS present_cells,
    CAST(COALESCE(SUM(CASE WHEN shapes.shaped THEN shapes.cells ELSE 0 END), 0) AS BIGINT) AS shaped_cells,
    CAST(COALESCE(SUM(CASE WHEN shapes.shaped AND shapes.valid THEN shapes.cells ELSE 0 END), 0) AS BIGINT) AS valid_cells,
    COUNT(CASE WHEN shapes.shaped AND shapes.valid THEN 1 END) AS valid_values,
    COALESCE(SUM(CASE WHEN shapes.shaped THEN shapes.cells ELSE 0 END), 0) * CAST(kinds.chance AS DOUBLE) AS by_chance
FROM kinds
LEFT JOIN shapes ON kinds.kind = shapes.kind
GROUP BY kinds.kind, kinds.chance
ORDER BY kinds.kind
