-- cost_of_share
-- What it costs to cover a share of all values: its square root, or its logarithm where classes count people.

{% if people %}
(LN(1 + 1000 * (<share>)) / LN(1001))
{% else %}
SQRT(<share>)
{% endif %}
