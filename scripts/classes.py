"""Print the classes of Hadoop's releases by package, which values of classes are compared with.

Usage: classes.py FOLDER…, each the folder of one release's jars. Nested classes, generated ones and those
that no
configuration names are left out.
"""

from __future__ import annotations

import json
import re
import sys
import zipfile
from pathlib import Path

_CLASS = re.compile(r"org/apache/hadoop/[\w/]+\.class")
_INNER = re.compile(r"Protos|/(pb|protocolPB|webapp|webapps|event|shell)/|/impl/pb")


def main(folders: list[str]) -> None:
    """Print one package a line."""
    packages: dict[str, set[str]] = {}
    for jar in (jar for folder in folders for jar in Path(folder).glob("hadoop-*.jar")):
        if jar.name.endswith("-tests.jar") or "-shaded-" in jar.name:
            continue
        for name in filter(_CLASS.fullmatch, zipfile.ZipFile(jar).namelist()):
            if _INNER.search(name) is None:
                package, _, own = name.removesuffix(".class").replace("/", ".").rpartition(".")
                packages.setdefault(package, set()).add(own)
    lines = (
        f"{json.dumps(package)}:{json.dumps(' '.join(sorted(names)))}"
        for package, names in sorted(packages.items())
    )
    print("{\n" + ",\n".join(lines) + "\n}")


if __name__ == "__main__":
    main(sys.argv[1:])
