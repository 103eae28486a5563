-- rule_parameters
-- The parameters of association rules.

-- parameter source: relation, the records
-- parameter user: user, the column of the person behind a record; none takes each record as a person
-- parameter item: column, the purchased item
-- parameter basket: columns, the columns that with the person define a basket, such as day and time
-- parameter least_support: number, minimum support of a rule
-- parameter least_confidence: number, minimum confidence of a rule
