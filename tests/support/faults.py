"""A sound configuration and host, and faults to seed into copies of them one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from howdah.model.host import Host

DATA = Path(__file__).parents[1] / "data/conf"
SOUND = DATA / "sound"

CORE, HDFS, YARN, MAPRED = "core-site.xml", "hdfs-site.xml", "yarn-site.xml", "mapred-site.xml"
HBASE, QUEUES, SPARK = "hbase-site.xml", "capacity-scheduler.xml", "spark-defaults.conf"
GB = 10**9

Edit = Callable[["Exhibit"], None]


@dataclass
class Exhibit:
    """A configuration's files by name and a host's record, free to be broken."""

    sites: dict[str, list[tuple[str, str, bool]]]
    texts: dict[str, str]
    host: dict[str, Any]

    @classmethod
    def sound(cls) -> Exhibit:
        """The configuration and the host that have no fault."""
        sites = {path.name: _properties(path) for path in sorted(SOUND.glob("*.xml"))}
        texts = {path.name: path.read_text() for path in SOUND.iterdir() if path.suffix != ".xml"}
        host = Host.model_validate_json((DATA / "sound-host.json").read_text())
        return cls(sites, texts, host.model_dump(mode="json"))

    def write(self, folder: Path) -> Host:
        """Write the configuration into a directory; the host as the model has it."""
        for name, properties in self.sites.items():
            (folder / name).write_text(_xml(properties))
        for name, text in self.texts.items():
            (folder / name).write_text(text)
        return Host.model_validate(self.host)


def _properties(path: Path) -> list[tuple[str, str, bool]]:
    root = ElementTree.parse(path).getroot()
    return [(one.findtext("name", ""), one.findtext("value", ""), False) for one in root]


def _xml(properties: list[tuple[str, str, bool]]) -> str:
    lines = [
        f"  <property><name>{escape(name)}</name><value>{escape(value)}</value>"
        f"{'<final>true</final>' if final else ''}</property>"
        for name, value, final in properties
    ]
    return "\n".join(["<configuration>", *lines, "</configuration>", ""])


class Fault(NamedTuple):
    """One fault of real clusters: what it is, how it is made, and what a check must say of it."""

    name: str
    edit: Edit
    fix: str
    """What the fix must name: the key, or for a host what is to be set."""
    source: str
    """Where it is told: an issue, release notes, documentation, or the code that refuses it."""
    warns: bool = False
    """Whether a warning is the right verdict; otherwise it must fail."""


def put(file: str, key: str, value: str) -> Edit:
    """Set a property, in the place of the one that is there."""

    def edit(exhibit: Exhibit) -> None:
        remaining = [one for one in exhibit.sites[file] if one[0] != key]
        exhibit.sites[file] = [*remaining, (key, value, False)]

    return edit


def drop(file: str, key: str) -> Edit:
    """Remove a property."""

    def edit(exhibit: Exhibit) -> None:
        exhibit.sites[file] = [one for one in exhibit.sites[file] if one[0] != key]

    return edit


def rename(file: str, key: str, name: str) -> Edit:
    """Write a property under another name."""

    def edit(exhibit: Exhibit) -> None:
        exhibit.sites[file] = [
            (name if one[0] == key else one[0], one[1], one[2]) for one in exhibit.sites[file]
        ]

    return edit


def append(file: str, key: str, value: str, *, final: bool = False) -> Edit:
    """Write a property once more, at the end of a file."""

    def edit(exhibit: Exhibit) -> None:
        exhibit.sites[file].append((key, value, final))

    return edit


def line(file: str, text: str) -> Edit:
    """Write one more line at the end of a file that is no XML."""

    def edit(exhibit: Exhibit) -> None:
        exhibit.texts[file] = f"{exhibit.texts[file].rstrip()}\n{text}\n"

    return edit


def text(file: str, content: str) -> Edit:
    """Write a file that is no XML."""

    def edit(exhibit: Exhibit) -> None:
        exhibit.texts[file] = f"{content}\n"

    return edit


def host(*path: str | int, value: object) -> Edit:
    """Set one value in the host's record."""

    def edit(exhibit: Exhibit) -> None:
        place: Any = exhibit.host
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value

    return edit


def both(*edits: Edit) -> Edit:
    """Several edits that make one fault."""

    def edit(exhibit: Exhibit) -> None:
        for one in edits:
            one(exhibit)

    return edit


def every(table: str, key: str, value: object, *, where: Callable[[Any], bool]) -> Edit:
    """Set one value in every row of a table of the host that fits."""

    def edit(exhibit: Exhibit) -> None:
        rows = [row for row in exhibit.host[table] if where(row)]
        assert rows
        for row in rows:
            row[key] = value

    return edit


KERBEROS = both(
    put(CORE, "hadoop.security.authentication", "kerberos"),
    put(CORE, "hadoop.security.authorization", "true"),
)


def is_data(row: dict[str, str]) -> bool:
    """Whether a file system of the host is a data disk's."""
    return row["mount"].startswith("/data/")
