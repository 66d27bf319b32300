"""Build the documentation as a website into build/site, with every link checked.

.venv/bin/python scripts/site.py

The pages are those of docs/ and of the repository's root, as they are. What they link to elsewhere in the
repository, an example for instance, becomes a part of the site: a page as a page, any other file as itself,
and a folder as a page that lists its files.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "build/site-source"
DOCS = SOURCE / "docs"
SITE = ROOT / "build/site"
_LINK = re.compile(r"(?P<text>\]\()(?P<path>[^)#\s:]+)(?P<rest>#[^)\s]*)?\)")


def main() -> int:
    """Build the site; the exit code is that of what builds it."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    shutil.copytree(ROOT / "docs", DOCS)
    shutil.copy(ROOT / "zensical.toml", SOURCE / "zensical.toml")
    for page in sorted((ROOT / "docs").rglob("*.md")):
        _put(page, DOCS / page.relative_to(ROOT / "docs"))
    command = [Path(sys.executable).with_name("zensical"), "build", "--clean", "--strict"]
    done = subprocess.run(command, cwd=SOURCE, check=False, capture_output=True, text=True)
    if done.returncode or "arning" in done.stdout + done.stderr:
        print(done.stdout, done.stderr, sep="\n")
        return done.returncode or 1
    shutil.rmtree(SITE, ignore_errors=True)
    (SOURCE / "site").rename(SITE)
    print(f"{sum(1 for _ in SITE.rglob('index.html'))} pages in {SITE}")
    return 0


def _put(page: Path, copy: Path) -> None:
    """Copy a page, with links that lead to copies of what they lead to."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(
        _LINK.sub(
            lambda link: f"{link['text']}{_target(link['path'], page, copy)}{link['rest'] or ''})",
            page.read_text(),
        )
    )


def _target(path: str, page: Path, copy: Path) -> str:
    linked = (page.parent / path).resolve()
    if linked.is_relative_to(ROOT / "docs") or not linked.is_relative_to(ROOT) or not linked.exists():
        inside = linked.is_relative_to(ROOT / "docs")
        return os.path.relpath(DOCS / linked.relative_to(ROOT / "docs"), copy.parent) if inside else path
    name = linked.relative_to(ROOT)
    if linked.is_dir():
        put = DOCS / "files" / name / "index.md"
        _list(linked, put)
    elif linked.suffix == ".md" and linked.parent == ROOT:
        put = DOCS / "project" / name.name.lower()
        if not put.exists():
            put.parent.mkdir(parents=True, exist_ok=True)
            put.touch()
            _put(linked, put)
    else:
        put = DOCS / "files" / name
        put.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(linked, put)
    return os.path.relpath(put, copy.parent)


def _list(folder: Path, page: Path) -> None:
    """A page that lists the files of a folder, which are copied beside it."""
    if page.exists():
        return
    page.parent.mkdir(parents=True, exist_ok=True)
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    for file in files:
        put = page.parent / file.relative_to(folder)
        put.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, put)
    names = [str(file.relative_to(folder)) for file in files]
    lines = "".join(f"- [{name}]({name})\n" for name in names if not name.endswith(".md"))
    page.write_text(f"# {folder.relative_to(ROOT)}\n\n{lines}")


if __name__ == "__main__":
    sys.exit(main())
