"""Clusters that run: reached through a laboratory or a configuration, and the jars that reach them."""
