"""Variations of the kinds of faults that cases from the field have, and sound values that resemble them.

``tests/data/variations.json`` has them, each as edits of ``ha-cluster-sound``: what must be reported, with
words of its fix, or that nothing is.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from exams.field import FILES, PAIR
from howdah.audit.audit import audit
from howdah.audit.folder import Releases, read_folders
from howdah.model.existing import Check, CheckVerdict

_DATA = Path(__file__).parents[1] / "data/variations.json"
_LISTS = ("hadoop/workers", "hadoop/dfs.hosts", "hbase/regionservers")
_END = "</configuration>"


class Edit(NamedTuple):
    """One key of one file, by its folder, and its value; None removes it."""

    file: str
    key: str
    value: str | None


class Variation(NamedTuple):
    """A fault or a sound value of one kind."""

    kind: str
    name: str
    workers: int
    """How many workers the files list; 0 for those of the base."""
    edits: tuple[Edit, ...]
    about: str
    """What is reported; empty where nothing may be."""
    fix: str
    warns: bool

    def write(self, folder: Path) -> list[Path]:
        """Write the configuration into an empty directory; the directories to check."""
        shutil.copytree(FILES / PAIR, folder, dirs_exist_ok=True)
        names = "".join(f"wk{number:04d}.prod.example.com\n" for number in range(1, self.workers + 1))
        for file in _LISTS if names else ():
            (folder / file).write_text(names)
        for edit in self.edits:
            _put(folder / edit.file, edit)
        return sorted(path for path in folder.iterdir() if path.is_dir())


def _put(path: Path, edit: Edit) -> None:
    text = path.read_text() if path.exists() else ""
    key = re.escape(edit.key)
    if path.suffix == ".xml":
        text = text or f"<configuration>\n{_END}\n"
        text = re.sub(rf"\s*<property>\s*<name>{key}</name>.*?</property>", "", text, flags=re.DOTALL)
        value = None if edit.value is None else escape(edit.value)
        line = f"  <property><name>{escape(edit.key)}</name><value>{value}</value></property>\n"
        path.write_text(text if value is None else text.replace(_END, f"{line}{_END}"))
    elif not edit.key:
        path.write_text(f"{edit.value}\n")
    else:
        start, between = {".sh": ("export ", "="), ".conf": ("", " ")}.get(path.suffix, ("", "="))
        text = re.sub(rf"(?m)^{start}{key}{between}.*\n", "", text)
        path.write_text(
            text + (f"{start}{edit.key}{between}{edit.value}\n" if edit.value is not None else "")
        )


def variations() -> tuple[Variation, ...]:
    """All of them."""
    rows = json.loads(_DATA.read_text())
    return tuple(Variation(**{**row, "edits": tuple(Edit(*edit) for edit in row["edits"])}) for row in rows)


def reported(folders: list[Path]) -> list[Check]:
    """What fails or is warned of."""
    checks = audit(read_folders(folders), [], None, Releases()).checks
    return [check for check in checks if check.verdict in (CheckVerdict.FAIL, CheckVerdict.WARN)]


def wrong_answer(variation: Variation, base: frozenset[tuple[str, str]], folder: Path) -> str:
    """What a check gets wrong of a variation, written into an empty directory; empty if nothing.

    ``base`` is what is reported without it, by rule and key.
    """
    checks = [check for check in reported(variation.write(folder)) if (check.rule, check.about) not in base]
    if not variation.about:
        return "; ".join(f"false: {check.rule} {check.about}: {check.found}" for check in checks)
    verdict = CheckVerdict.WARN if variation.warns else CheckVerdict.FAIL
    right = any(
        check.about == variation.about and check.verdict is verdict and variation.fix in check.fix
        for check in checks
    )
    return "" if right else f"missing: {verdict.value} {variation.about}: {variation.fix}"
