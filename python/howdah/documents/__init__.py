"""The documents people keep: inventories, plans and probed hosts, read with line and column, and written."""
