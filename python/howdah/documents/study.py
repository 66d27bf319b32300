"""Studies as files."""

from __future__ import annotations

from pathlib import Path

from howdah.documents.read import read_document
from howdah.model.study import Study

_KIND = "a study"
_HINT = "give a study, study.yaml for instance: see docs/study.md"


def read_study(path: Path) -> Study:
    """The study in a file; raises UserError that names every fault at its line and column."""
    return read_document(path, Study, _KIND, _HINT)
