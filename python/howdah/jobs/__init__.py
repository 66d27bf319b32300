"""Applications that ran without howdah: imported from histories, kept in one table, ranked and explained."""
