"""Applications that ran without howdah: imported from histories, kept in one table, ranked and explained."""

from pathlib import Path

DEFAULT_JOBS_DIR = Path("jobs")
