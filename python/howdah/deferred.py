"""Modules that run when one of their names is first used.

With ``__getattr__ = deferred(__name__)`` in a package, ``from package import module`` imports nothing yet. A
command reports a mistyped flag before the libraries of its work are imported.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any


class Deferred(ModuleType):
    """Stands for a module until that is imported, and passes everything on to it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.__name__), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(import_module(self.__name__), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(import_module(self.__name__), name)


def deferred(package: str) -> Callable[[str], ModuleType]:
    """The ``__getattr__`` of a package, which has its modules deferred."""

    def module(name: str) -> ModuleType:
        if name.startswith("_") or find_spec(f"{package}.{name}") is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return Deferred(f"{package}.{name}")

    return module
