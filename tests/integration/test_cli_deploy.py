"""``howdah deploy`` as it refuses what is given amiss, before any host is asked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.command import howdah
from support.labs import lab_plan, save_plan
from support.terminal import at_terminal


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_plan(
        lab_plan(workers_per_host=None, settings={"dfs.client.read.shortcircuit": "false"}),
        tmp_path_factory.mktemp("plan"),
    )


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--stop", "--start"), "--start: conflicts with --stop"),
        (("--rollback", "--status"), "--status: conflicts with --rollback"),
        (("--ssh-config", "nowhere"), "--ssh-config nowhere: is not a file"),
        (("--sudo-password-file", "nowhere"), "--sudo-password-file nowhere: cannot be read"),
        (("--sudo-password-file", "-"), "needs a terminal to prompt at, and there is none"),
        (("--disks", "h1"), "--disks h1: is not a list of a host's disks"),
        (("--disks", "h1=/dev/sdb,/dev/sdb"), "--disks h1=/dev/sdb,/dev/sdb: lists /dev/sdb twice"),
        (("--disks", "h1=/dev/sdb", "--disks", "h1=/dev/sdc"), "host h1 is in another --disks, too"),
        (("--disks", "../h1=/dev/sdb"), "lists no host ../h1"),
        (("--disks", "h1=sdb"), "--disks h1=sdb: is not a list of a host's disks"),
        (("--remove", "h1"), "--remove h1: "),
        (("--remove", "$(reboot)"), "is not a host name"),
        (("--forks", "0"), "--forks"),
        (("--finalize", "--diff"), "--finalize: conflicts with --diff"),
        (("--secrets", "nowhere"), "--secrets nowhere: needs a plan with Kerberos"),
        (("--secrets", ".", "--status"), "--status: conflicts with --secrets"),
        (("--host", "h1"), "--host: names the host to stop or start"),
        (("--stop", "--host", "h9"), "--host h9: is not in"),
        (("--status", "--add", "h1"), "--status: conflicts with --add"),
        (("--stop", "--remove", "h1"), "--stop: conflicts with --remove"),
        (("--start", "--downtime"), "--start: conflicts with --downtime"),
        (("--finalize", "--mirror", "http://m"), "--finalize: conflicts with --mirror"),
        (("--mirror", "mirror.example.com"), "--mirror mirror.example.com: is not the address of a mirror"),
        (("--mirror", "http://m:0/x"), "--mirror http://m:0/x: is not the address of a mirror"),
        (("--mirror", "http://["), "--mirror http://[: is not the address of a mirror"),
    ],
)
def test_a_flag_that_is_amiss_is_named(plan: Path, tmp_path: Path, flags: tuple[str, ...], said: str) -> None:
    made = howdah("deploy", plan, *flags, cwd=tmp_path)
    assert made.returncode == 2
    assert said in made.stderr
    assert "Traceback" not in made.stderr


def test_a_plan_that_asks_for_kerberos_with_yarn_is_refused(tmp_path: Path) -> None:
    made = howdah("deploy", save_plan(lab_plan(secure=True), tmp_path), cwd=tmp_path)
    assert made.returncode == 2
    assert "needs Kerberos with YARN, which runs tasks by container-executor" in made.stderr


def test_what_is_wrong_with_keytabs_is_told_in_one_table_before_any_host_is_asked(tmp_path: Path) -> None:
    plan = save_plan(lab_plan(workers_per_host=None, secure=True, storage=True), tmp_path)
    folder = tmp_path / "secrets"
    (folder / "h1").mkdir(parents=True)
    folder.chmod(0o700)
    (folder / "h1/hdfs.service.keytab").write_bytes(b"not one")
    made = howdah("deploy", plan, "--secrets", folder, cwd=tmp_path)
    assert made.returncode == 2
    said = " ".join(made.stdout.split())
    assert "is not a keytab" in said
    assert "spnego.service.keytab is not in" in said
    folder.chmod(0o755)
    made = howdah("deploy", plan, "--secrets", folder, cwd=tmp_path)
    assert made.returncode == 2
    assert "is readable by other users" in made.stderr


def test_ssh_says_what_is_wrong_with_its_configuration(plan: Path, tmp_path: Path) -> None:
    (tmp_path / "config").write_text("Host *\n  Prot 9\n")
    made = howdah("deploy", plan, "--ssh-config", "config", cwd=tmp_path)
    assert made.returncode == 2
    assert "--ssh-config config: ssh cannot read it" in made.stderr
    assert "Bad configuration option: prot" in " ".join(made.stderr.split())


def test_a_password_that_others_can_read_is_refused(plan: Path, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("sesame\n")
    (tmp_path / "password").chmod(0o640)
    made = howdah("deploy", plan, "--ssh-password-file", "password", cwd=tmp_path)
    assert made.returncode == 2
    assert "--ssh-password-file password: is readable by other users" in made.stderr
    assert "chmod 600 password" in made.stderr


def test_hosts_that_nobody_reaches_are_told_one_by_one(plan: Path, tmp_path: Path) -> None:
    # A port of this machine that nobody listens at.
    config = tmp_path / "ssh_config"
    config.write_text("Host *\n  HostName 127.0.0.1\n  Port 9\n  BatchMode yes\n")
    made = howdah("deploy", plan, "--ssh-config", config, cwd=tmp_path)
    assert made.returncode == 2, made.stdout + made.stderr
    assert "3 hosts not ready, and nothing was changed" in made.stderr
    for host in ("m1", "h1", "h2"):
        assert f"\n{host}" in made.stdout
    assert made.stdout.count("it does not answer on the ssh port") == 3


def test_others_are_probed_by_name_alone(tmp_path: Path) -> None:
    made = howdah("probe", "--ssh", "-oProxyCommand=id", cwd=tmp_path)
    assert made.returncode == 2
    made = howdah("probe", "--ssh", "h1", "--measure", cwd=tmp_path)
    assert made.returncode == 2
    assert "--ssh: only describes hosts" in made.stderr


def test_what_would_be_stopped_is_shown_and_no_host_is_asked_before_one_agrees(
    plan: Path, tmp_path: Path
) -> None:
    # None of these hosts exists: whatever asked one would fail.
    code, shown = at_terminal("deploy", plan, "--stop", cwd=tmp_path, answers=("n",))
    assert set(re.findall(r"stop [a-z, ]+ on [a-z0-9, ]+", shown)) == {
        "stop namenode, secondarynamenode, resourcemanager, historyserver on m1",
        "stop datanode, nodemanager on h1, h2",
    }
    assert "Apply these changes to cluster" in shown
    assert "nothing was changed" in shown
    assert code == 130


@pytest.mark.parametrize("flags", [("--stop",), ("--start",), ("--stop", "--host", "h1")])
def test_without_a_terminal_nothing_is_done_without_yes(
    plan: Path, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    made = howdah("deploy", plan, *flags, cwd=tmp_path)
    assert made.returncode == 2
    assert made.stdout.startswith(f"{flags[0].removeprefix('--')} ")
    assert "--yes: is missing, and there is no terminal to confirm at" in made.stderr
    said = howdah("deploy", plan, *flags, "--json", cwd=tmp_path)
    assert (said.returncode, said.stdout) == (2, "")
    assert "--json: cannot ask for confirmation" in said.stderr
