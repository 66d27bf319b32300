"""The figures of a comparison, one module each."""
