"""Run directories: writing a record while its run goes, reading, listing, packing and unpacking."""
