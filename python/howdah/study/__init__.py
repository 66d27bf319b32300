"""Studies: which runs a matrix asks for, and which is next."""
