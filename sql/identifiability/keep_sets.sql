-- keep_sets
-- Keeps the tier's sets: larger ones are made of them.
--
-- portable: no
--
-- parameter begin: integer, 1 for the first tier
{% if begin %}
CREATE OR REPLACE TEMP TABLE sets AS SELECT * FROM tier
{% else %}
INSERT INTO sets SELECT * FROM tier
{% endif %}
