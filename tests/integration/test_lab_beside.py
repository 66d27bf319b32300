"""Two laboratories on one lot of hosts, for real: one uplink, everything else apart, and nothing left."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from howdah.lab.state import LabSpec, read_state
from support.daemons import FETCH, LIB
from support.lab_command import Lab
from support.lab_hosts import can_build
from support.lab_traces import traces
from support.shared_labs import STORAGE, lab_traces_of_lot, shared_pair
from support.transfer import Way, streams, together

pytestmark = [
    pytest.mark.exam("shared-hosts"),
    pytest.mark.xdist_group("laboratory"),
    pytest.mark.skipif(not LIB.exists(), reason=f"Hadoop's jars are not there: {FETCH}"),
    pytest.mark.skipif(not can_build(), reason="needs root, network namespaces, tbf, loop devices and XFS"),
]

UPLINK = 100_000_000
"""The whole speed of each host of the example, of which each plan has a half."""


@pytest.fixture
def labs(tmp_path: Path) -> Iterator[tuple[Lab, Lab]]:
    made = []
    for letter in "ab":
        (tmp_path / letter).mkdir()
        made.append(Lab(tmp_path / letter, f"test-{os.getpid()}-{letter}"))
    yield made[0], made[1]
    for one in made:
        one.try_to("down")


def spec(lab: Lab) -> LabSpec:
    state = read_state(lab.directory)
    assert state is not None
    assert state.spec is not None
    return state.spec


def stores(lab: Lab, folder: Path) -> None:
    """What is written by a client is read on a worker."""
    content = os.urandom(300_000)
    name = f"content-{random.getrandbits(32):x}"
    (folder / name).write_bytes(content)
    lab.on("client", "hdfs", "dfs", "-put", str(folder / name), f"/tmp/{name}")
    worker = next(machine for machine in spec(lab).machines if machine.host == "h2")
    lab.on(worker.name, "hdfs", "dfs", "-get", f"/tmp/{name}", str(folder / f"{name}-back"))
    assert (folder / f"{name}-back").read_bytes() == content


def shares_the_uplink(one: Lab, other: Lab) -> None:
    """By itself each has the whole uplink of a host; together they have no more than that."""

    def way(lab: Lab) -> Way:
        machines = {machine.host: machine.name for machine in spec(lab).machines}
        apart = spec(lab).model_copy(update={"directory": lab.folder})
        return Way(apart, machines["h1"], machines["h2"])

    ways = [way(lab) for lab in (one, other)]
    alone = [streams([each])[0].bits_per_s for each in ways]
    both = streams(ways)
    assert all(0.75 * UPLINK < speed < 1.1 * UPLINK for speed in alone), alone
    assert 0.75 * UPLINK < together(both) < 1.1 * UPLINK, both


def refuses_what_would_hit_the_other(lab: Lab, other: Lab) -> None:
    for words in (("kill", "h1"), ("fault", "lose host:h1"), ("fault", "slow-link host:h2 to 1Mb/s")):
        refused = lab.try_to(*words)
        assert refused.returncode == 2
        assert f"also has machines of {other.name}, which" in refused.stderr
    refused = lab.try_to("add", "h3")
    assert refused.returncode == 2
    assert "hosts cannot be added or removed until then" in refused.stderr


def test_two_laboratories_share_hosts_and_leave_nothing(labs: tuple[Lab, Lab], tmp_path: Path) -> None:
    one, other = labs
    first, second = shared_pair(tmp_path, STORAGE, quick=True)
    one.up(first)
    beside = ("up", str(second), "--dir", str(other.directory), "--beside", one.name)

    # Killed at any moment, the second one is taken down without a trace in the first.
    chance = random.Random(11)
    for _ in range(2):
        coming = other.start(*beside)
        time.sleep(chance.uniform(0.7, 5))
        coming.kill()
        coming.communicate()
        assert other.try_to("down").returncode == 0
        assert traces(other.name, other.directory) == []
    assert one.status()["state"] == "up"
    assert one.status()["shared"] == {}

    other.do(*beside)
    for lab, neighbour in ((one, other), (other, one)):
        status = lab.status()
        assert (status["state"], status["shared"]) == ("up", {neighbour.name: ["h1", "h2"]})
        stores(lab, lab.folder)
    assert f"h1, h2 with lab {one.name}" in other.do("status")
    shares_the_uplink(one, other)
    refuses_what_would_hit_the_other(one, other)

    # The first one goes first: its hosts stay while somebody is on them.
    one.do("down")
    assert traces(one.name, one.directory) == []
    assert len(lab_traces_of_lot(one.name)) == 4
    stores(other, other.folder)
    refused = one.try_to("up", str(first), "--dir", str(one.directory))
    assert refused.returncode == 2
    assert f"belonged to an earlier lab, whose hosts are still used by {other.name}" in refused.stderr

    other.do("down")
    assert traces(other.name, other.directory) == []
    assert lab_traces_of_lot(one.name) == []
