-- sqlite_classes
-- What each column of an SQLite table holds, in SQLite's own dialect: SQLite lets every value have a type of its own.
--
-- definition: the storage classes in use, and how many whole numbers do not fit a DOUBLE
-- portable: no
--
-- parameter source: relation, the table
-- parameter columns: columns, some of its columns
SELECT
{% for column in columns %}
    GROUP_CONCAT(DISTINCT TYPEOF({{ column | identifier }})),
    SUM(TYPEOF({{ column | identifier }}) = 'integer' AND {{ column | identifier }} NOT BETWEEN -9007199254740992 AND 9007199254740992){% if not loop.last %},{% endif %}

{% endfor %}
FROM {{ source | relation }}
