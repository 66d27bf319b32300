"""Plans for real hosts made small enough for a laboratory on one machine."""
