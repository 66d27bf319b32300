"""Changes of 48 keys, several for every daemon: who restarts, what each runs on, who is served meanwhile.

Which daemons read a key is written down here by hand, from Hadoop's and HBase's own source, and compared with
what really happens: which processes are others afterwards, and what each daemon's /conf shows.
"""

from __future__ import annotations

import http.client
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from exams.deploying.course import Course, step
from exams.deploying.served import Service, services
from support.command import environment

HOSTS = ("h1", "h2", "h3")
_MOST_S = {"HDFS": 30.0, "YARN": 60.0, "HBase": 90.0}
"""Longer than this nobody may wait while daemons restart a few at a time, on a machine that others use."""

NN, DN, JN, FC = "hdfs-namenode", "hdfs-datanode", "hdfs-journalnode", "hdfs-zkfc"
RM, NM, JH = "yarn-resourcemanager", "yarn-nodemanager", "mapreduce-historyserver"
HM, RS, ZK = "hbase-master", "hbase-regionserver", "zookeeper-server"
_PAGES = {NN: 9870, DN: 9864, JN: 8480, RM: 8088, NM: 8042, JH: 19888, HM: 16010, RS: 16030}


class Key(NamedTuple):
    """A key, its new value, and the daemons that read it."""

    name: str
    value: str
    daemons: tuple[str, ...]


WORKERS = (
    Key("dfs.datanode.max.transfer.threads", "5001", (DN,)),
    Key("dfs.datanode.balance.bandwidthPerSec", "20000000", (DN,)),
    Key("dfs.datanode.readahead.bytes", "8388608", (DN,)),
    Key("dfs.blockreport.intervalMsec", "21600001", (DN,)),
    Key("dfs.datanode.handler.count", "11", (DN,)),
    Key("dfs.datanode.scan.period.hours", "505", (DN,)),
    Key("yarn.nodemanager.vmem-check-enabled", "true", (NM,)),
    Key("yarn.nodemanager.disk-health-checker.interval-ms", "120001", (NM,)),
    Key("yarn.nodemanager.container-manager.thread-count", "21", (NM,)),
    Key("yarn.nodemanager.localizer.fetch.thread-count", "5", (NM,)),
    Key("yarn.nodemanager.delete.debug-delay-sec", "1", (NM,)),
    Key("mapreduce.shuffle.max.threads", "9", (NM,)),
    Key("hbase.regionserver.thread.compaction.small", "2", (RS,)),
    Key("hbase.regionserver.executor.openregion.threads", "4", (RS,)),
    Key("hbase.regionserver.executor.closeregion.threads", "4", (RS,)),
    Key("hbase.regionserver.regionSplitLimit", "999", (RS,)),
)
MASTERS = (
    Key("dfs.namenode.handler.count", "15", (NN,)),
    Key("dfs.namenode.replication.max-streams", "3", (NN,)),
    Key("dfs.namenode.fs-limits.max-directory-items", "1048577", (NN,)),
    Key("dfs.namenode.snapshot.capture.openfiles", "true", (NN,)),
    Key("dfs.qjournal.select-input-streams.timeout.ms", "20001", (NN,)),
    Key("dfs.journalnode.sync.interval", "120001", (JN,)),
    Key("dfs.journalnode.handler.count", "6", (JN,)),
    Key("dfs.journalnode.edit-cache-size.bytes", "1048577", (JN,)),
    Key("ha.health-monitor.check-interval.ms", "1001", (FC,)),
    Key("ha.failover-controller.new-active.rpc-timeout.ms", "60001", (FC,)),
    Key("yarn.scheduler.capacity.node-locality-delay", "3", (RM,)),
    Key("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "1001", (RM,)),
    Key("yarn.resourcemanager.am.max-attempts", "3", (RM,)),
    Key("yarn.resourcemanager.max-completed-applications", "900", (RM,)),
    Key("yarn.resourcemanager.client.thread-count", "51", (RM,)),
    Key("mapreduce.jobhistory.joblist.cache.size", "20001", (JH,)),
    Key("mapreduce.jobhistory.max-age-ms", "604800001", (JH,)),
    Key("mapreduce.jobhistory.cleaner.interval-ms", "86400001", (JH,)),
    Key("hbase.balancer.period", "300001", (HM,)),
    Key("hbase.normalizer.period", "300001", (HM,)),
    Key("hbase.catalogjanitor.interval", "300001", (HM,)),
    Key("hbase.master.cleaner.interval", "600001", (HM,)),
    Key("autopurge.snapRetainCount", "6", (ZK,)),
)
JOBS = (
    Key("mapreduce.task.io.sort.factor", "48", ()),
    Key("mapreduce.task.timeout", "610000", ()),
)
SHARED = (
    # Log aggregation is switched off: planned, it is on.
    Key("yarn.log-aggregation-enable", "false", (RM, NM, JH)),
    Key("yarn.acl.enable", "true", (RM, NM, JH)),
    # Every daemon with a client of HDFS in it.
    Key("dfs.client.socket-timeout", "60001", (NN, DN, RM, NM, JH, HM, RS)),
    Key("dfs.heartbeat.interval", "4", (NN, DN)),
    Key("fs.trash.interval", "1441", (NN,)),
    Key("hbase.regionserver.handler.count", "31", (HM, RS)),
)
TOKENS = Key("dfs.block.access.token.enable", "true", (NN, DN))
BATCHES: Mapping[str, Sequence[Key]] = {
    "what jobs alone read": JOBS,
    "workers' own": WORKERS,
    "masters' own": MASTERS,
    "what several read": SHARED,
}


def examine(course: Course, batches: Mapping[str, Sequence[Key]] = BATCHES) -> None:
    """Change all of them, a batch at a time, while clients use the cluster."""
    changed = sum(map(len, batches.values())) + 1
    plan = course.save("plan", HOSTS)
    with step("empty hosts to HDFS, YARN and HBase, two of each master"):
        assert course.changed(plan)
        course.check_well(plan)
    course.hdfs("h1", "dfs", "-mkdir", "-p", "/names")
    settings: dict[str, str] = {}
    with services(course.hosts, HOSTS) as served:
        for number, (name, keys) in enumerate(batches.items()):
            settings |= {key.name: key.value for key in keys}
            plan = course.save(f"batch{number}", HOSTS, settings)
            _batch(course, plan, name, keys, served)
            if keys is WORKERS:
                _stale(course, plan)
        _tokens(course, settings, served)
    print(f"    {changed} keys in all", flush=True)


def _batch(course: Course, plan: Path, name: str, keys: Sequence[Key], served: Sequence[Service]) -> None:
    reading = {daemon for key in keys for daemon in key.daemons}
    before = _processes(course)
    _restart(served)
    restarting = ", ".join(sorted(reading)) or "no daemon"
    with step(f"{len(keys)} keys, {name}: {restarting} restarted, and no others"):
        course.deploy(plan)
        after = _processes(course)
        others = {unit for unit in before if after[unit] != before[unit]}
        assert others == {(host, unit) for host, unit in before if unit in reading}, _told(others, reading)
        _shown(course, keys)
    _tell(served, _MOST_S)
    with step("a second deployment changes nothing"):
        assert course.changed(plan) == 0


def _stale(course: Course, plan: Path) -> None:
    """A daemon whose unit is as it should be, and which was started while its file was not."""
    key, file = WORKERS[0], "/etc/hadoop/conf/hdfs-site.xml"
    with step("--status detects a DataNode with another value, and only this DataNode is restarted"):
        course.hosts.run(
            "h3", "sh", "-ec",
            f"cp -p {file} /tmp/kept; sed -i 's/<value>{key.value}</<value>4321</' {file}; "
            f"systemctl restart hadoop-{DN}; sleep 20; cp -p /tmp/kept {file}",
        )  # fmt: skip
        before = _processes(course)
        told = course.told(plan, "--status", code=1)["hosts"]
        stale = {(host, one["name"]) for host in HOSTS for one in told[host]["daemons"] if not one["fresh"]}
        assert stale == {("h3", "datanode")}, told
        course.deploy(plan)
        after = _processes(course)
        assert {unit for unit in before if after[unit] != before[unit]} == {("h3", DN)}
        _shown(course, (key,))


def _tokens(course: Course, settings: dict[str, str], served: Sequence[Service]) -> None:
    """What cannot roll is refused, changes nothing, and is done in one stop and start if allowed."""
    plan = course.save("tokens", HOSTS, settings | {TOKENS.name: TOKENS.value})
    before = _processes(course)
    with step(f"{TOKENS.name} is refused without --downtime, without changes"):
        done = subprocess.run(
            course.line(plan), capture_output=True, text=True, env=environment(), check=False
        )
        assert done.returncode == 2, done.stdout + done.stderr
        assert TOKENS.name in done.stderr, done.stderr
        assert "--downtime" in done.stderr, done.stderr
        assert _processes(course) == before
        _shown(course, (TOKENS._replace(value="false"),))
    _restart(served)
    with step("with --downtime all daemons are stopped and started once, and work afterwards"):
        course.deploy(plan, "--downtime")
        after = _processes(course)
        assert all(after[unit] != before[unit] for unit in before), _told(set(), set())
        course.check_well(plan)
        _shown(course, (TOKENS,))
        assert "is HEALTHY" in course.hdfs("h1", "fsck", "/")
    _tell(served, {})
    with step("HDFS, YARN and HBase answer again"):
        _wait_until_served(served)
        assert course.changed(plan) == 0


def _wait_until_served(served: Sequence[Service]) -> None:
    _restart(served)
    deadline = time.monotonic() + 180
    while not all(service.served for service in served):
        assert time.monotonic() < deadline, [service.name for service in served if not service.served]
        time.sleep(0.5)


def _restart(served: Sequence[Service]) -> None:
    for service in served:
        service.restart()


def _tell(served: Sequence[Service], most_s: Mapping[str, float]) -> None:
    longest = {service.name: service.restart() for service in served}
    told = ", ".join(f"{name} {value:.1f} s" for name, value in longest.items())
    print(f"    longest time without an answer: {told}", flush=True)
    for name, value in most_s.items():
        assert longest[name] < value, f"{name} served nobody for {longest[name]:.1f} s"


def _processes(course: Course) -> dict[tuple[str, str], str]:
    """The process of every daemon, with the moment of its start, by host and unit."""
    found: dict[tuple[str, str], str] = {}
    for host in HOSTS:
        for unit in (NN, DN, JN, FC, RM, NM, JH, HM, RS, ZK):
            name = unit if unit.startswith(("hbase", "zookeeper")) else f"hadoop-{unit}"
            said = course.hosts.run(
                host,
                "systemctl",
                "show",
                "--property=MainPID,ExecMainStartTimestampMonotonic,ActiveState",
                name,
            )
            if "ActiveState=active" in said:
                found[host, unit] = said
    return found


def _shown(course: Course, keys: Sequence[Key]) -> None:
    """See that every daemon with a page shows the values of the keys that it reads, as they are now."""
    wrong = []
    for host, unit in _processes(course):
        reads = [
            key for key in keys if unit in key.daemons and not key.name.startswith("yarn.scheduler.capacity")
        ]
        if unit not in _PAGES or not reads:
            continue
        page = list(_page(course.hosts.hosts[host].address, _PAGES[unit]))
        shown = {name: value for name, value, _ in page}
        # A ResourceManager that stands by has not needed HDFS yet: it loads hdfs-site.xml once it does.
        lazy = unit == RM and "hdfs-site.xml" not in {source for _, _, source in page}
        wrong += [
            f"{unit} on {host}: {key.name} = {shown.get(key.name)}, not {key.value}"
            for key in reads
            if shown.get(key.name) != key.value and not (lazy and key.name.startswith("dfs."))
        ]
    assert not wrong, wrong


def _page(address: str, port: int) -> Iterator[tuple[str, str, str]]:
    connection = http.client.HTTPConnection(address, port, timeout=30)
    connection.request("GET", "/conf")
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200, (address, port, answer.status)
    for entry in ElementTree.fromstring(body).iter("property"):
        yield entry.findtext("name") or "", entry.findtext("value") or "", entry.findtext("source") or ""
    connection.close()


def _told(others: set[tuple[str, str]], reading: set[str]) -> str:
    listed = ", ".join(f"{unit} on {host}" for host, unit in sorted(others))
    return f"other processes: {listed or 'not all'}; reading: {sorted(reading)}"
