"""Whether an HBase can take a run: who is asked again, and what is said of one that cannot."""

from __future__ import annotations

from typing import Any, cast

import pytest

from howdah.engines.hbase import admin
from howdah.engines.hbase.admin import HBaseAdmin, balanced, check_status, is_uneven
from howdah.errors import RunFailed, UserError
from howdah.model.cluster import HBaseMaster, HBaseServer, HBaseStatus

STATUS = HBaseStatus(
    version="2.6.4",
    master=HBaseMaster(host="m1", port=16000, info_port=16010),
    servers=(HBaseServer(host="h1", port=16020, info_port=16030, regions=3, heap_bytes=1 << 30),),
    dead=(),
    in_transition=0,
    balancer=True,
)


class Answers:
    """An HBase that says one thing after the other, and the last one again and again."""

    def __init__(self, *said: HBaseStatus | RunFailed) -> None:
        self.said = list(said)
        self.balances = 0

    def balance(self) -> bool:
        self.balances += 1
        return True

    def status(self) -> HBaseStatus:
        one = self.said.pop(0) if len(self.said) > 1 else self.said[0]
        if isinstance(one, RunFailed):
            raise one
        return one


def checked(*said: HBaseStatus | RunFailed) -> HBaseStatus:
    return check_status(cast(HBaseAdmin, Answers(*said)))


def status(**fields: Any) -> HBaseStatus:
    return STATUS.model_copy(update=fields)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin, "_POLL_S", 0.001)


def test_regions_on_their_way_are_waited_for() -> None:
    assert (
        checked(status(in_transition=2), status(in_transition=1), status(in_transition=0)).in_transition == 0
    )


def test_regions_that_nobody_serves_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin, "MOVED_S", 0.01)
    with pytest.raises(UserError, match="1 of its regions have had no server"):
        checked(status(in_transition=1))


def test_a_cluster_without_servers_is_told_at_once() -> None:
    with pytest.raises(UserError, match="has no live RegionServer"):
        checked(status(servers=(), in_transition=3))


def test_no_zookeeper_is_told_from_no_answer() -> None:
    with pytest.raises(UserError, match=r"hbase\.zookeeper\.quorum: no ZooKeeper"):
        checked(RunFailed("HBase: status", "ConnectionLossException"))
    with pytest.raises(UserError, match="HBase: does not answer: "):
        checked(RunFailed("HBase: status", "did not answer in time"))


def served(*regions: int) -> HBaseStatus:
    (server,) = STATUS.servers
    servers = (
        server.model_copy(update={"host": f"h{number}", "regions": many})
        for number, many in enumerate(regions, start=1)
    )
    return status(servers=tuple(servers))


def test_a_server_that_came_back_empty_is_given_regions_before_a_run() -> None:
    answers = Answers(served(0, 14), served(3, 11), served(7, 7))
    now, uneven = balanced(cast(HBaseAdmin, answers), served(0, 14), may_move=True)
    assert (now, uneven) == (served(7, 7), None)
    assert answers.balances == 3


def test_what_is_not_spread_in_time_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin, "BALANCED_S", 0.05)
    _, uneven = balanced(cast(HBaseAdmin, Answers(served(0, 14))), served(0, 14), may_move=True)
    assert uneven is not None
    assert uneven.endswith("first called: 0 on h1, 14 on h2")


def test_regions_of_a_users_own_cluster_are_not_moved() -> None:
    answers = Answers(served(7, 7))
    now, uneven = balanced(cast(HBaseAdmin, answers), served(0, 14), may_move=False)
    assert (now, answers.balances) == (served(0, 14), 0)
    assert uneven == "regions were unevenly spread over RegionServers when the run began: 0 on h1, 14 on h2"


def test_few_regions_need_not_be_spread() -> None:
    assert not is_uneven(served(0, 3))
    assert not is_uneven(served(4, 10))
    assert is_uneven(served(3, 11))
