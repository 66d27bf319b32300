"""The lists that tell masters who leaves."""

from __future__ import annotations

import json

from howdah.session.deploying import nothing_left, with_leaving


def test_names_are_added_to_a_list_of_names() -> None:
    assert with_leaving("h1\nh2\n", ["h3"]) == "h1\nh2\nh3\n"


def test_where_hosts_have_upgrade_domains_each_is_said_to_be_emptied() -> None:
    members = [{"hostName": name, "port": 9866, "upgradeDomain": name} for name in ("h1", "h2")]
    told = json.loads(with_leaving(json.dumps(members), ["h3"]))
    assert told[:2] == members
    assert told[2:] == [{"hostName": "h3", "port": 9866, "adminState": "DECOMMISSIONED"}]


def test_a_host_that_leaves_keeps_no_keytab_and_is_asked_for_none() -> None:
    some = {
        "kerberos": {"authority": "ca.pem"},
        "secrets": [{"name": "zookeeper.service.keytab"}],
        "disks": 2,
    }
    assert nothing_left(some)["secrets"] == []
