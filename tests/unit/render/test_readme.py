"""The steps of a rendered README: what an administrator would be stopped by where one is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from howdah.documents.files import read_inventory
from howdah.hadoop.daemons import DAEMONS
from howdah.model.plan import ConfigSet, Role
from howdah.model.request import Demand, Hypervisor, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from howdah.render.cluster import render

EXAMPLES = Path(__file__).parents[3] / "examples"
HBASE = (Demand(kind="ycsb"),)


def readme(example: str, request: PlanRequest) -> str:
    files: ConfigSet = render(plan_cluster(read_inventory(EXAMPLES / f"{example}.yaml"), request))
    return next(file.content for file in files.files if file.path == "README.md")


@pytest.fixture(scope="module")
def paired() -> str:
    return readme(
        "hosts-7",
        PlanRequest(workloads=HBASE, hypervisor=Hypervisor.NONE, protection=Protection.HA, secure=True),
    )


def test_daemons_start_in_the_order_of_the_catalogue() -> None:
    work = (Demand(kind="mapreduce"), *HBASE)
    request = PlanRequest(workloads=work, hypervisor=Hypervisor.NONE, protection=Protection.HA)
    commands = re.findall(
        r"(?:--daemon|hbase-daemon\.sh|zkServer\.sh) start ?(\w*)", readme("hosts-7", request)
    )
    words = {kind.command[1]: role for role, kind in DAEMONS.items()} | {"": Role.ZOOKEEPER}
    started = list(dict.fromkeys(words[word] for word in commands))
    assert started == [role for role in DAEMONS if role in started]
    assert len(started) > 8


def test_hbase_is_given_its_folders_before_it_starts(paired: str) -> None:
    made = paired.index("hdfs dfs -chown hbase:hadoop /hbase ")
    assert made < paired.index("hbase-daemon.sh start master")
    assert "install -d -o hbase -g hadoop -m 0700 /var/lib/hbase/tmp" in paired[:made]


def test_what_is_said_of_nodes_has_its_place_before_a_resourcemanager_starts() -> None:
    paired = readme("hosts-7", PlanRequest(hypervisor=Hypervisor.NONE, protection=Protection.HA))
    folder = "/yarn/node-attributes && hdfs dfs -chown yarn:hadoop /yarn/node-attributes"
    assert paired.index(f"hdfs dfs -mkdir -p {folder}") < paired.index("yarn --daemon start resourcemanager")
    assert "yarn-node-attributes" not in paired
    alone = readme("hosts-7", PlanRequest(hypervisor=Hypervisor.NONE))
    made = alone.index("install -d -o yarn -g hadoop -m 0700 /var/lib/hadoop/yarn-node-attributes")
    assert made < alone.index("yarn --daemon start resourcemanager")
    assert "hdfs dfs -mkdir -p /yarn" not in alone


def test_hbase_serves_its_pages_with_the_key_stores_of_hadoop(paired: str) -> None:
    assert "`ssl-server.xml` and `ssl-client.xml` of `hadoop/`" in paired


def test_fencing_has_its_key_before_a_failover_controller_starts(paired: str) -> None:
    folder = paired.index("install -d -o hdfs -g hadoop -m 0700 /etc/hadoop/ssh\n")
    # JSch 0.1.55 of Hadoop 3.5.0 reads keys in PEM alone, and ssh-keygen writes another form by itself.
    key = paired.index("ssh-keygen -t ecdsa -m PEM -N '' -f /etc/hadoop/ssh/fencing")
    assert folder < key < paired.index("start zkfc")


def test_a_secure_cluster_wants_a_ticket_before_its_first_command(paired: str) -> None:
    ticket = paired.index("kinit -kt /etc/security/keytabs/hdfs.service.keytab hdfs/")
    assert ticket < paired.index("hdfs namenode -format")


def test_a_new_file_system_bears_the_clusters_name(paired: str) -> None:
    # A name without the option is passed over in silence.
    assert re.search(r"^    hdfs namenode -format -clusterid \S+$", paired, re.M)


def test_a_secure_cluster_is_told_who_reads_its_secrets_and_what_a_nodemanager_needs() -> None:
    text = readme("hosts-7", PlanRequest(hypervisor=Hypervisor.NONE, secure=True, realm="EXAMPLE.COM"))
    for told in ("(mode 0400)", "hadoop credential create ssl.server.keystore.password", "chgrp hadoop"):
        assert told in text
    assert "hadoop checknative" in text


def test_an_open_cluster_without_a_pair_hears_of_neither() -> None:
    text = readme("hosts-7", PlanRequest(hypervisor=Hypervisor.NONE))
    assert "kinit" not in text
    assert "ssh-keygen" not in text
    assert "hbase" not in text


def test_directories_of_data_are_made_on_mounted_disks_only(paired: str) -> None:
    loop = paired.index("for disk in /data/*")
    assert paired.index('mountpoint -q "$disk" || continue', loop) < paired.index("install -d", loop)


def test_users_are_given_homes() -> None:
    text = readme("hosts-7", PlanRequest(hypervisor=Hypervisor.NONE))
    assert "hdfs dfs -mkdir /user/NAME" in text


def test_who_writes_to_a_secure_zookeeper_is_told_how_to_log_in(paired: str) -> None:
    before = paired[: paired.index("zkServer.sh start")]
    for path in ("/etc/security/jaas/hdfs.conf", "/etc/security/jaas/hbase.conf"):
        assert f"# {path} on " in before
    assert 'keyTab="/etc/security/keytabs/hdfs.service.keytab" principal="hdfs/HOST@EXAMPLE.COM";' in before
    assert "Server {" in before


def test_every_daemon_of_a_plan_has_a_limit_to_its_heap() -> None:
    """Without one Java takes a quarter of the memory, for each of several daemons of a master."""
    plan = plan_cluster(
        read_inventory(EXAMPLES / "hosts-7.yaml"),
        PlanRequest(
            workloads=(Demand(kind="terasuite"), *HBASE),
            hypervisor=Hypervisor.NONE,
            protection=Protection.HA,
            secure=True,
        ),
    )
    values = {one.key: str(one.value) for one in plan.settings}
    for daemon in (
        "HDFS_NAMENODE",
        "HDFS_DATANODE",
        "HDFS_JOURNALNODE",
        "HDFS_ZKFC",
        "YARN_RESOURCEMANAGER",
        "YARN_NODEMANAGER",
        "MAPRED_HISTORYSERVER",
        "HBASE_MASTER",
        "HBASE_REGIONSERVER",
    ):
        assert "-Xmx" in values[f"{daemon}_OPTS"], daemon
    assert values["HBASE_MANAGES_ZK"] == "false"


def test_a_secure_zookeeper_knows_users_and_not_their_hosts() -> None:
    """An ACL such as sasl:hdfs:rwcda names nobody otherwise: the second NameNode is locked out."""
    files = render(
        plan_cluster(
            read_inventory(EXAMPLES / "hosts-7.yaml"),
            PlanRequest(hypervisor=Hypervisor.NONE, protection=Protection.HA, secure=True),
        )
    ).files
    lines = next(file.content for file in files if file.path == "zookeeper/zoo.cfg").splitlines()
    assert "kerberos.removeHostFromPrincipal=true" in lines
    assert "kerberos.removeRealmFromPrincipal=true" in lines


def test_no_reason_has_dashes_that_a_comment_cannot_hold() -> None:
    files = render(
        plan_cluster(
            read_inventory(EXAMPLES / "hosts-7.yaml"),
            PlanRequest(
                workloads=(Demand(kind="terasuite"), *HBASE),
                hypervisor=Hypervisor.NONE,
                protection=Protection.HA,
                secure=True,
            ),
        )
    ).files
    assert [file.path for file in files if file.path.endswith(".xml") and "- -" in file.content] == []


def test_a_bond_is_not_made_without_being_told_of_its_address() -> None:
    files = render(
        plan_cluster(read_inventory(EXAMPLES / "hosts-32.yaml"), PlanRequest(hypervisor=Hypervisor.NONE))
    ).files
    bond = next(file.content for file in files if file.path == "network/10-hadoop.netdev")
    assert "together with your own .network file that gives hadoop0 the" in bond[: bond.index("[NetDev]")]


def test_where_kinds_differ_a_check_is_run_where_their_settings_are() -> None:
    line = "howdah check --conf /etc/hadoop/conf --plan plan.yaml"
    assert f"{line}    # on a worker of each kind" in readme("hosts-mixed", PlanRequest())
    assert f"{line}    # on a worker" not in readme("hosts-7", PlanRequest(hypervisor=Hypervisor.NONE))
