"""The reference pages that are made from the code."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_they_are_what_the_code_says(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.spec_from_file_location("reference", ROOT / "scripts/reference.py")
    assert found is not None
    assert found.loader is not None
    reference = importlib.util.module_from_spec(found)
    found.loader.exec_module(reference)
    pages: dict[str, str] = reference.pages()
    assert set(pages) == {"command-line.md", "inventory-keys.md"}
    for name, text in pages.items():
        assert (ROOT / "docs" / name).read_text() == text, "renew them: make docs"
