"""Whatever stands in a configuration, a check gives a report or a user's error, never another exception."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from howdah.audit.audit import audit
from howdah.audit.folder import Releases, read_folders
from howdah.model.host import Host
from support.faults import SOUND, Exhibit

_ODD = (
    *(
        "",
        "0",
        "-1",
        "-Xmx0m",
        "9" * 5000,
        f"-Xmx{'9' * 5000}g",
        "0x10",
        "1e400",
        "nan",
        "٣",
        "1_000",
        "128m",
    ),
    *(
        "${a}",
        "${${a}}",
        "true",
        ",",
        ",,a",
        "[DISK]",
        "[",
        "hdfs://",
        "qjournal://",
        "a:b:c",
        "file:///",
        "../x",
    ),
)
_PLACES = [(file, position) for file, rows in Exhibit.sound().sites.items() for position in range(len(rows))]


@given(
    changes=st.lists(
        st.tuples(
            st.sampled_from(_PLACES), st.sampled_from(_ODD) | st.text("abc.,:/ -0123456789", max_size=12)
        ),
        max_size=8,
    )
)
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_odd_values_are_reported(tmp_path: Path, changes: list[tuple[tuple[str, int], str]]) -> None:
    exhibit = Exhibit.sound()
    for (file, position), text in changes:
        name, _, final = exhibit.sites[file][position]
        exhibit.sites[file][position] = (name, text, final)
    host = exhibit.write(tmp_path)
    assert audit(read_folders([tmp_path]), [host], None, Releases()).checks


@pytest.mark.parametrize("text", _ODD, ids=lambda text: text[:12])
def test_one_odd_value_everywhere_is_reported(tmp_path: Path, text: str) -> None:
    exhibit = Exhibit.sound()
    for file, rows in exhibit.sites.items():
        exhibit.sites[file] = [(name, text, False) for name, _, _ in rows]
    exhibit.texts["hadoop-env.sh"] = (
        f'export HDFS_NAMENODE_OPTS="{text}"\nexport HDFS_DATANODE_OPTS="{text}"\n'
    )
    host = exhibit.write(tmp_path)
    assert audit(read_folders([tmp_path]), [host], None, Releases()).checks


@given(kept=st.sets(st.sampled_from(_PLACES)))
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_part_of_a_configuration_is_reported(tmp_path: Path, kept: set[tuple[str, int]]) -> None:
    exhibit = Exhibit.sound()
    for file, rows in exhibit.sites.items():
        exhibit.sites[file] = [row for position, row in enumerate(rows) if (file, position) in kept]
    exhibit.write(tmp_path)
    assert audit(read_folders([tmp_path]), [], None, Releases()).checks


def test_a_host_that_tells_nothing_is_reported() -> None:
    sound = Host.model_validate(Exhibit.sound().host)
    dumb = sound.model_copy(
        update={
            "disks": (),
            "file_systems": (),
            "nics": (),
            "memory": sound.memory.model_copy(update={"swappiness": None, "transparent_huge_pages": None}),
            "cpu": sound.cpu.model_copy(update={"sockets": 0, "cores": 0, "threads": 0, "numa_nodes": ()}),
        }
    )
    report = audit(read_folders([SOUND]), [dumb], None, Releases())
    assert any(check.about == "vm.swappiness" and check.verdict == "cannot tell" for check in report.checks)
