"""One XML configuration file, for a check."""

from __future__ import annotations

from pathlib import Path

from howdah.audit.text_file import read_bytes
from howdah.errors import NoConfiguration
from howdah.model.found import FoundProperty
from howdah.services.secrets import shown_value
from howdah.services.site_file import read_site


def read_xml(path: Path, name: str) -> tuple[FoundProperty, ...] | None:
    """The properties of a file, which the result calls ``name``; None if it is no Hadoop configuration.

    Raises UserError with the line and column for what is not well-formed or refers to other files.
    """
    try:
        return tuple(
            FoundProperty(
                name=one.name,
                text=shown_value(one.name, one.text),
                file=name,
                line=one.line,
                final=one.final,
            )
            for one in read_site(read_bytes(path), str(path))
        )
    except NoConfiguration:
        return None
