"""The faults that a model finds in a document's data, in plain words at their places."""

from __future__ import annotations

from difflib import get_close_matches

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from howdah.documents.fault import Fault, Keys
from howdah.documents.fields import key_of, meanings, model_at
from howdah.documents.saying import say, shown
from howdah.documents.tree import Tree
from howdah.model.wrong import WrongValue


def faults_of(model: type[BaseModel], tree: Tree, error: ValidationError) -> tuple[Fault, ...]:
    """Every error of pydantic's as a fault; what fits none of several types is one fault."""
    details = error.errors(include_url=False)
    # A misspelt key is one fault, not an unknown key and a missing one.
    meant = {
        (*detail["loc"][:-1], near)
        for detail in details
        if detail["type"] == "extra_forbidden"
        for near in _nearest(_known(model, detail["loc"]), str(detail["loc"][-1]))
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
        what, hint = _missing(model, path, str(loc[-1]))
    elif kind == "extra_forbidden":
        return _unknown(model, tree, path)
    elif kind == "value_error" and isinstance(wrong := detail.get("ctx", {}).get("error"), WrongValue):
        path = _real(tree, (*path, *wrong.at))
        what, hint = wrong.what, wrong.hint
    elif loc != path:
        # Behind the document's own path stands the name of one of several types it might have had.
        what, hint = (
            f"{shown(tree.at(path))} does not fit",
            "a number, a text, true, false or a list of texts",
        )
    else:
        what, hint = say(detail)
    return Fault(tree.mark(path), path, what, hint)


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
    texts = meanings(owner) if owner is not None else {}
    meaning = next((texts[field] for field in texts if owner and key_of(owner, field) == key), "")
    return f"{key} is missing", f"add `{key}:` – {meaning[:1].lower()}{meaning[1:]}"


def _unknown(model: type[BaseModel], tree: Tree, path: Keys) -> Fault:
    known = _known(model, path)
    near = _nearest(known, str(path[-1]))
    hint = f"do you mean {near[0]}?" if near else f"known here: {', '.join(known)}"
    return Fault(tree.keys.get(path, tree.mark(path)), path, "is not a key howdah knows", hint)


def _known(model: type[BaseModel], path: Keys) -> list[str]:
    """The keys that the mapping around a path may have."""
    owner = model_at(model, path[:-1])
    return [key_of(owner, field) for field in owner.model_fields] if owner is not None else []


def _nearest(known: list[str], key: str) -> list[str]:
    """The known key that a misspelt one is most like; none if it is like none."""
    return get_close_matches(key, known, n=1, cutoff=0.6)
