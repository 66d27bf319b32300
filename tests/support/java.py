"""The Java of the tests: what they start lives for seconds, and starting is most of what it computes."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

BRIEF = "-XX:TieredStopAtLevel=1 -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
"""Compile little, and do not prove once more that the code of released jars is sound: a sixth of a start."""

# What a program is given itself comes later, and wins.
_START = """#!/bin/sh
case "$*" in
*-XX:+Use*GC*) ;;
*) set -- -XX:+UseSerialGC "$@" ;;
esac
exec "{java}" {brief} "$@"
"""


def use_brief_java(folder: Path) -> None:
    """Let this process, and what it starts, find in ``folder`` this machine's Java, started as above.

    It is found on the path and as JAVA_HOME, as one finds any other. Where there is no Java, nothing is done.
    """
    given = os.environ.get("JAVA_HOME")
    found = f"{given}/bin/java" if given else shutil.which("java")
    if found is None:
        return
    java = Path(found).resolve()
    home = folder.resolve() / java.parents[1].name
    if home != java.parents[1]:
        _link(java.parents[1], home, but="bin")
        _link(java.parent, home / "bin", but="java")
        _write(home / "bin/java", _START.format(java=java, brief=BRIEF))
    os.environ["JAVA_HOME"] = str(home)
    os.environ["PATH"] = f"{home / 'bin'}:{os.environ['PATH']}"


def _link(there: Path, here: Path, but: str) -> None:
    here.mkdir(parents=True, exist_ok=True)
    for entry in there.iterdir():
        link = here / entry.name
        if entry.name != but and not link.is_symlink():
            link.symlink_to(entry)


def _write(path: Path, text: str) -> None:
    part = path.with_name(f"{path.name}.{os.getpid()}")
    part.write_text(text)
    part.chmod(0o755)
    part.replace(path)
