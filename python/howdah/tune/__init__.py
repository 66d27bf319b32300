"""The search for a better specification than the rules decide."""
