"""Several clusters on the same hosts: what each has of them, and what they leave for another."""
