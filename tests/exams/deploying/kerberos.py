"""A cluster with Kerberos and a real KDC: deployed, used, and every port tried without a ticket."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from exams.deploying.course import Course, step
from support.kdc import Kdc, certify, hand_out, kdc

HOSTS = ("h1", "h2", "h3")
NEW = "h4"
_CLI = "org.apache.zookeeper.ZooKeeperMain"
_TRY = Path(__file__).with_name("trying.py")
_SHUT = (
    # What an open port may say to somebody without a ticket.
    r"TLS,( 40[0134])+",
    r"(HBase's )?RPC, refuses who has no ticket",
    r"this host alone: .*",
    # Who may do what there is tried apart.
    r"ZooKeeper",
)
_DATA_TRANSFER = 9866
_OF_SERVERS = (2888, 3888)
"""Where ZooKeeper's servers speak with one another."""


class Door(NamedTuple):
    """A port that a daemon listens at, and what it says to somebody without a ticket."""

    host: str
    unit: str
    port: int
    how: str


def examine(course: Course) -> None:
    """HDFS with one NameNode: refused where something is missing, deployed, used, renewed."""
    with handed(course, ("hdfs", "HTTP")) as (made, folder):
        _hdfs(course, made, folder)


def examine_pair(course: Course) -> None:
    """HDFS with two NameNodes, chosen in ZooKeeper: deployed, used, changed while one stands in."""
    with handed(course, ("hdfs", "HTTP", "zookeeper")) as (_, folder):
        deployed(course, folder, "two NameNodes")
        _used(course)
        all_shut(course)
        _names_are_kept(course)
        led = _active(course)
        with step("a changed setting restarts both NameNodes, with a failover"):
            changes = course.deploy(course.save("changed", HOSTS, {"dfs.namenode.handler.count": "15"}))
            assert any(change.startswith("hand over") for change in changes[led]), changes
        assert _active(course) != led
        _used(course)
        secrets_stay_secret(course)


@contextmanager
def handed(course: Course, users: Sequence[str], *, tables: bool = False) -> Iterator[tuple[Kdc, Path]]:
    """A KDC that all hosts know, and a folder with what they are to be handed."""
    course.secure, course.jobs, course.tables = True, False, tables
    gateway = f"{next(iter(course.hosts.hosts.values())).address.rpartition('.')[0]}.1"
    names = tuple(course.hosts.hosts)
    with kdc(course.folder / "kdc", gateway, names) as made:
        for host in names:
            root_of(course, host, "etc/krb5.conf").write_text(made.configuration)
        with step("a KDC, a certificate authority, and their files on all hosts"):
            folder = hand_out(course.folder / "secrets", made, dict.fromkeys(names, users))
        yield made, folder


def deployed(course: Course, folder: Path, what: str) -> tuple[Path, Sequence[str]]:
    """From nothing, and again; the plan, and the flags that hand over what is in the folder."""
    plan, secrets = course.save("secure", HOSTS), ("--secrets", str(folder))
    with step(f"three empty hosts to {what} with Kerberos"):
        course.deploy(plan, *secrets)
    with step("a second deployment changes nothing"):
        assert course.changed(plan, *secrets) == 0
        course.check_well(plan)
    return plan, secrets


def _with_ticket(course: Course, script: str) -> str:
    """What a script says that hdfs runs on the first host, with a ticket."""
    line = "kinit -k -t /etc/security/keytabs/hdfs.service.keytab hdfs/h1@EXAMPLE.COM"
    known = "PATH=$PATH:/opt/hadoop-3.5.0/bin; export KRB5CCNAME=FILE:/tmp/exam-ticket"
    whole = f"cd /; {known}; {line}; {script}"
    return course.hosts.run("h1", "runuser", "-u", "hdfs", "--", "sh", "-ec", whole)


def _active(course: Course) -> str:
    """The host of the NameNode that leads."""
    said = _with_ticket(course, "hdfs haadmin -getAllServiceState")
    lines = (line.split() for line in said.splitlines())
    return next(words[0].partition(":")[0] for words in lines if words and words[-1] == "active")


def _names_are_kept(course: Course) -> None:
    """See that nobody without a ticket changes in ZooKeeper who leads."""
    lines = "getAcl /hadoop-ha/exam/ActiveBreadCrumb\nset /hadoop-ha/exam/ActiveBreadCrumb x\nquit\n"
    client = f"printf '%s' {shlex.quote(lines)} | hadoop {_CLI} -server h1:2181 2>&1 || true"
    with step("ZooKeeper refuses clients without a ticket"):
        script = f"cd /; PATH=$PATH:/opt/hadoop-3.5.0/bin; {client}"
        said = course.hosts.run("h1", "runuser", "-u", "admin", "--", "sh", "-c", script)
        assert "state:Closed" in said, said
        assert "'sasl" not in said, said
        assert "mZxid" not in said, said
    with step("only HDFS has access to the nodes of the election"):
        reading = client.replace("set /hadoop-ha/exam/ActiveBreadCrumb x\n", "")
        login = "export JAVA_TOOL_OPTIONS=-Djava.security.auth.login.config=/etc/security/jaas/hdfs.conf"
        said = _with_ticket(course, f"{login}; {reading}")
        assert "'sasl,'hdfs" in said, said
        assert "'world" not in said, said


def _hdfs(course: Course, made: Kdc, folder: Path) -> None:
    plan = course.save("secure", HOSTS)
    secrets = ("--secrets", str(folder))
    with step("without its keytabs every host is refused"):
        wrong = course.refused(plan)
        assert set(wrong) == set(HOSTS), wrong
        assert all("--secrets" in " ".join(told) for told in wrong.values()), wrong
    keytab = folder / "h2/hdfs.service.keytab"
    content = keytab.read_bytes()
    with step("a keytab of another host is refused before any host is contacted"):
        keytab.write_bytes((folder / "h1/hdfs.service.keytab").read_bytes())
        wrong = course.refused(plan, *secrets)
        assert set(wrong) == {"h2"}, wrong
        assert "no key of hdfs/h2@EXAMPLE.COM" in wrong["h2"][0], wrong
        keytab.write_bytes(content)
    with step("three empty hosts to HDFS with Kerberos"):
        course.deploy(plan, *secrets)
    with step("a second deployment changes nothing, even without the folder of secrets"):
        assert course.changed(plan, *secrets) == 0
        assert course.changed(plan) == 0
        course.check_well(plan)
    _used(course)
    all_shut(course)
    with step("a renewed certificate restarts only the daemons of its host"):
        certify(folder, "h2")
        changes = course.deploy(plan, *secrets)
        assert any("host.jks" in change for change in changes["h2"]), changes
        assert any(change.startswith("restart ") for change in changes["h2"]), changes
        assert not changes["h1"], changes
        assert not changes["h3"], changes
    with step("a keytab with keys that the KDC no longer has is reported"):
        made.keytab(course.folder / "newer.keytab", "hdfs/h3@EXAMPLE.COM")
        course.hosts.run("h3", "rm", "-rf", "/run/howdah-tickets")
        told = course.call(course.line(plan, "--status", "--json"))
        assert told.returncode == 1, told.stdout
        assert "gets no ticket" in told.stdout + told.stderr, told.stdout + told.stderr
    with step("the new keytab is copied"):
        (folder / "h3/hdfs.service.keytab").write_bytes((course.folder / "newer.keytab").read_bytes())
        course.deploy(plan, *secrets)
        course.check_well(plan)
    secrets_stay_secret(course)
    _found_open(course, plan)
    _grown_and_shrunk(course, plan, secrets)


def _found_open(course: Course, plan: Path) -> None:
    """A deployment that lets somebody in without a ticket is told so."""
    with step("a plan with unprotected pages fails at its end, with a list of the pages"):
        lax = {"hadoop.http.filter.initializers": "org.apache.hadoop.http.lib.StaticUserWebFilter"}
        wrong = course.failed(course.save("lax", HOSTS, lax))
        assert set(wrong) == set(HOSTS), wrong
        assert (
            "clients without a ticket are admitted, or may be: datanode's port 9865 shows /" in wrong["h1"][0]
        ), wrong
    with step("the previous plan restores the protection"):
        course.deploy(plan)
        course.check_well(plan)


def _grown_and_shrunk(course: Course, plan: Path, secrets: Sequence[str]) -> None:
    """A host more, and it goes again; what it held is elsewhere first."""
    larger = course.save("larger", (*HOSTS, NEW))
    with step(f"{NEW} is added, with its own keytabs"):
        course.deploy(larger, "--add", NEW, *secrets)
        course.check_well(larger)
    with step(f"{NEW} is removed, and HDFS lacks nothing"):
        made = course.deploy(plan, "--remove", NEW)
        assert "stop hadoop-hdfs-datanode.service" in made[NEW], made
        assert "is HEALTHY" in _with_ticket(course, "hdfs fsck / 2>/dev/null")


def _used(course: Course) -> None:
    """Whoever has a ticket uses it; whoever has none is refused."""
    with step("a user with a ticket writes and reads"):
        _with_ticket(
            course,
            "hdfs dfs -put -f /etc/passwd /tmp/passwd; hdfs dfs -cat /tmp/passwd | cmp - /etc/passwd",
        )
    with step("a user without a ticket is refused"):
        script = "cd /; export KRB5CCNAME=FILE:/nowhere; /opt/hadoop-3.5.0/bin/hdfs dfs -ls / 2>&1 || true"
        said = course.hosts.run("h1", "runuser", "-u", "admin", "--", "sh", "-c", script)
        assert "AccessControlException" in said, said


def doors(course: Course) -> Iterator[Door]:
    """Every port that a daemon listens at, tried from its own host without a ticket."""
    for host in HOSTS:
        root_of(course, host, "tmp/try.py").write_text(_TRY.read_text())
        for unit, port, how in json.loads(course.hosts.run(host, "python3", "/tmp/try.py", host)):
            yield Door(host, unit, port, how)


def shut(course: Course, door: Door) -> bool:
    """Whether a port lets nobody in who has no ticket."""
    if door.port == _DATA_TRANSFER:
        # It wants a handshake first, and says so in its log alone.
        log = course.hosts.run(door.host, "cat", "/var/log/hadoop/hadoop-hdfs-datanode.log")
        return door.how == "says nothing" and "Failed to read expected SASL data transfer protection" in log
    if door.port in _OF_SERVERS:
        log = course.hosts.run(door.host, "cat", "/var/log/hadoop/zookeeper-server.log")
        return door.how == "says nothing" and "Learner not trying to authenticate and authentication" in log
    return any(re.fullmatch(one, door.how) for one in _SHUT)


def all_shut(course: Course) -> None:
    """Print what every port says to somebody without a ticket, and see that none lets anybody in."""
    table = sorted(doors(course))
    for door in table:
        print(f"    {door.host}  {door.unit:32} {door.port:6}  {door.how}", flush=True)
    assert not [door for door in table if not shut(course, door)], table


def secrets_stay_secret(course: Course) -> None:
    """No keytab, key or password is where others could read it."""
    with step("no secret is readable by other users"):
        for host in HOSTS:
            script = (
                "find /etc/security/keytabs /etc/security/tls /etc/security/http_secret /var/lib/howdah "
                "-type f -perm /o+r ! -name ca.pem ! -name trust.jks"
            )
            open_ones = course.hosts.run(host, "sh", "-c", script).split()
            assert open_ones == [], open_ones
            word = "of-this-rig-alone"
            found = course.hosts.run(
                host, "sh", "-c", f"grep -rl {shlex.quote(word)} /etc /var/log /var/lib/howdah /run || true"
            )
            assert not found.strip(), found


def root_of(course: Course, host: str, path: str) -> Path:
    """A file of a host, as this machine sees it."""
    return Path(f"/proc/{course.hosts.hosts[host].init}/root/{path}")
