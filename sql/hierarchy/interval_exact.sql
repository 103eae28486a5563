-- interval_exact
-- The interval of a whole or decimal number, as text: [30, 40[ holds 30 to 39.
--
-- definition: [m, m + width[ where m is the largest multiple of the width that is not above the number
-- source: hierarchies of intervals aligned at 0, as Incognito's for ages
-- missing: stays missing
-- portable: no
--
-- parameter column: expression, the number
-- parameter width: text, of the interval, above 0
-- parameter kind: expression, a type with room for the ends and as many places as the column
CASE WHEN {{ column | expression }} IS NOT NULL THEN CONCAT(
    '[',
    CAST({{ column | expression }} AS {{ kind | expression }}) - (CAST({{ column | expression }} AS {{ kind | expression }}) % CAST({{ width | literal }} AS {{ kind | expression }}) + CAST({{ width | literal }} AS {{ kind | expression }})) % CAST({{ width | literal }} AS {{ kind | expression }}),
    ', ',
    CAST({{ column | expression }} AS {{ kind | expression }}) - (CAST({{ column | expression }} AS {{ kind | expression }}) % CAST({{ width | literal }} AS {{ kind | expression }}) + CAST({{ width | literal }} AS {{ kind | expression }})) % CAST({{ width | literal }} AS {{ kind | expression }}) + CAST({{ width | literal }} AS {{ kind | expression }}),
    '['
) END
