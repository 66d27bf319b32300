"""The lab: a small data centre on one Linux machine with a plan's rendered files and real daemons."""
