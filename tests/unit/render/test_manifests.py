"""What a host is to be, as its manifest says it."""

from __future__ import annotations

import json
from typing import Any

from howdah.render.cluster import render
from support.labs import lab_plan, trio_plan


def _manifests(plan: Any) -> dict[str, dict[str, Any]]:
    begin = "deploy/manifests/"
    return {
        file.path.removeprefix(begin).removesuffix(".json"): json.loads(file.content)
        for file in render(plan).files
        if file.path.startswith(begin)
    }


def test_alike_hosts_share_one_and_masters_have_their_own() -> None:
    assert set(_manifests(lab_plan(workers_per_host=None))) == {"worker", "m1"}
    assert set(_manifests(trio_plan())) >= {"h1", "h2", "h3"}


def test_a_worker_has_its_disks_users_and_daemons_and_no_masters() -> None:
    worker = _manifests(lab_plan(workers_per_host=None))["worker"]
    assert [daemon["name"] for daemon in worker["daemons"]] == ["datanode", "nodemanager"]
    assert {user["name"] for user in worker["users"]} == {"hdfs", "yarn"}
    assert worker["disks"]["count"] == 4
    assert {"path": "/data/01/dfs", "owner": "hdfs", "mode": "0700", "on": "/data/01"} in worker[
        "directories"
    ]
    places = {entry["path"] for entry in worker["files"]}
    assert {
        "/etc/hadoop/conf/hdfs-site.xml",
        "/etc/sysctl.d/90-howdah.conf",
        "/etc/howdah/disks.sh",
    } <= places
    assert "/etc/systemd/system/hadoop-hdfs-namenode.service" not in places


def test_each_zookeeper_has_its_number() -> None:
    numbers = {
        name: entry["content"]
        for name, manifest in _manifests(trio_plan()).items()
        for entry in manifest["files"]
        if entry["path"].endswith("/myid")
    }
    assert sorted(numbers.values()) == ["1\n", "2\n", "3\n"]


def test_another_plan_is_another_revision_on_every_host() -> None:
    before = _manifests(lab_plan(workers_per_host=None))
    after = _manifests(lab_plan(workers_per_host=None, settings={"dfs.namenode.handler.count": "33"}))
    assert all(before[name]["revision"] != after[name]["revision"] for name in before)


def test_a_secure_host_is_told_what_it_is_handed_and_asked_by_tls() -> None:
    master = _manifests(lab_plan(secure=True))["m1"]
    assert {entry["name"] for entry in master["secrets"]} >= {"hdfs.service.keytab", "host.jks", "ca.pem"}
    assert not any("content" in entry for entry in master["secrets"])
    own = {"keytab": "/etc/security/keytabs/hdfs.service.keytab", "principal": "hdfs/_HOST@EXAMPLE.COM"}
    assert master["kerberos"]["users"]["hdfs"] == own
    pages = {daemon["name"]: daemon["page"]["port"] for daemon in master["daemons"]}
    assert pages == {
        "namenode": 9871,
        "secondarynamenode": 9869,
        "resourcemanager": 8090,
        "historyserver": 19890,
    }
    reads = {daemon["name"]: set(daemon["reads"]) for daemon in master["daemons"]}
    assert "yarn.service.keytab" in reads["resourcemanager"]
    assert "hdfs.service.keytab" not in reads["resourcemanager"]


def test_without_kerberos_there_is_nothing_of_it() -> None:
    for manifest in _manifests(lab_plan(workers_per_host=None)).values():
        assert not {"secrets", "kerberos"} & manifest.keys()
        assert not any("reads" in daemon for daemon in manifest["daemons"])


def test_who_logs_in_to_zookeeper_does_so_by_the_hosts_own_name() -> None:
    found = {entry["path"]: entry for entry in _manifests(trio_plan(secure=True))["h1"]["files"]}
    login = found["/etc/security/jaas/hdfs.conf"]
    assert login["host"]
    assert 'principal="hdfs/_HOST@EXAMPLE.COM"' in login["content"]
    assert "/etc/zookeeper/conf/jaas.conf" in found


def test_hdfs_asks_first_and_zookeeper_never() -> None:
    """Pages are asked as the first user of a host who has a keytab there."""
    users = list(_manifests(trio_plan(secure=True))["h1"]["kerberos"]["users"])
    assert users[0] == "hdfs"
    assert "zookeeper" not in users
