"""Libraries that only some commands need, which users install as extras of the package.

A module that needs one imports it inside ``with extra(...)``, as close to its use as possible, so that
other commands neither load it nor require it. A command that works long before calls ``check_extras``.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata

from howdah.errors import MissingExtra

_REQUIREMENT = re.compile(r"([^;]+?)\s*;.*\bextra == ['\"]([^'\"]+)['\"]")
_NAME = re.compile(r"[\w.-]+")


@contextmanager
def extra(name: str, where: str, *, note: str = "") -> Iterator[None]:
    """Import libraries of an extra; a missing one raises MissingExtra, which shows what installs them.

    ``where`` is the command, flag or page that needs them, and ``note`` is added to the hint.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtra(
            where, f"needs the extra `{name}`, which is not installed", install_command(name) + note
        ) from error


def check_extras(where: str, *names: str) -> None:
    """Raise MissingExtra for an extra that is not installed; nothing is imported."""
    for name in names:
        with extra(name, where):
            for requirement in requirements(name):
                package = _NAME.match(requirement)
                assert package is not None
                metadata.distribution(package[0])


def install_command(name: str) -> str:
    """The command line that installs an extra next to howdah."""
    return f"pip install {' '.join(map(shlex.quote, requirements(name)))}"


def requirements(name: str) -> list[str]:
    """The libraries of an extra as pip reads them."""
    parts = [_REQUIREMENT.fullmatch(line) for line in metadata.requires("howdah") or ()]
    return [part[1] for part in parts if part is not None and part[2] == name]
