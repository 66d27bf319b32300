"""Libraries that only some commands need."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from howdah.errors import MissingExtra
from howdah.extras import check_extras, extra, install_command, requirements

ROOT = Path(__file__).parents[2]
LIBRARIES = {"scipy", "vl_convert", "pyVim", "pyVmomi", "libvirt", "pycdlib", "spnego", "ansible_runner"}
"""What the extras install, as it is imported."""
_GUARDS = {"extra", "needs_charts", "needs_statistics"}


def _unguarded(node: ast.AST, *, guarded: bool = False) -> Iterator[str]:
    """Imports of extras' libraries outside ``with extra(…)``."""
    if isinstance(node, ast.With):
        calls = [item.context_expr for item in node.items]
        guarded = guarded or any(
            isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in _GUARDS
            for call in calls
        )
    if not guarded and isinstance(node, ast.Import):
        yield from (name.name for name in node.names if name.name.partition(".")[0] in LIBRARIES)
    if (
        not guarded
        and isinstance(node, ast.ImportFrom)
        and (node.module or "").partition(".")[0] in LIBRARIES
    ):
        yield str(node.module)
    for child in ast.iter_child_nodes(node):
        yield from _unguarded(child, guarded=guarded)


def test_libraries_of_extras_are_imported_where_their_lack_is_explained() -> None:
    unguarded = {
        f"{file.relative_to(ROOT)}: {name}"
        for file in (ROOT / "python").rglob("*.py")
        for name in _unguarded(ast.parse(file.read_text()))
    }
    # It is imported long after `howdah deploy` has checked for its extra.
    assert unguarded == {"python/howdah/deploy/ansible.py: ansible_runner.interface"}


def test_every_extra_that_is_named_exists() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    calls = re.compile(r"(?:check_extras|extra|install_command)\(([^)\n]*)\)")
    named = {
        word
        for file in (ROOT / "python/howdah").rglob("*.py")
        if file.name != "extras.py"
        for call in calls.findall(file.read_text())
        for word in re.findall(r"""["']([a-z]+)["']""", call)
    }
    assert named == set(declared) - {"full"}
    assert all(requirements(name) for name in named)


def test_a_missing_library_names_its_extra_and_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(MissingExtra) as caught, extra("statistics", "howdah compare"):
        import scipy  # noqa: F401, PLC0415
    assert str(caught.value) == "howdah compare: needs the extra `statistics`, which is not installed"
    assert caught.value.hint == "pip install 'scipy>=1.14'"
    assert caught.value.exit_code == 2


def test_a_library_that_is_not_installed_is_noticed_without_importing_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    check_extras("howdah serve", "charts", "statistics")

    installed = metadata.distribution

    def missing(name: str) -> metadata.Distribution:
        if name == "howdah":
            return installed(name)
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)
    with pytest.raises(MissingExtra, match="howdah serve: needs the extra `charts`"):
        check_extras("howdah serve", "charts", "statistics")


def test_a_hint_installs_what_pip_can_find() -> None:
    assert install_command("kvm") == "pip install 'libvirt-python>=9.0' 'pycdlib>=1.14'"
