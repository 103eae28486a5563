-- rule_parameters
-- The parameters of association rules.

-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter item: column, what was bought
-- parameter basket: columns, what makes a basket together with the person, such as day and time
-- parameter least_support: number, a rule has at least this support
-- parameter least_confidence: number, a rule has at least this confidence
