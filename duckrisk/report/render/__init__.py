"""Render documents; no other package knows the forms."""

#: Rows of a listing in each form; a sentence below it counts the others.
MAX_ROWS = {"terminal": 25, "markdown": 50, "html": 100, "notebook": 20}
