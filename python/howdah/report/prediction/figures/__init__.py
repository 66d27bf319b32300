"""The figures of a prediction's pages."""
