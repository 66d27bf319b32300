"""Print the classes of Hadoop, HBase and Spark by package, which values of classes are compared with.

Usage: classes.py FOLDER…, each the folder of one release's jars; what is there already is kept. Nested
classes, generated ones and those that no configuration names are left out.
"""

from __future__ import annotations

import json
import re
import sys
import zipfile
from pathlib import Path

_CLASS = re.compile(r"org/apache/(hadoop|spark)/[\w/]+\.class")
_INNER = re.compile(r"Protos|/(pb|protocolPB|webapp|webapps|event|shell|generated|tmpl|shaded)/|/impl/pb")
_OF_SPARK = re.compile(
    r"org/apache/spark/(serializer|io|shuffle|shuffle/sort|deploy/history|metrics/sink)/\w+\.class"
)
_JAR = re.compile(r"(hadoop|hbase|spark)-")
_OF_OTHER_MODULES = {
    "org.apache.hadoop.yarn.server.timeline": ("EntityGroupFSTimelineStore",),
    "org.apache.hadoop.yarn.server.timelineservice.storage": (
        "HBaseTimelineReaderImpl",
        "HBaseTimelineWriterImpl",
    ),
    "org.apache.hadoop.hbase.backup": ("BackupHFileCleaner", "BackupObserver"),
    "org.apache.hadoop.hbase.thrift": ("ThriftServer",),
}
"""Classes that keys name and that are in modules whose jars are not at hand."""
_KNOWN = Path(__file__).parents[1] / "python/howdah/releases/data/classes.json"


def main(folders: list[str]) -> None:
    """Print one package a line."""
    packages = {package: set(names.split()) for package, names in json.loads(_KNOWN.read_bytes()).items()}
    for jar in (jar for folder in folders for jar in Path(folder).glob("*.jar") if _JAR.match(jar.name)):
        if jar.name.endswith("-tests.jar") or "-shaded-" in jar.name:
            continue
        for name in filter(_CLASS.fullmatch, zipfile.ZipFile(jar).namelist()):
            if _INNER.search(name) is None and (_OF_SPARK.fullmatch(name) or "/spark/" not in name):
                package, _, own = name.removesuffix(".class").replace("/", ".").rpartition(".")
                packages.setdefault(package, set()).add(own)
    for package, names in _OF_OTHER_MODULES.items():
        packages.setdefault(package, set()).update(names)
    lines = (
        f"{json.dumps(package)}:{json.dumps(' '.join(sorted(names)))}"
        for package, names in sorted(packages.items())
    )
    print("{\n" + ",\n".join(lines) + "\n}")


if __name__ == "__main__":
    main(sys.argv[1:])
