-- prefix
-- The first characters of a text or code.
--
-- definition: the first n characters of the value written as text
-- source: PWS Cup 2017 (item codes cut to two characters); coarser knowledge, an extension of Ito
-- portable: yes
--
-- parameter column: expression, any column
-- parameter argument: integer, n, how many characters are known
SUBSTR(CAST({{ column | expression }} AS STRING), 1, {{ argument | literal }})
