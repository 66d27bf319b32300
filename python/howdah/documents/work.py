"""What a cluster's jobs come to, as a file."""

from __future__ import annotations

from pathlib import Path

from howdah.documents.read import read_document
from howdah.documents.writing import write_document
from howdah.model.survey import Work


def read_work(path: Path) -> Work:
    """The work in a file; raises UserError that names every fault at its line and column."""
    return read_document(
        path, Work, "the work of a cluster", "give a file that `howdah inventory import` wrote"
    )


def write_work(work: Work) -> str:
    """The text that reads back as this work."""
    return write_document(work)
