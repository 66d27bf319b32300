"""The JSON schemas of the files that users write, for editors that complete and check them."""

from __future__ import annotations

from typing import Literal

from howdah.documents.files import inventory_schema, site_schema, study_schema


def schema(document: Literal["inventory", "site", "study"]) -> str:
    """The schema of a kind of document (draft 2020-12)."""
    schemas = {"inventory": inventory_schema, "site": site_schema, "study": study_schema}
    return schemas[document]()
