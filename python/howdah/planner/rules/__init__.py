"""The rules, one module for each subject, and the literature they rest on."""
