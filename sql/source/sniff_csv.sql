-- sniff_csv
-- What DuckDB detects of a text file with separated values.
--
-- portable: no
--
-- parameter path: text, the file, glob characters escaped
-- parameter arguments: options, what is known already, and how many records are looked at
SELECT
    Delimiter AS "delimiter",
    Quote AS "quote",
    Escape AS "escape",
    SkipRows AS "skipped",
    HasHeader AS "header",
    Columns AS "columns",
    DateFormat AS "date_format",
    TimestampFormat AS "timestamp_format"
FROM sniff_csv({{ path | literal }}{{ arguments | options }})
