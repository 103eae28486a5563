-- household_members
-- The records with their household and their individual risk.
--
-- portable: no
--
-- parameter source: relation, the records
-- parameter household: column, of the record
-- parameter attributes: attributes, the quasi-identifiers, their tokens being missing cells
-- parameter missing: text, what a missing cell is
-- parameter size: column or none, of class_matches: the size in the population; none where the other size settles it
(
    WITH records AS (
        SELECT
            {{ household | identifier }} AS household,
            {% for attribute in attributes %}{{ attribute | value }} AS v{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %}

        FROM {{ source | relation }}
    ),
    classes AS (
        SELECT
{% for attribute in attributes %}
            known_classes.v{{ loop.index0 }},
{% endfor %}
            class_risks.risk
        FROM known_classes
        JOIN class_matches ON class_matches.class = known_classes.rowid AND class_matches.missing = {{ missing | literal }}
        JOIN class_risks
            ON class_risks.class_size = class_matches.class_size{% if size %} AND class_risks.population_size = class_matches.{{ size | identifier }}{% endif %}

        WHERE known_classes.records > 0
    )
    SELECT records.household, classes.risk
    FROM records
    JOIN classes
        ON {% for attribute in attributes %}(classes.v{{ loop.index0 }} IS NOT DISTINCT FROM records.v{{ loop.index0 }}){% if not loop.last %} AND {% endif %}{% endfor %}

)
