"""The topology script, run as Hadoop runs it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from howdah.model.plan import Placement
from howdah.render.cluster import render
from support.plans import group, kind, plan

HOSTS = 200


def _written(folder: Path, placement: Placement) -> Path:
    """The script of a cluster with four workers on each host, in a folder with a space in its name."""
    files = render(
        plan(
            groups=[group(count=HOSTS)],
            kinds=[kind(per_host=4)],
            places=["worker"] * 4,
            placement=placement,
        )
    )
    by_path = {file.path: file for file in files.files}
    home = folder / "etc hadoop"
    home.mkdir()
    for name in ("topology.sh", "topology.data"):
        (home / name).write_text(by_path[f"hadoop/{name}"].content)
    (home / "topology.sh").chmod(0o755)
    assert by_path["hadoop/topology.sh"].executable
    return home / "topology.sh"


@pytest.fixture(scope="module")
def grouped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _written(tmp_path_factory.mktemp("grouped"), Placement.NODE_GROUPS)


@pytest.fixture(scope="module")
def flat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _written(tmp_path_factory.mktemp("flat"), Placement.DEFAULT)


def _ask(script: Path, *names: str) -> list[str]:
    done = subprocess.run([script, *names], capture_output=True, text=True, cwd="/", check=True, timeout=30)
    assert done.stderr == ""
    assert done.stdout.endswith("\n") or not names
    return done.stdout.split("\n")[:-1]


def test_one_host_has_one_location(grouped: Path, flat: Path) -> None:
    assert _ask(grouped, "workers-007-3") == ["/rack-1/workers-007"]
    assert _ask(flat, "workers-007-3") == ["/rack-1"]


def test_a_hundred_hosts_have_a_hundred_locations_in_order(grouped: Path) -> None:
    names = [f"workers-{number:03d}-{1 + number % 4}" for number in range(1, 101)]
    assert _ask(grouped, *names) == [f"/rack-1/{name[:-2]}" for name in names]


def test_names_are_known_in_any_case_and_as_often_as_they_are_asked_for(grouped: Path) -> None:
    assert _ask(grouped, "WORKERS-001-1", "workers-001-1", "workers-001-1") == ["/rack-1/workers-001"] * 3


def test_masters_have_a_location_too(grouped: Path) -> None:
    assert _ask(grouped, "workers-001") == ["/rack-1/workers-001"]


def test_unknown_hosts_are_at_a_default_of_the_right_depth(grouped: Path, flat: Path) -> None:
    assert _ask(grouped, "stranger", "workers-001-1") == [
        "/default-rack/default-nodegroup",
        "/rack-1/workers-001",
    ]
    assert _ask(flat, "stranger") == ["/default-rack"]


def test_an_address_is_looked_up(grouped: Path) -> None:
    """The NameNode asks with addresses; 127.0.0.1 is localhost everywhere."""
    table = grouped.with_name("topology.data")
    known = table.read_text()
    try:
        table.write_text(f"{known}localhost /rack-9/here\n192.0.2.7 /rack-8/there\n")
        assert _ask(grouped, "127.0.0.1", "192.0.2.7") == ["/rack-9/here", "/rack-8/there"]
    finally:
        table.write_text(known)


def test_an_address_nobody_knows_is_at_the_default(grouped: Path, tmp_path: Path) -> None:
    # A look-up that finds nothing, without waiting for a name server.
    (tmp_path / "getent").write_text("#!/bin/sh\nexit 2\n")
    (tmp_path / "getent").chmod(0o755)
    done = subprocess.run(
        [grouped, "192.0.2.1", "2001:db8::1", "workers-002-1"],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
    )
    assert done.stdout.splitlines() == ["/default-rack/default-nodegroup"] * 2 + ["/rack-1/workers-002"]


@pytest.mark.parametrize(
    "name",
    [
        "$(touch {trap})",
        "`touch {trap}`",
        "127.0.0.1;touch {trap}",
        "table={trap}",
        "ARGV[1]={trap}",
        "-v",
        "-f{trap}",
        "--",
        "--version",
        "",
        "two\nlines",
        "a'b\"c\\n",
        "../../etc/passwd",
        "/etc/passwd",
        "*",
        "::1;touch {trap}",
    ],
)
def test_a_hostile_argument_is_a_stranger_and_nothing_else(grouped: Path, name: str, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    answer = _ask(grouped, name.format(trap=trap), "workers-003-1")
    assert answer == ["/default-rack/default-nodegroup", "/rack-1/workers-003"]
    assert not trap.exists()


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    names=st.lists(
        st.text(st.characters(blacklist_characters="\x00", blacklist_categories=["Cs"]), max_size=20).filter(
            # What has the form of an address asks a name server.
            lambda text: not set(text) <= set("0123456789abcdefABCDEF.:")
        ),
        max_size=20,
    )
)
def test_there_is_one_line_for_each_argument(grouped: Path, names: list[str]) -> None:
    assert len(_ask(grouped, *names)) == len(names)
