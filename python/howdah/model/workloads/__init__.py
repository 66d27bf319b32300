"""What is run: one module for each family of programs, and the list of them all."""
