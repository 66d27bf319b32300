"""A study from its file through its runs to its paper."""
