"""One engine for attribute sets: what is asked of them, and how they are searched; see README.md."""
