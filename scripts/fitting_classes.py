"""Print which classes each key takes, as JSON: those of the kind of its default.

Usage: fitting_classes.py FOLDER…, each the folder of one release's jars. A class fits where it shares a
class or an interface with the default that says what it does: whatever a key's reader casts it to is one
of these.
"""

from __future__ import annotations

import json
import re
import struct
import sys
import zipfile
from pathlib import Path

_DATA = Path(__file__).parents[1] / "python/howdah/releases/data"
_SAYS_NOTHING = re.compile(
    r"java/.*|scala/.*|org/slf4j/.*"
    r"|org/apache/hadoop/(conf/Configur(able|ed)|io/Writable|util/Tool|service/\w*Service|yarn/event/.*)"
    r"|org/apache/hadoop/hbase/(conf/.*|Stoppable|Abortable|Coprocessor|Cell\w*)|org/apache/yetus/.*"
)
_UNLISTED = {
    "dfs.datanode.fsdataset.volume.choosing.policy": "hdfs.server.datanode.fsdataset."
    "RoundRobinVolumeChoosingPolicy",
    "dfs.client.failover.proxy.provider.<nameservice>": "hdfs.server.namenode.ha."
    "ConfiguredFailoverProxyProvider",
    "yarn.scheduler.capacity.resource-calculator": "yarn.util.resource.DefaultResourceCalculator",
}
"""Keys whose defaults are not constants, with a class of org.apache.hadoop that they take."""
_CLASS = re.compile(r"org/apache/hadoop/[\w/$]+\.class")
_WIDE = {3: 4, 4: 4, 5: 8, 6: 8, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
"""How many bytes follow each tag of a constant pool, where their number is fixed."""


def supertypes(code: bytes) -> tuple[str, list[str]]:
    """The name of a class, and those that it extends and implements by itself."""
    count = struct.unpack_from(">H", code, 8)[0]
    texts: dict[int, str] = {}
    classes: dict[int, int] = {}
    place, index = 10, 1
    while index < count:
        tag = code[place]
        if tag == 1:
            length = struct.unpack_from(">H", code, place + 1)[0]
            texts[index] = code[place + 3 : place + 3 + length].decode("utf-8", "replace")
            place += 3 + length
        elif tag == 7:
            classes[index] = struct.unpack_from(">H", code, place + 1)[0]
            place += 3
        else:
            place += 1 + _WIDE[tag]
            index += tag in (5, 6)
        index += 1
    own, above, interfaces = struct.unpack_from(">HHH", code, place + 2)
    indices = (above, *struct.unpack_from(f">{interfaces}H", code, place + 8))
    return texts[classes[own]], [texts[classes[one]] for one in indices if one]


def main(folders: list[str]) -> None:
    """Print one default a line."""
    above: dict[str, list[str]] = {}
    for jar in (jar for folder in folders for jar in sorted(Path(folder).glob("h*.jar"))):
        if re.match(r"(hadoop|hbase)-(?!.*(-tests|shaded))", jar.name):
            with zipfile.ZipFile(jar) as archive:
                for name in filter(_CLASS.fullmatch, archive.namelist()):
                    own, supers = supertypes(archive.read(name))
                    above[own] = supers

    def all_above(name: str) -> set[str]:
        return {name}.union(*(all_above(one) for one in above.get(name, ())))

    def telling(name: str) -> set[str]:
        return {one for one in all_above(name) if _SAYS_NOTHING.fullmatch(one) is None}

    kinds = {name: telling(name) for name in above}
    usual = {
        row[0]: row[2]
        for file in ("hadoop-3.5.0", "hbase-2.6.4")
        for row in json.loads((_DATA / f"{file}.json").read_bytes())["properties"]
        if re.fullmatch(r"org\.apache\.hadoop\.[\w.$]+", row[2] or "")
    }
    usual |= {key: f"org.apache.hadoop.{name}" for key, name in _UNLISTED.items()}
    lines = []
    for key, default in sorted(usual.items()):
        wanted = kinds.get(default.replace(".", "/"), set())
        # A class that shares nothing but itself says nothing of what its key takes.
        if len(wanted) > 1 and not re.fullmatch(r"fs\..*\.impl", key):
            fitting = sorted(name.replace("/", ".") for name, own in kinds.items() if own & wanted)
            lines.append(f"{json.dumps(key)}:{json.dumps(' '.join(fitting))}")
    print("{\n" + ",\n".join(lines) + "\n}")


if __name__ == "__main__":
    main(sys.argv[1:])
