"""A study as a paper: its question, what follows, and everything that it rests on."""
