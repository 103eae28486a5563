"""What is said of releases of purchase histories under pseudonyms."""
