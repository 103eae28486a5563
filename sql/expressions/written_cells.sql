-- written_cells
-- Numbers and days of text columns in forms that the engine does not read.
--
-- source: our own
-- runs: finish
--
-- parameter text: expression, a text as present_text gives it; for present_text, as cell_text gives it
-- parameter kind: expression, the type that values are read as

-- name: cell_text
-- A text without surrounding blanks, with the ASCII characters for full-width digits and signs.
--
-- parameter column: column, of texts or whole numbers
-- parameter wide: text, the characters to replace
-- parameter narrow: text, the ASCII character for each of them
CASE
    WHEN STRLEN(CAST({{ column | identifier }} AS VARCHAR)) > LENGTH(CAST({{ column | identifier }} AS VARCHAR))
    THEN TRIM(TRANSLATE(CAST({{ column | identifier }} AS VARCHAR), {{ wide | literal }}, {{ narrow | literal }}))
    ELSE TRIM(CAST({{ column | identifier }} AS VARCHAR))
END

-- name: present_text
-- A text; NULL if it means a missing value.
--
-- missing: stays missing
--
-- takes: text
-- parameter missing: texts, those that mean a missing value
CASE
    -- The engine makes a join for each column from an IN of five texts, and such an IN from LIST_CONTAINS.
    WHEN LIST_POSITION({{ missing | literal }}, {{ text | expression }}) > 0 THEN NULL
    ELSE {{ text | expression }}
END

-- name: number_cell
-- The number in a text with thousands separators, a decimal comma, a currency or a unit.
--
-- definition: the digits and the decimal sign without other characters; negative with a minus or in parentheses
-- missing: stays missing
--
-- takes: text, kind
-- parameter decimal: text or none, the decimal sign; none if the engine reads the text itself
-- parameter dropped: text, pattern of the characters to remove
{% if decimal is none %}
TRY_CAST({{ text | expression }} AS {{ kind | expression }})
{% else %}
TRY_CAST(CONCAT(
    CASE WHEN REGEXP_MATCHES({{ text | expression }}, '^[^0-9]*[-(\x{25B2}\x{25B3}]') THEN '-' ELSE '' END,
    REPLACE(REGEXP_REPLACE({{ text | expression }}, {{ dropped | literal }}, '', 'g'), {{ decimal | literal }}, '.')
) AS {{ kind | expression }})
{% endif %}

-- name: matching_cell
-- The value of a text that matches a pattern, else missing.
--
-- missing: stays missing
--
-- takes: text
-- parameter pattern: text, the pattern
-- parameter cell: expression, the value
CASE WHEN REGEXP_MATCHES({{ text | expression }}, {{ pattern | literal }}) THEN {{ cell | expression }} END

-- name: day_parts
-- The year, the month, the day and the time in a text, each as a text; empty if it is not there.
--
-- takes: text
-- parameter pattern: text, with a group for each part
-- parameter names: texts, the names of the parts in the order of their groups
REGEXP_EXTRACT({{ text | expression }}, {{ pattern | literal }}, {{ names | literal }})

-- name: day_cell
-- The day or the moment in a text.
--
-- definition: the year of an era is added to the year before its first; two digits are a year of the hundred that end
--   with the pivot; a missing part is the first: 2012-08 is the first of August
-- missing: stays missing
--
-- takes: kind
-- parameter parts: expression, as day_parts gives them
-- parameter year: text, the form of the year: four, two or era
-- parameter pivot: integer or none, the last year that two digits can mean
-- parameter partial: flag, the month or the day can be missing
-- parameter months: texts or none, names of months, twelve after twelve; none where months are numbers
-- parameter clock: flag, there is a time of day
-- parameter zone: flag, there is a time zone
TRY_CAST(CONCAT(
{% if year == 'two' %}
    -- A text of another form has no year, and no century either.
    {{ pivot | literal }} // 100 - CASE
        WHEN TRY_CAST(({{ parts | expression }}).y AS INTEGER) > {{ pivot | literal }} % 100 THEN 1
        WHEN ({{ parts | expression }}).y <> '' THEN 0
    END,
    ({{ parts | expression }}).y,
{% elif year == 'era' %}
    TRY_CAST(REPLACE(({{ parts | expression }}).y, CHR(20803), '1') AS INTEGER)
    + CASE UPPER(LEFT(({{ parts | expression }}).e, 1))
        WHEN 'M' THEN 1867 WHEN CHR(26126) THEN 1867
        WHEN 'T' THEN 1911 WHEN CHR(22823) THEN 1911
        WHEN 'S' THEN 1925 WHEN CHR(26157) THEN 1925
        WHEN 'H' THEN 1988 WHEN CHR(24179) THEN 1988
        WHEN 'R' THEN 2018 WHEN CHR(20196) THEN 2018
    END,
{% else %}
    ({{ parts | expression }}).y,
{% endif %}
    '-',
{% if months is not none %}
    (LIST_POSITION({{ months | literal }}, LOWER(STRIP_ACCENTS(({{ parts | expression }}).m))) - 1) % 12 + 1,
{% elif partial %}
    COALESCE(NULLIF(({{ parts | expression }}).m, ''), '1'),
{% else %}
    -- Each part once: the time to plan repeated parts grows with the square of the columns.
    ({{ parts | expression }}).m,
{% endif %}
    '-',
{% if partial %}
    COALESCE(NULLIF(({{ parts | expression }}).d, ''), '1')
{% else %}
    ({{ parts | expression }}).d
{% endif %}
{% if clock %}
    , ' ',
    CASE
        WHEN ({{ parts | expression }}).p = '' THEN TRY_CAST(({{ parts | expression }}).h AS INTEGER)
        WHEN TRY_CAST(({{ parts | expression }}).h AS INTEGER) BETWEEN 1 AND 12
        THEN TRY_CAST(({{ parts | expression }}).h AS INTEGER) % 12
            + CASE WHEN LOWER(LEFT(({{ parts | expression }}).p, 1)) = 'p' THEN 12 ELSE 0 END
        ELSE 99
    END,
    ':', ({{ parts | expression }}).i, ':', COALESCE(NULLIF(({{ parts | expression }}).s, ''), '00')
{% endif %}
{% if zone %}
    , ({{ parts | expression }}).z
{% endif %}
) AS {{ kind | expression }})

-- name: counted_day_cell
-- The day that a spreadsheet stores as a number: 1 is the first of January 1900.
--
-- definition: 60 is the 29th of February 1900, which did not exist; days from 61 on count from 1899-12-30
-- missing: stays missing
--
-- takes: text
CASE
    WHEN TRY_CAST({{ text | expression }} AS INTEGER) BETWEEN 61 AND 2958465
    THEN DATE '1899-12-30' + TRY_CAST({{ text | expression }} AS INTEGER)
END
