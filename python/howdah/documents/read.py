"""A YAML file as a model, or one error that names every fault at its line and column."""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from howdah.documents.tree import Fault, Keys, Mark, Tree, error_of, read_text, read_tree
from howdah.hadoop.config_files import foreign_file
from howdah.model.base import Model, WrongValue
from howdah.model.inventory import FORMAT
from howdah.model.wrong_values import explained, shown


def key_of(model: type[BaseModel], field: str) -> str:
    """The field's key in a document."""
    return model.model_fields[field].alias or field


def model_at(model: type[BaseModel], path: Keys) -> type[BaseModel] | None:
    """The class of the mapping at a path; None if there is no mapping of a class."""
    here: type[BaseModel] | None = model
    for step in path:
        if isinstance(step, int) or here is None:
            continue  # a list's entries are of the class that the list's key names
        fields = [field for name, field in here.model_fields.items() if step in (name, field.alias)]
        here = _model_in(fields[0].annotation) if fields else None
    return here


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((model for inner in get_args(annotation) if (model := _model_in(inner))), None)


@cache
def meanings(model: type) -> Mapping[str, str]:
    """The comments behind a class's own fields, or docstrings below them, a line each, by the fields' names.

    They are read from the source, once for each class: Python itself does not keep them.
    """
    source = textwrap.dedent(inspect.getsource(model))
    node = ast.parse(source).body[0]
    body = node.body if isinstance(node, ast.ClassDef) else []
    return dict(_field_texts(body, source.encode().split(b"\n")))


def _field_texts(body: Sequence[ast.stmt], lines: Sequence[bytes]) -> Iterator[tuple[str, str]]:
    for field, below in pairwise((*body, ast.Pass())):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, " ".join(text.split())
            case ast.AnnAssign(target=ast.Name(id=name), end_lineno=int(line), end_col_offset=int(column)), _:
                if comment := lines[line - 1][column:].decode().partition("# ")[2]:
                    yield name, comment


def faults_of(model: type[BaseModel], tree: Tree, error: ValidationError) -> tuple[Fault, ...]:
    """Every error of pydantic's as a fault; what fits none of several types is one fault."""
    details = error.errors(include_url=False)
    # A misspelt key is one fault, not an unknown key and a missing one.
    meant = {
        (*detail["loc"][:-1], near)
        for detail in details
        if detail["type"] == "extra_forbidden"
        for near in _nearest(_keys_at(model, detail["loc"]), str(detail["loc"][-1]))
    }
    return tuple(
        {
            _fault(model, tree, detail): None
            for detail in details
            if detail["type"] != "missing" or detail["loc"] not in meant
        }
    )


def _fault(model: type[BaseModel], tree: Tree, detail: ErrorDetails) -> Fault:
    kind, loc = detail["type"], detail["loc"]
    path = _real(tree, loc)
    if kind == "missing":
        problem, hint = _missing(model, path, str(loc[-1]))
    elif kind == "extra_forbidden":
        return _unknown(model, tree, path)
    elif kind == "value_error" and isinstance(wrong := detail.get("ctx", {}).get("error"), WrongValue):
        path = _real(tree, (*path, *wrong.at))
        problem, hint = wrong.what, wrong.hint
    elif loc != path:
        # The document's own path is followed by the name of one of several types that it may have.
        problem = f"{shown(tree.at(path))} does not fit"
        hint = "a number, a text, true, false or a list of texts"
    else:
        problem, hint = explained(detail)
    return Fault(tree.mark(path), path, problem, hint)


def _real(tree: Tree, loc: Keys) -> Keys:
    """The part of pydantic's location that is in the document."""
    path: Keys = ()
    for step in loc:
        if (*path, step) not in tree.values:
            break
        path = (*path, step)
    return path


def _missing(model: type[BaseModel], path: Keys, key: str) -> tuple[str, str]:
    """What a missing key is for, in the words of its class."""
    owner = model_at(model, path)
    texts: Mapping[str, str] = meanings(owner) if owner is not None else {}
    meaning = next((texts[field] for field in texts if owner and key_of(owner, field) == key), "")
    return f"{key} is missing", f"add `{key}:` – {meaning[:1].lower()}{meaning[1:]}"


def _unknown(model: type[BaseModel], tree: Tree, path: Keys) -> Fault:
    keys = _keys_at(model, path)
    near = _nearest(keys, str(path[-1]))
    hint = f"do you mean {near[0]}?" if near else f"known here: {', '.join(keys)}"
    return Fault(tree.keys.get(path, tree.mark(path)), path, "is an unknown key", hint)


def _keys_at(model: type[BaseModel], path: Keys) -> tuple[str, ...]:
    """The keys that the mapping around a path may have."""
    owner = model_at(model, path[:-1])
    return tuple(key_of(owner, field) for field in owner.model_fields) if owner is not None else ()


@lru_cache(maxsize=1024)
def _nearest(keys: tuple[str, ...], key: str) -> list[str]:
    """The known key that a misspelt one is most like; none if it is like none."""
    return get_close_matches(key, keys, n=1, cutoff=0.6)


AnyModel = TypeVar("AnyModel", bound=BaseModel)

_KINDS = {
    "a plan": frozenset({"platform", "workers", "settings"}),
    "an inventory": frozenset({"groups"}),
    "a calibration": frozenset({"calibration", "parameters"}),
    "a site": frozenset({"machines", "ssh"}),
    "the probe of a host": frozenset({"cpu", "memory", "file_systems"}),
}  # What howdah's documents are, by keys that only they have.


class DocumentKind(NamedTuple, Generic[AnyModel]):
    """What a file may be: the model that it is read as."""

    name: str  # ``an inventory``.
    hint: str  # What to give if a file is something else.
    model: type[AnyModel]
    parts: tuple[type[BaseModel], ...] = ()  # The models within it that its schema describes.

    def read(self, path: Path) -> AnyModel:
        """What is in a file; raises UserError that names every fault at its line and column."""
        return self.parse(read_text(path, self.hint), str(path))

    def parse(self, text: str, file: str) -> AnyModel:
        """What is in a text that is, or is to be, the content of ``file``; raises UserError."""
        result, faults = self._validated(text)
        if result is None:
            raise error_of(file, faults)
        return result

    def faults(self, text: str) -> tuple[Fault, ...]:
        """Everything that is wrong with a text, each fault at its place; nothing if it is right."""
        return self._validated(text)[1]

    def schema(self) -> str:
        """JSON Schema, draft 2020-12, with the words of the classes."""
        schema = self.model.model_json_schema()
        _describe(schema, self.model)
        for model in self.parts:
            for owner in model.__mro__:
                # The words on inherited fields are in the class that defines them.
                if issubclass(owner, Model):
                    _describe(schema["$defs"][model.__name__], owner)
        title = f"howdah {self.name.split()[-1]}"
        head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
        return json.dumps(head | {key: schema[key] for key in schema if key not in head}, indent=2) + "\n"

    def _validated(self, text: str) -> tuple[AnyModel | None, tuple[Fault, ...]]:
        """The text as a model, or every fault that it has."""
        if foreign := foreign_file(text):
            # Its lines are no keys of ours that are misspelt.
            return None, (Fault(Mark(1, 1), (), f"is {foreign.what}, not {self.name}", foreign.hint),)
        tree = read_tree(text)
        faults = list(tree.faults)
        if tree.whole:
            if strange := self._strange(tree):
                return None, (strange,)
            try:
                result = self.model.model_validate(tree.data)
            except ValidationError as error:
                faults += faults_of(self.model, tree, error)
            else:
                if not faults:
                    return result, ()
        return None, tuple(sorted(faults))

    def _strange(self, tree: Tree) -> Fault | None:
        """Why the document is not of this kind at all, or of a version to come."""
        data: Any = tree.data
        problem = ""
        if data is None:
            problem = "is empty"
        elif not isinstance(data, dict):
            problem = f"is a {'list' if isinstance(data, list) else 'single value'}, not {self.name}"
        else:
            kinds = [name for name, keys in _KINDS.items() if keys <= data.keys()]
            if kinds and self.name not in kinds:
                problem = f"is {kinds[0]}, not {self.name}"
        if problem:
            return Fault(tree.mark(()), (), problem, self.hint)
        for path in (("howdah",), ("cluster", "howdah")):
            version = tree.at(path)
            if isinstance(version, int) and version > FORMAT:
                problem = f"format {version} is newer than this howdah supports ({FORMAT})"
                return Fault(tree.mark(path), path, problem, "read it with a newer howdah")
        return None


def _describe(schema: dict[str, Any], model: type[BaseModel]) -> None:
    for field, text in meanings(model).items():
        schema["properties"][key_of(model, field)]["description"] = text.replace("``", "`")
