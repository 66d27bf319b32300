"""The import graph is the one the design draws."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from support import records
from support.stored import write_run

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "howdah"
NATIVE = "howdah._native"


def test_the_contracts_of_pyproject_are_kept() -> None:
    # In a process of its own: import-linter disables every logger that exists when it starts.
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([program, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def _imported(source: str, package: str) -> Iterator[str]:
    """Every module that the source imports, at its top or inside a function, by absolute name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and any(
            isinstance(argument, ast.Constant) and argument.value == NATIVE for argument in node.args
        ):
            yield NATIVE  # import_module("howdah._native")


def _package_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).parent.parts)


def test_only_two_engines_and_the_measuring_probe_touch_the_rust_module() -> None:
    # import-linter cannot see a compiled module, so its imports are looked for in the source.
    users = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if NATIVE in _imported(path.read_text(), _package_of(path))
    }
    assert users
    allowed = ("engines/local/", "engines/sim/", "simulation/", "probe/measuring/")
    assert {user for user in users if not user.startswith(allowed)} == set()


@pytest.mark.parametrize(
    ("source", "package"),
    [
        ("import howdah._native", "howdah.store"),
        ("import howdah._native as kernels", "howdah.store"),
        ("from howdah import _native", "howdah.store"),
        ("from howdah._native import pi", "howdah.store"),
        ("from .. import _native", "howdah.store"),
        ("from .._native import pi", "howdah.store"),
        ("from . import _native", "howdah"),
        ("def late():\n    import howdah._native", "howdah.store"),
        ("from importlib import import_module\nimport_module('howdah._native')", "howdah.store"),
    ],
)
def test_no_way_of_importing_it_is_overlooked(source: str, package: str) -> None:
    assert NATIVE in _imported(source, package)


def test_what_is_measured_is_reported_without_the_simulator(tmp_path: Path) -> None:
    run = write_run(tmp_path, records.terasuite())
    program = (
        "import sys; from pathlib import Path; from howdah.session.reporting import report_run; "
        f"report_run(Path({str(run)!r})); "
        "print([one for one in sys.modules if one.startswith(('howdah.simulation', 'howdah.engines'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_part_of_the_package_has_its_layer() -> None:
    """A new folder must be given its place among the layers, or no contract would bind it."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    placed = {
        name.strip().removeprefix("howdah.")
        for layer in layers
        for name in layer.replace("|", ":").split(":")
    }
    present = {
        path.stem
        for path in PACKAGE.iterdir()
        if (path.suffix == ".py" or (path / "__init__.py").exists()) and not path.stem.startswith("_")
    }
    assert present == placed


def test_no_module_imports_itself_by_a_detour() -> None:
    modules = {_module_of(path): path for path in PACKAGE.rglob("*.py")}
    imports = {
        module: {name for name in _needed(path.read_text()) if name in modules and name != module}
        for module, path in modules.items()
    }
    assert imports["howdah.cli.run"]
    TopologicalSorter(imports).prepare()


def test_a_modules_tests_are_found_by_its_name() -> None:
    """tests/unit/PACKAGE/test_MODULE.py, with what it is about behind the name where there are several.

    Beside the folders are the tests of what no single module does.
    """
    modules = {path.relative_to(PACKAGE).with_suffix("") for path in PACKAGE.rglob("*.py")}
    modules |= {module.parent for module in modules}
    unit = ROOT / "tests" / "unit"
    tests = [path.relative_to(unit) for path in unit.rglob("*/test_*.py")]
    assert tests
    for test in tests:
        words = test.stem.removeprefix("test_").split("_")
        named = {test.with_name("_".join(words[:count])) for count in range(1, len(words) + 1)}
        assert named & modules, f"{test} is named after no module of {test.parent}"


def _module_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


def _needed(source: str) -> Iterator[str]:
    """The modules of howdah that a source imports when it runs, at its top or later; not for types alone."""
    tree = ast.parse(source)
    run = [statement for statement in tree.body if not _for_types(statement)]
    for node in (inner for statement in run for inner in ast.walk(statement)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            # What is imported is a module itself, or something in one.
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
            if (PACKAGE.parent / node.module.replace(".", "/")).with_suffix(".py").exists():
                yield node.module


def _for_types(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING"


def test_no_two_classes_have_one_name() -> None:
    """A class's name says what it is wherever it is read, and is found by a search."""
    places: dict[str, list[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for statement in ast.parse(path.read_text()).body:
            if isinstance(statement, ast.ClassDef) and not statement.name.startswith("_"):
                places.setdefault(statement.name, []).append(_module_of(path))
    assert {name: several for name, several in places.items() if len(several) > 1} == {}
