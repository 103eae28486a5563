-- purchases_of_groups
-- The purchases of a history or a release with the attributes of the person whose record it was.
--
-- definition: a record of a release stands for the record of the original in the same place, and so for its user
-- missing: deleted records, and those of users that the master table does not know, are left out
-- portable: yes
--
-- parameter source: relation, the history or the release, record by record
-- parameter person: column, its column of users or pseudonyms
-- parameter original: relation, the history
-- parameter master: relation, the users and their attributes
-- parameter attributes: columns, of the master table
-- parameter table: column, the table that is made
CREATE OR REPLACE TEMP TABLE {{ table | identifier }} AS
SELECT
{% for attribute in attributes %}
    master.{{ attribute | identifier }} AS a{{ loop.index }},
{% endfor %}
    source.item AS item,
    source.price AS price,
    source.quantity AS quantity
FROM {{ source | relation }} AS source
JOIN {{ original | relation }} AS original ON original.record = source.record
JOIN {{ master | relation }} AS master ON master.user_id = original.user_id
WHERE source.{{ person | identifier }} IS NOT NULL
