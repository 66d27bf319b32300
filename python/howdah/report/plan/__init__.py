"""A plan as terminal text and as a page."""
