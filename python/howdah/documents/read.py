"""A YAML file as a model, or one error that names every fault at its line and column."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from howdah.documents.fault import Fault, Mark, error_of
from howdah.documents.text import read_text
from howdah.documents.tree import Tree, read_tree
from howdah.documents.validation import faults_of
from howdah.hadoop.foreign_files import foreign_file
from howdah.model.inventory import FORMAT

AnyModel = TypeVar("AnyModel", bound=BaseModel)

_KINDS = {
    "a plan": frozenset({"platform", "workers", "settings"}),
    "an inventory": frozenset({"groups"}),
    "a calibration": frozenset({"calibration", "parameters"}),
    "a site": frozenset({"machines", "ssh"}),
    "the probe of a host": frozenset({"cpu", "memory", "file_systems"}),
}
"""What howdah's documents are, by keys that only they have."""


def read_document(path: Path, model: type[AnyModel], kind: str, hint: str) -> AnyModel:
    """The file as a model; raises UserError that names every fault.

    ``kind`` says what it should be (``an inventory``), ``hint`` what to give where it is something else.
    """
    return parse_document(read_text(path, hint), str(path), model, kind, hint)


def parse_document(text: str, file: str, model: type[AnyModel], kind: str, hint: str) -> AnyModel:
    """The text as a model; raises UserError that names every fault in ``file``."""
    result, faults = read_whole(text, model, kind, hint)
    if result is None:
        raise error_of(file, faults)
    return result


def read_whole(
    text: str, model: type[AnyModel], kind: str, hint: str
) -> tuple[AnyModel | None, tuple[Fault, ...]]:
    """The text as a model, or every fault that it has."""
    if foreign := foreign_file(text):
        # Its lines are no keys of ours that are misspelt.
        return None, (Fault(Mark(1, 1), (), f"is {foreign.what}, not {kind}", foreign.hint),)
    tree = read_tree(text)
    faults = list(tree.faults)
    if tree.whole:
        if strange := _strange(tree, kind, hint):
            return None, (strange,)
        try:
            result = model.model_validate(tree.data)
        except ValidationError as error:
            faults += faults_of(model, tree, error)
        else:
            if not faults:
                return result, ()
    return None, tuple(sorted(faults))


def _strange(tree: Tree, kind: str, hint: str) -> Fault | None:
    """Why the document is not of this kind at all, or of a version to come."""
    data: Any = tree.data
    what = ""
    if data is None:
        what = "is empty"
    elif not isinstance(data, dict):
        what = f"is a {'list' if isinstance(data, list) else 'single value'}, not {kind}"
    else:
        kinds = [name for name, keys in _KINDS.items() if keys <= data.keys()]
        if kinds and kind not in kinds:
            what = f"is {kinds[0]}, not {kind}"
    if what:
        return Fault(tree.mark(()), (), what, hint)
    for path in (("howdah",), ("cluster", "howdah")):
        version = tree.at(path)
        if isinstance(version, int) and version > FORMAT:
            return Fault(
                tree.mark(path),
                path,
                f"format {version} is newer than this howdah supports ({FORMAT})",
                "read it with a newer howdah",
            )
    return None
