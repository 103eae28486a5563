"""Item-based collaborative filtering: how alike items are, and what a release changes of it."""
