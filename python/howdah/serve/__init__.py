"""Runs, studies, plans and predictions as a server's pages, live; the records stay the truth."""
