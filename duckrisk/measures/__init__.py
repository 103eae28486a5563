"""What is measured: risk of attributes, sets, classes and people, and what is disclosed."""
