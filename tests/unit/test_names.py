"""Names of variables and functions are nouns and verbs, in the packages that were read for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "python" / "howdah"
WORDS = {"said", "told", "asked", "whose", "whom", "one", "found"}
MORE_WORDS = WORDS | {
    "ask",
    "beneath",
    "beside",
    "deed",
    "deeds",
    "each",
    "given",
    "known",
    "left",
    "look",
    "other",
    "others",
    "rest",
    "somebody",
    "something",
    "tell",
    "tells",
    "there",
    "untold",
    "wanted",
    "what",
    "who",
}
"""Names that MORE_PACKAGES do not contain."""
MORE_PACKAGES = (
    "cli",
    "audit",
    "deploy",
    "documents",
    "engines",
    "faults",
    "hadoop",
    "installation",
    "jobs",
    "lab",
    "probe",
    "model",
    "planner",
    "provision",
    "releases",
    "render",
    "report",
    "serve",
    "services",
    "session",
    "simulation",
    "store",
    "study",
    "telemetry",
    "tune",
    *sorted(path.stem for path in PACKAGE.glob("*.py")),
)
JSON_FIELDS = {
    ("cli/lab.py", "beside"),
    ("cli/plan.py", "beside"),
    ("deploy/problems.py", "what"),
    ("deploy/ansible.py", "what"),
    ("errors.py", "what"),
    ("hadoop/config_files.py", "what"),
    ("lab/hadoop/reports.py", "what"),
    ("lab/state.py", "asked"),
    ("model/base.py", "what"),
    ("planner/reading.py", "found"),
    ("render/modules/changes.py", "what"),
    ("session/interactive_plans.py", "what"),
    ("serve/finding.py", "found"),
    ("serve/finding.py", "known"),
    ("serve/index.py", "said"),
    ("serve/routes/answers.py", "what"),
    ("serve/routes/runs.py", "asked"),
    ("serve/routes/studies.py", "left"),
    ("serve/starting.py", "said"),
    ("simulation/outcome.py", "asked"),
}
"""Names of flags, in files, those that go with them and in the output of --json, which stay."""
OF_WORKLOADS = {"asked"}
"""Properties of workloads, which other packages define too."""
OF_PICTURES = {"left"}
"""Sides of pictures, which a report draws."""


def _names(path: Path) -> Iterator[tuple[str, int]]:
    """The names of a module and of its variables, attributes, parameters and functions, with their lines."""
    yield path.stem, 1
    tree = ast.parse(path.read_text())
    fields = _fields(tree) if path.is_relative_to(PACKAGE / "model") else set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            if node not in fields:
                yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name, node.lineno


def _fields(tree: ast.Module) -> set[ast.AST]:
    """The fields of a module's classes: those of the model are names in files and in the output of --json."""
    return {
        statement.target
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
    }


@pytest.mark.parametrize(
    ("package", "words"),
    [
        *((package, MORE_WORDS) for package in MORE_PACKAGES),
        # Others are other processes there, and the other run is compared with the baseline.
        ("analysis", MORE_WORDS - {"other", "others"}),
        # A figure is known from a table or a run, as the field of that name in a calibration's file.
        ("calibrate", MORE_WORDS - {"known"}),
    ],
)
def test_a_name_is_no_participle_and_no_pronoun(package: str, words: set[str]) -> None:
    paths = [*PACKAGE.glob(f"{package}.py"), *sorted((PACKAGE / package).rglob("*.py"))]
    assert paths
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line}: {name}"
        for path in paths
        for name, line in _names(path)
        if name.strip("_").lower() in words
        and (path.relative_to(PACKAGE).as_posix(), name) not in JSON_FIELDS
        and not (package == "model" and path.parent.name == "workloads" and name in OF_WORKLOADS)
        and not (package == "report" and name.lower() in OF_PICTURES)
    ]
    assert wrong == []
