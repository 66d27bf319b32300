"""Run directories: writing a record while its run goes, reading, listing, packing and unpacking."""

from howdah.store.archive import ARCHIVE_SUFFIX, export_run, import_run
from howdah.store.layout import new_run_id
from howdah.store.listing import RunSummary, find_run, list_runs
from howdah.store.reader import read_record, read_run
from howdah.store.writer import RunWriter

__all__ = [
    "ARCHIVE_SUFFIX",
    "RunSummary",
    "RunWriter",
    "export_run",
    "find_run",
    "import_run",
    "list_runs",
    "new_run_id",
    "read_record",
    "read_run",
]
