"""How the files of a configuration must agree: one value for each name, in files that its readers read."""
