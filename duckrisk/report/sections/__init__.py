"""What each report tells: a module makes the document of one result."""
