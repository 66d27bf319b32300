"""A cluster with Kerberos and a real KDC: deployed, used, and every port tried without a ticket."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from exams.deploying.course import Course, step
from support.kdc import Kdc, certify, hand_out, kdc

HOSTS = ("h1", "h2", "h3")
_USERS = ("hdfs", "HTTP")
_TRY = """\
import http.client, json, re, socket, ssl, subprocess, sys
name = sys.argv[1]
PAGES = ("/", "/jmx", "/conf", "/logs/", "/stacks", "/ws/v1/cluster/info", "/ws/v1/node/info",
         "/ws/v1/history/info", "/webhdfs/v1/?op=LISTSTATUS&user.name=hdfs", "/rs-status", "/master-status")
def tls(port):
    trusted = ssl.create_default_context(cafile="/etc/security/tls/ca.pem")
    told = set()
    for page in PAGES:
        asked = http.client.HTTPSConnection(name, port, timeout=5, context=trusted)
        asked.request("GET", page)
        told.add(asked.getresponse().status)
    return sorted(told)
def plain(port):
    asked = http.client.HTTPConnection(name, port, timeout=5)
    asked.request("GET", "/jmx")
    return asked.getresponse().status
def said(port, words):
    with socket.create_connection((name, port), timeout=5) as one:
        one.sendall(words)
        one.settimeout(3)
        try:
            return one.recv(4096)
        except socket.timeout:
            return b""
found = []
for line in subprocess.run(["ss", "-ltnpH"], capture_output=True, text=True).stdout.splitlines():
    if "java" not in line:
        continue
    address, _, port = line.split()[3].rpartition(":")
    port, pid = int(port), int(re.search(r"pid=(\\d+)", line).group(1))
    unit = re.search(r"([^/\\n]*)[.]service", open("/proc/%d/cgroup" % pid).read()).group(1)
    if address.strip("[]").replace("::ffff:", "").startswith("127."):
        how = "answers this host alone"
    else:
        try:
            how = "TLS, " + " ".join(map(str, tls(port)))
        except Exception:
            try:
                how = "HTTP, %d" % plain(port)
            except Exception:
                answer = said(port, b"hrpc\\x09\\x00\\x00")
                if b"SIMPLE authentication is not enabled" in answer:
                    how = "RPC, refuses who has no ticket"
                else:
                    how = "says %r" % answer[:60]
    found.append([unit, port, how])
print(json.dumps(found))
"""
_SHUT = (
    # What an open port may say to somebody without a ticket.
    r"TLS,( 40[13]| 404)+",
    r"RPC, refuses who has no ticket",
    r"answers this host alone",
)
_DATA_TRANSFER = 9866


class Door(NamedTuple):
    """A port that a daemon listens at, and what it says to somebody without a ticket."""

    host: str
    unit: str
    port: int
    how: str


def examine(course: Course) -> None:
    """HDFS with one NameNode: refused where something is missing, deployed, used, renewed."""
    course.secure, course.jobs = True, False
    gateway = f"{next(iter(course.hosts.hosts.values())).address.rpartition('.')[0]}.1"
    with kdc(course.folder / "kdc", gateway, HOSTS) as made:
        for host in HOSTS:
            _root(course, host, "etc/krb5.conf").write_text(made.configuration)
        with step("a KDC, an authority, and what they hand to three hosts"):
            folder = hand_out(course.folder / "secrets", made, dict.fromkeys(HOSTS, _USERS))
        _hdfs(course, made, folder)


def _hdfs(course: Course, made: Kdc, folder: Path) -> None:
    plan = course.save("secure", HOSTS)
    handed = ("--secrets", str(folder))
    with step("without its keytabs every host is refused"):
        wrong = course.refused(plan)
        assert set(wrong) == set(HOSTS), wrong
        assert all("--secrets" in " ".join(told) for told in wrong.values()), wrong
    keytab = folder / "h2/hdfs.service.keytab"
    content = keytab.read_bytes()
    with step("a keytab of another host is refused before any host is asked"):
        keytab.write_bytes((folder / "h1/hdfs.service.keytab").read_bytes())
        wrong = course.refused(plan, *handed)
        assert set(wrong) == {"h2"}, wrong
        assert "no key of hdfs/h2@EXAMPLE.COM" in wrong["h2"][0], wrong
        keytab.write_bytes(content)
    with step("three hosts from nothing to HDFS with Kerberos"):
        course.deploy(plan, *handed)
    with step("again: nothing is changed, without the folder too"):
        assert course.changed(plan, *handed) == 0
        assert course.changed(plan) == 0
        course.check_well(plan)
    _used(course)
    table = list(doors(course))
    show(table)
    assert not [door for door in table if not shut(course, door)], table
    with step("a renewed certificate restarts the daemons of its host, and of no other"):
        certify(folder, "h2")
        changes = course.deploy(plan, *handed)
        assert any("host.jks" in change for change in changes["h2"]), changes
        assert any(change.startswith("restart ") for change in changes["h2"]), changes
        assert not changes["h1"], changes
        assert not changes["h3"], changes
    with step("a keytab whose keys the KDC has no longer is told"):
        made.keytab(course.folder / "newer.keytab", "hdfs/h3@EXAMPLE.COM")
        course.hosts.run("h3", "rm", "-rf", "/run/howdah-tickets")
        told = course.call(course.line(plan, "--status", "--json"))
        assert told.returncode == 1, told.stdout
        assert "gets no ticket" in told.stdout + told.stderr, told.stdout + told.stderr
    with step("and the new one is handed over"):
        (folder / "h3/hdfs.service.keytab").write_bytes((course.folder / "newer.keytab").read_bytes())
        course.deploy(plan, *handed)
        course.check_well(plan)
    secrets_stay_secret(course, folder)


def _used(course: Course) -> None:
    """Whoever has a ticket uses it; whoever has none is refused."""
    line = "kinit -k -t /etc/security/keytabs/hdfs.service.keytab hdfs/h1@EXAMPLE.COM && "
    with step("a user with a ticket writes and reads"):
        course.hosts.run(
            "h1", "runuser", "-u", "hdfs", "--", "sh", "-ec",
            f"cd /; export KRB5CCNAME=FILE:/tmp/exam-ticket; {line}"
            "/opt/hadoop-3.5.0/bin/hdfs dfs -put -f /etc/services /tmp/services; "
            "/opt/hadoop-3.5.0/bin/hdfs dfs -cat /tmp/services | cmp - /etc/services; rm /tmp/exam-ticket",
        )  # fmt: skip
    with step("a user without one is refused"):
        script = "cd /; export KRB5CCNAME=FILE:/nowhere; /opt/hadoop-3.5.0/bin/hdfs dfs -ls / 2>&1 || true"
        said = course.hosts.run("h1", "runuser", "-u", "admin", "--", "sh", "-c", script)
        assert "AccessControlException" in said, said


def doors(course: Course) -> Iterator[Door]:
    """Every port that a daemon listens at, tried from its own host without a ticket."""
    for host in HOSTS:
        _root(course, host, "tmp/try.py").write_text(_TRY)
        for unit, port, how in json.loads(course.hosts.run(host, "python3", "/tmp/try.py", host)):
            yield Door(host, unit, port, how)


def shut(course: Course, door: Door) -> bool:
    """Whether a port lets nobody in who has no ticket."""
    if door.port == _DATA_TRANSFER:
        # It wants a handshake first, and says so in its log alone.
        log = course.hosts.run(door.host, "cat", "/var/log/hadoop/hadoop-hdfs-datanode.log")
        return door.how == "says b''" and "Failed to read expected SASL data transfer protection" in log
    return any(re.fullmatch(one, door.how) for one in _SHUT)


def show(table: list[Door]) -> None:
    """Print the table."""
    for door in sorted(table):
        print(f"    {door.host}  {door.unit:32} {door.port:6}  {door.how}", flush=True)


def secrets_stay_secret(course: Course, folder: Path) -> None:
    """No keytab, key or password is where others could read it."""
    with step("what was handed over is readable for its daemons alone"):
        for host in HOSTS:
            script = "find /etc/security /var/lib/howdah -type f -perm /o+r ! -name ca.pem ! -name trust.jks"
            open_ones = [
                path for path in course.hosts.run(host, "sh", "-c", script).split() if "/jaas/" not in path
            ]
            assert open_ones == [], open_ones
            word = "of-this-rig-alone"
            found = course.hosts.run(
                host, "sh", "-c", f"grep -rl {shlex.quote(word)} /etc /var/log /var/lib/howdah /run || true"
            )
            assert not found.strip(), found


def _root(course: Course, host: str, path: str) -> Path:
    """A file of a host, as this machine sees it."""
    return Path(f"/proc/{course.hosts.hosts[host].init}/root/{path}")
