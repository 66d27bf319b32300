"""The laboratory: a small data centre on one Linux machine, of a plan's rendered files and real daemons."""
