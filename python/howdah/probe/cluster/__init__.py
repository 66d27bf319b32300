"""A cluster that runs, read from its own daemons; nothing on it is changed."""
