"""Who is singled out by how many facts."""
