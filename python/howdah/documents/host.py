"""Probed hosts as files."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError
from pydantic_core import from_json

from howdah.documents.read import parse_document
from howdah.documents.text import read_text
from howdah.model.host import Host

_HINT = "give a file that `howdah probe --output` or `howdah probe --json` wrote"


def read_host(path: Path) -> Host:
    """The host in a probe's YAML or JSON; raises UserError that names every fault at its line and column."""
    text = read_text(path, _HINT)
    if text.startswith("{"):
        try:
            return Host.model_validate(from_json(text, allow_inf_nan=False))
        except (ValueError, ValidationError):
            # JSON is YAML too, and YAML's reader tells where it is wrong.
            pass
    return parse_document(text, str(path), Host, "the probe of a host", _HINT)
