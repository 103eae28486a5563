"""The forms of a document; nothing else knows them."""

#: So many rows of a listing each form shows, at most; what is left out is counted.
MOST_ROWS = {"terminal": 25, "markdown": 50, "html": 100, "notebook": 20}
