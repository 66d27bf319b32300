"""From hosts to a plan and its files, and what exists held against the same rules."""
