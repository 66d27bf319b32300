"""Data disks: one partition and one file system each, and what to buy."""
