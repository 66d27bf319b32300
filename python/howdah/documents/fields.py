"""What is known of a model's keys: their names in a document and what their docstrings say."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, get_args

from pydantic import BaseModel

from howdah.documents.fault import Keys


def key_of(model: type[BaseModel], field: str) -> str:
    """The field's key in a document."""
    return model.model_fields[field].alias or field


def model_at(model: type[BaseModel], path: Keys) -> type[BaseModel] | None:
    """The class of the mapping at a path; None where there is no mapping of a class."""
    here: type[BaseModel] | None = model
    for step in path:
        if isinstance(step, int) or here is None:
            continue  # a list's entries are of the class that the list's key names
        found = [field for name, field in here.model_fields.items() if step in (name, field.alias)]
        here = _model_in(found[0].annotation) if found else None
    return here


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((model for inner in get_args(annotation) if (model := _model_in(inner))), None)


def meanings(model: type[BaseModel]) -> dict[str, str]:
    """The docstrings below a class's own fields, a line each, by the fields' names.

    They are read from the source: Python itself does not keep them.
    """
    tree = ast.parse(textwrap.dedent(inspect.getsource(model)))
    return dict(_docstrings(tree.body[0]))


def _docstrings(node: ast.stmt) -> Iterator[tuple[str, str]]:
    body = node.body if isinstance(node, ast.ClassDef) else []
    for field, below in pairwise(body):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, " ".join(text.split())
