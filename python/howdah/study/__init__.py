"""Studies: the cells of a matrix, the runs that are due, the cells that leave a race, and the directory."""
