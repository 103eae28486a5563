"""What a report says of the people who can be singled out: its words, sentences, tables and figures."""
