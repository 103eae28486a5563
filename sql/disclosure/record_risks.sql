-- record_risks
-- Two risks as a relation of one row.
--
-- portable: yes
--
-- parameter average_risk: number or none, of the mean record
-- parameter highest_risk: number or none, of the record that is found most easily
(SELECT CAST({{ average_risk | literal }} AS DOUBLE) AS average_risk, CAST({{ highest_risk | literal }} AS DOUBLE) AS highest_risk)
