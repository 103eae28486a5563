"""What is released: treatment, advice towards a policy, comparison of releases."""
