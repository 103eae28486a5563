-- domain_settle
-- What the examined nodes tell of the others: above a k-anonymous one all are, below another one none is.
--
-- source: LeFevre et al., Incognito, SIGMOD 2005
-- portable: no
--
-- parameter heights: integers, the level of each root
CREATE OR REPLACE TEMP TABLE quasi_nodes AS
WITH told AS (
    SELECT nodes.node, BOOL_OR(found) AS found
    FROM quasi_nodes AS nodes
    JOIN quasi_examined AS examined ON
        CASE
            WHEN found THEN {% for height in heights %}nodes.l{{ loop.index0 }} >= examined.l{{ loop.index0 }}{% if not loop.last %} AND {% endif %}{% endfor %}

            ELSE {% for height in heights %}nodes.l{{ loop.index0 }} <= examined.l{{ loop.index0 }}{% if not loop.last %} AND {% endif %}{% endfor %}

        END
    WHERE nodes.anonymous IS NULL
    GROUP BY nodes.node
)
SELECT nodes.* REPLACE (COALESCE(anonymous, found) AS anonymous)
FROM quasi_nodes AS nodes
LEFT JOIN told USING (node)
