"""Whether the NameNode's directories are on disks that HDFS fills with blocks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from howdah.planner.data_mounts import below_data, data_places, on_workers
from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rules.declare import Rules

_NAMES = "dfs.namenode.name.dir"
_FILE_SYSTEM = "fs.defaultFS"
_ADDRESS = "dfs.namenode.rpc-address"
rules = Rules()


def _hosts(reading: Reading) -> tuple[str, ...]:
    """The hosts of the NameNodes."""
    return tuple(
        entry.text.rpartition("://")[2].partition("/")[0].partition(":")[0].lower()
        for entry in (reading.config.effective if reading.config is not None else ())
        if entry.name == _FILE_SYSTEM or entry.name.startswith(_ADDRESS)
    )


@rules.inspection(
    "consistency.names-apart",
    sources="howdah",
    when="where both have directories and a NameNode may run on a worker",
)
def _names_apart(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """The NameNode's directories are not on data disks."""
    folders = [PurePosixPath(path) for path in reading.folders(_NAMES) if path.startswith("/")]
    if not folders or not on_workers(reading, _hosts(reading)) or not data_places(reading):
        return
    below = below_data(reading, folders, _hosts(reading))
    yield reading.verdict(
        _NAMES,
        not below,
        found=", ".join(map(str, below or folders)),
        expected="directories on a disk without blocks: every change of the file system waits until its edit "
        "is on disk, behind the blocks that DataNodes write there, and a full data disk stops the NameNode",
        fix=f"set {_NAMES} to directories on disks of the NameNode's own, such as /var/lib/hadoop/name, and "
        "move what is there while the NameNode is stopped",
    )
