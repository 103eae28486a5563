"""Reports on results, in all their forms."""
