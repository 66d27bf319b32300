"""What goes wrong on real hosts is told with host and fix, and nothing is left that no next run mends."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from exams.deploying.course import Course, step
from support.command import environment

HOSTS = ("h1", "h2", "h3")
_PASSWORD = "Tigers 2 'n' $HOME"
_CHANGE = {"dfs.datanode.max.transfer.threads": "5001"}


def examine(course: Course) -> None:
    """Meet everything, and have a whole cluster in the end."""
    plan = course.save("plan", HOSTS)
    _over_a_jump_host(course, plan)
    changed = course.save("changed", HOSTS, _CHANGE)
    _half_is_cut_off(course, changed)
    _cut_off_meanwhile(course, changed)
    with step("a plan of another cluster is refused by every host"):
        wrong = course.refused(course.save("other", HOSTS, cluster="other"))
        assert set(wrong) == set(HOSTS), wrong
        assert all(
            "it is a host of the cluster exam, and this is other" in "".join(said) for said in wrong.values()
        )
    course.check_well(changed)
    assert course.changed(changed) == 0
    # From here on sudo needs a password.
    _passwords(course, changed)
    _by_hand(course, changed)


def _over_a_jump_host(course: Course, plan: Path) -> None:
    """Two hosts are reached through the third, and one of them has no room for a release's files."""
    config = course.folder / "jump_config"
    config.write_text(f"Host h2 h3\n  ProxyJump h1\n{course.hosts.ssh_config.read_text()}")
    flags = ("--ssh-config", str(config))
    with step("over a jump host without a mirror: reported, no changes"):
        wrong = course.refused(plan, *flags)
        assert set(wrong) == {"h2", "h3"}, wrong
        assert all("--mirror" in said[0] for said in wrong.values()), wrong
        assert not course.hosts.run("h1", "sh", "-c", "ls -A /opt")
    gateway = course.hosts.hosts["h1"].address.rpartition(".")[0] + ".1"
    with _mirror(course, gateway) as url:
        course.hosts.run("h3", "mount", "-t", "tmpfs", "-o", "size=2g,nr_inodes=60", "tmpfs", "/opt")
        with step("over a jump host from a mirror; a full disk: reported, the other hosts finished"):
            wrong = course.failed(plan, *flags, "--mirror", url)
            assert set(wrong) == {"h3"}, wrong
            assert "No space left on device" in wrong["h3"][0], wrong
            assert "free space below" in wrong["h3"][0], wrong
            assert "Live datanodes (2)" in course.hdfs("h1", "dfsadmin", "-report")
            assert course.hosts.run("h3", "sh", "-c", "ls -A /opt") == ""
        course.hosts.run("h3", "umount", "/opt")
        with step("the disk has space again: the next deployment completes the work"):
            course.deploy(plan, *flags, "--mirror", url)
            course.check_well(plan, *flags)
            assert course.changed(plan, *flags) == 0


@contextmanager
def _mirror(course: Course, address: str) -> Iterator[str]:
    folder = course.folder / "mirror"
    served = partial(_Quiet, directory=str(folder))
    server = ThreadingHTTPServer((address, 0), served)
    url = f"http://{address}:{server.server_address[1]}"
    course.shell(f"howdah hadoop pack {url} -o {folder}")
    # Its folder has what the playbooks are given; howdah itself knows what it packed.
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield url
    finally:
        server.shutdown()
        server.server_close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


def _half_is_cut_off(course: Course, changed: Path) -> None:
    with step("two of three hosts cut off: reported, no changes"):
        for host in HOSTS[1:]:
            course.hosts.cut(host)
        wrong = course.refused(changed)
        assert set(wrong) == set(HOSTS[1:]), wrong
        assert all("does not answer" in said[0] for said in wrong.values()), wrong
        for host in HOSTS[1:]:
            course.hosts.mend(host)
        assert not _has_changed(course, "h1")


def _cut_off_meanwhile(course: Course, changed: Path) -> None:
    with step("a host cut off while it is changed: reported, the other hosts finished"):
        under_way = course.begin(changed)
        while not _has_changed(course, "h1"):
            assert under_way.poll() is None, under_way.communicate()
            time.sleep(0.1)
        course.hosts.cut("h3")
        told, said = under_way.communicate(timeout=600)
        assert under_way.returncode == 1, told + said
        failures = json.loads(told)["failures"]
        assert "h3" in {one["host"] for one in failures}, failures
    with step("the host is back: the next deployment completes the work"):
        course.hosts.mend("h3")
        course.deploy(changed)
        course.check_well(changed)


def _has_changed(course: Course, host: str) -> bool:
    return "<value>5001" in course.hosts.run(host, "cat", "/etc/hadoop/conf/hdfs-site.xml")


def _passwords(course: Course, plan: Path) -> None:
    """Logins and sudo by passwords; wrong ones are told, and nobody is shown any."""
    config = course.folder / "password_config"
    standard = course.hosts.ssh_config.read_text().replace("  BatchMode yes\n", "")
    config.write_text(f"Host *\n  PubkeyAuthentication no\n{standard}")
    for name, password in (("right", _PASSWORD), ("wrong", "Lions 3")):
        file = course.folder / name
        file.touch(mode=0o600)
        file.write_text(f"{password}\n")
    for host in HOSTS:
        course.hosts.give_password(host, _PASSWORD)
    flags = ("--ssh-config", str(config))
    for ssh, sudo, what in (
        ("wrong", "right", "it rejects the login"),
        ("right", "wrong", "sudo rejects the password"),
    ):
        with step(f"the {'password of ssh' if ssh == 'wrong' else 'password of sudo'} is wrong"):
            wrong = course.refused(plan, *flags, "--ssh-password-file", ssh, "--sudo-password-file", sudo)
            assert set(wrong) == set(HOSTS), wrong
            assert all(what in said[0] for said in wrong.values()), wrong
            assert "Lions" not in json.dumps(wrong)
    with step("with the right passwords"):
        assert (
            course.changed(plan, *flags, "--ssh-password-file", "right", "--sudo-password-file", "right") == 0
        )


def _by_hand(course: Course, plan: Path) -> None:
    """The rendered project, run by Ansible alone, with sudo's password in a vault and without howdah."""
    course.shell(f"howdah render {plan} -o by-hand --force")
    project = course.folder / "by-hand/deploy"
    (course.folder / "key").write_text("of the vault\n")
    secret = course.folder / "vault.yaml"
    secret.write_text(f"ansible_become_password: {json.dumps(_PASSWORD)}\n")
    vault = ("--vault-password-file", str(course.folder / "key"))
    _ansible(course, project, "ansible-vault", "encrypt", str(secret), *vault)
    assert "Tigers" not in secret.read_text()
    with step("by hand, with sudo's password in a vault: an inspection finds no changes"):
        for words in (("look.yaml",), ("site.yaml", "--check", "--diff")):
            said = _ansible(course, project, "ansible-playbook", *words, "-e", f"@{secret}", *vault)
            assert "failed=0" in said, said
            assert not [
                line for line in said.splitlines() if " changed=" in line and "changed=0" not in line
            ], said


def _ansible(course: Course, project: Path, program: str, *words: str) -> str:
    done = subprocess.run(
        [str(Path(sys.executable).with_name(program)), *words],
        cwd=project, capture_output=True, text=True, check=False,
        env={**environment(), "ANSIBLE_SSH_ARGS": f"-F {course.hosts.ssh_config}", "LC_ALL": "C.UTF-8"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
