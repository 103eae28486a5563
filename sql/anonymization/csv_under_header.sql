-- csv_under_header
-- How a CSV file is written under a header of ours: the engine numbers names that differ in case.
--
-- portable: no
--
-- parameter header: text, the first line with its end
-- parameter end: text, the end of the last line
FORMAT csv, HEADER false, PREFIX {{ header | literal }}, SUFFIX {{ end | literal }}
