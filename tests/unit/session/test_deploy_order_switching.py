"""Which hosts can be stopped by themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.session.deploy_order import check_hosts
from howdah.session.deploy_project import Target, read_target
from support.labs import save_plan, trio_plan


@pytest.fixture
def target(tmp_path: Path) -> Target:
    return read_target(save_plan(trio_plan(), tmp_path))


def test_a_host_of_another_cluster_is_refused(target: Target) -> None:
    with pytest.raises(UserError, match="is not in"):
        check_hosts(target, "stop", ["h9"])


def test_a_majority_stays(target: Target) -> None:
    check_hosts(target, "stop", ["h1"])
    with pytest.raises(UserError, match="leaves 1 of 3 JournalNodes, fewer than a majority"):
        check_hosts(target, "stop", ["h1", "h2"])
    # Started they may be, and all together stopped.
    check_hosts(target, "start", ["h1", "h2"])
    check_hosts(target, "stop", ["h1", "h2", "h3"])
