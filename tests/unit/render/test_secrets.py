"""What hosts must be handed follows from their daemons and from the plan's own paths."""

from __future__ import annotations

import pytest

from howdah.errors import UserError
from howdah.model.plan import Role
from howdah.render.secrets import host_secrets
from support.labs import lab_plan, trio_plan


def test_nothing_is_handed_over_without_kerberos() -> None:
    assert host_secrets(lab_plan(), [Role.NAMENODE]) == ()


def test_a_worker_reads_its_daemons_keytabs_and_the_webs() -> None:
    found = {one.name: one for one in host_secrets(lab_plan(secure=True), [Role.DATANODE, Role.NODEMANAGER])}
    assert set(found) == {
        "hdfs.service.keytab",
        "yarn.service.keytab",
        "spnego.service.keytab",
        "host.jks",
        "trust.jks",
        "hadoop.jceks",
        "http_secret",
        "ca.pem",
    }
    own, web, key = (found[name] for name in ("hdfs.service.keytab", "spnego.service.keytab", "host.jks"))
    assert (own.owner, own.mode, own.principals) == ("hdfs", "0400", ("hdfs/_HOST@EXAMPLE.COM",))
    assert (web.owner, web.mode, web.principals) == ("root", "0440", ("HTTP/_HOST@EXAMPLE.COM",))
    assert web.users == ("hdfs", "yarn")
    assert (key.owner, key.group, key.mode) == ("root", "hadoop", "0440")


def test_a_regionserver_proves_itself_with_hbases_keytab_and_shows_pages_with_the_webs() -> None:
    plan = lab_plan(workers_per_host=None, secure=True, jobs=False, ycsb=True)
    found = {one.name: one for one in host_secrets(plan, [Role.REGIONSERVER])}
    assert {"hbase.service.keytab", "spnego.service.keytab", "host.jks", "http_secret"} <= set(found)
    assert found["spnego.service.keytab"].users == ("hbase",)


def test_a_zookeeper_alone_has_its_keytab_and_no_key_store() -> None:
    found = host_secrets(trio_plan(secure=True), [Role.ZOOKEEPER])
    assert [(one.name, one.owner, one.principals) for one in found] == [
        ("zookeeper.service.keytab", "zookeeper", ("zookeeper/_HOST@EXAMPLE.COM",))
    ]


def test_one_keytab_for_several_users_is_roots_and_the_groups() -> None:
    one = "/etc/security/keytabs/all.keytab"
    plan = lab_plan(
        secure=True,
        settings={"dfs.datanode.keytab.file": one, "yarn.nodemanager.keytab": one},
    )
    found = {one.name: one for one in host_secrets(plan, [Role.DATANODE, Role.NODEMANAGER])}
    assert (found["all.keytab"].owner, found["all.keytab"].mode) == ("root", "0440")
    assert found["all.keytab"].principals == ("hdfs/_HOST@EXAMPLE.COM", "yarn/_HOST@EXAMPLE.COM")


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("keytabs/hdfs.keytab", "not a valid path"),
        ("/etc/../hdfs.keytab", "not a valid path"),
        ("/elsewhere/spnego.service.keytab", "has the same file name as"),
    ],
)
def test_a_path_that_cannot_be(path: str, says: str) -> None:
    plan = lab_plan(secure=True, settings={"dfs.datanode.keytab.file": path})
    with pytest.raises(UserError, match=says):
        host_secrets(plan, [Role.DATANODE])
