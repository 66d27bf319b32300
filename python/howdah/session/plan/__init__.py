"""From hosts to a plan and its files, and what exists compared with the same rules."""
