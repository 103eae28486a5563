-- as_parquet
-- What to select of a relation so that Parquet holds it; its columns are taken by position and named anew.
--
-- definition: a type that Parquet has not is written as text, which keeps different values different
-- portable: no
--
-- parameter names: columns, one new name a column
-- parameter texts: columns, the new names of those to be written as text
-- parameter wholes: columns, the new names of those to be written as whole numbers of 38 digits
{% for name in names %}
{% if name in texts %}
CAST(#{{ loop.index }} AS VARCHAR) AS {{ name | identifier }}{% if not loop.last %},{% endif %}

{% elif name in wholes %}
CAST(#{{ loop.index }} AS DECIMAL(38, 0)) AS {{ name | identifier }}{% if not loop.last %},{% endif %}

{% else %}
#{{ loop.index }} AS {{ name | identifier }}{% if not loop.last %},{% endif %}

{% endif %}
{% endfor %}
