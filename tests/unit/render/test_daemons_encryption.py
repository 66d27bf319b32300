"""Pages are where the plan's policies have them."""

from __future__ import annotations

from functools import partial

import pytest

from howdah.hadoop.daemons import DAEMONS
from howdah.model.plan import Role, planned_text
from support.labs import lab_plan, trio_plan

ENCRYPTED = {
    Role.JOURNALNODE: "dfs.journalnode.https-address",
    Role.NAMENODE: "dfs.namenode.https-address",
    Role.SECONDARY_NAMENODE: "dfs.namenode.secondary.https-address",
    Role.DATANODE: "dfs.datanode.https.address",
    Role.RESOURCEMANAGER: "yarn.resourcemanager.webapp.https.address",
    Role.NODEMANAGER: "yarn.nodemanager.webapp.https.address",
    Role.JOB_HISTORY: "mapreduce.jobhistory.webapp.https.address",
}


@pytest.mark.parametrize("role", ENCRYPTED)
def test_a_page_by_https_alone_has_another_address(role: Role) -> None:
    page = DAEMONS[role].page
    assert page.key_with(partial(planned_text, trio_plan(secure=True))) == ENCRYPTED[role]
    assert page.key_with(partial(planned_text, lab_plan())) == page.key
