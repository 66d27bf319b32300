"""Playbooks run by Ansible over ssh, and what each host answered.

Ansible is the engine: connections, sudo, many hosts at once. Here it is started, told secrets where it asks
for them, and listened to. Nothing is kept: what it writes goes to a folder that is removed with the run.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from howdah.errors import RunFailed, UserError
from howdah.extras import check_extras
from howdah.scratch import scratch_folder

Tell = Callable[[str], None]
"""Who hears which step is being done."""

_STOPPED = ("canceled", "timeout")
_SSH_PASSWORD = r"SSH password:\s*?$"
_SUDO_PASSWORD = r"BECOME password.*:\s*?$"
_QUIET = {
    # What ssh and sudo say is understood by its words.
    "LC_ALL": "C.UTF-8",
    "ANSIBLE_DEPRECATION_WARNINGS": "False",
    "ANSIBLE_SYSTEM_WARNINGS": "False",
    "ANSIBLE_LOCALHOST_WARNING": "False",
    "ANSIBLE_INVENTORY_UNPARSED_WARNING": "False",
    "ANSIBLE_NOCOLOR": "True",
}
_KEPT = (
    "-o ControlMaster=auto -o ControlPersist=60s -o ConnectTimeout=10 "
    "-o ServerAliveInterval=5 -o ServerAliveCountMax=3"
)
"""One connection for all steps of a run; one to a host that dies is given up after fifteen seconds."""


class SshLogin(NamedTuple):
    """How hosts are logged in to, beside what ssh's own configuration says."""

    ssh_config: Path | None = None
    """A configuration file of ssh to use instead of the user's own."""
    ssh_password: str | None = None
    sudo_password: str | None = None
    forks: int = 50
    """Hosts at once."""


class HostAnswer(NamedTuple):
    """What one host answered to one task."""

    host: str
    task: str
    result: Mapping[str, Any]
    failed: bool
    unreachable: bool
    begun: str
    """When the task began there, as Ansible has it."""
    ended: str


@dataclass
class PlaybookRun:
    """All that came of one playbook."""

    answers: list[HostAnswer] = field(default_factory=list)
    failed: bool = False

    def of(self, task: str) -> dict[str, HostAnswer]:
        """The answers to one task by host; the failures too."""
        return {answer.host: answer for answer in self.answers if answer.task == task}

    @property
    def failures(self) -> list[HostAnswer]:
        """Each host's first failure."""
        found: dict[str, HostAnswer] = {}
        for answer in self.answers:
            if answer.failed or answer.unreachable:
                found.setdefault(answer.host, answer)
        return list(found.values())


def check_ansible() -> None:
    """Raise UserError where Ansible, or ssh, which it speaks with hosts by, is not installed."""
    if shutil.which("ssh") is None:
        raise UserError("ssh", "is not on this machine's PATH", "apt-get install openssh-client")
    check_extras("howdah deploy", "deploy")


def run_playbook(
    project: Path,
    playbook: str,
    login: SshLogin,
    tell: Tell,
    *,
    variables: Mapping[str, object] | None = None,
    limit: Iterable[str] | None = None,
    check: bool = False,
    diff: bool = False,
) -> PlaybookRun:
    """Run one playbook of a project on all its hosts, or those of a limit; what came of it.

    Raises RunFailed where Ansible itself fails, before any host was asked.
    """
    from ansible_runner.interface import run  # noqa: PLC0415

    made = PlaybookRun()

    def hear(event: dict[str, Any]) -> bool:
        _hear(event, made, tell)
        # What it returns decides whether the event is kept in a file; nobody would read it.
        return False

    words = ["--forks", str(login.forks)]
    words += ["--check"] if check else []
    words += ["--diff"] if diff else []
    passwords: dict[str, str] = {}
    if login.ssh_password is not None:
        words.append("--ask-pass")
        passwords[_SSH_PASSWORD] = login.ssh_password
    if login.sudo_password is not None:
        words.append("--ask-become-pass")
        passwords[_SUDO_PASSWORD] = login.sudo_password
    with scratch_folder("deploy") as folder:
        options: dict[str, Any] = {}
        if limit is not None:
            # By a file: a thousand names are more than a command line should hold.
            names = folder / "limit"
            names.write_text("".join(f"{name}\n" for name in limit))
            options["limit"] = f"@{names}"
        given = folder / "variables.json"
        given.write_text(json.dumps(dict(variables or {})))
        outcome = run(
            private_data_dir=str(folder),
            # What it would write there are passwords, too, and a killed howdah would leave them.
            suppress_env_files=True,
            project_dir=str(project),
            inventory=str(project / "inventory.yaml"),
            playbook=playbook,
            extravars=str(given),
            passwords=passwords or None,
            envvars={
                **_QUIET,
                # ansible-playbook is beside the Python that runs this, whatever else is on the path.
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
                # ansible-runner would speak with any host that answers.
                "ANSIBLE_HOST_KEY_CHECKING": "True",
                "ANSIBLE_CONFIG": str(project / "ansible.cfg"),
                # What Ansible writes here meanwhile goes with the folder, however this ends.
                "ANSIBLE_LOCAL_TEMP": str(folder / "ansible"),
                # Not where other runs have theirs, which may lead to a host that is gone since.
                "ANSIBLE_SSH_CONTROL_PATH_DIR": str(project.parent / "c"),
                "ANSIBLE_SSH_ARGS": _ssh(login),
            },
            cmdline=shlex.join(words),
            event_handler=hear,
            quiet=True,
            **options,
        )
        made.failed = outcome.rc != 0
        if outcome.status in _STOPPED:
            raise KeyboardInterrupt
        if made.failed and not made.answers:
            raise RunFailed("Ansible", _said(outcome) or "ended before it reached a host")
    return made


def _ssh(login: SshLogin) -> str:
    own = f"-F {shlex.quote(str(login.ssh_config.absolute()))} " if login.ssh_config else ""
    return f"{own}{_KEPT}"


def _hear(event: dict[str, Any], made: PlaybookRun, tell: Tell) -> None:
    kind, data = event.get("event", ""), event.get("event_data", {})
    if kind == "playbook_on_play_start":
        tell(str(data.get("play", "")))
    if kind not in ("runner_on_ok", "runner_on_failed", "runner_on_unreachable"):
        return
    made.answers.append(
        HostAnswer(
            host=str(data.get("host")),
            task=str(data.get("task")),
            result=data.get("res") or {},
            failed=kind == "runner_on_failed" and not data.get("ignore_errors"),
            unreachable=kind == "runner_on_unreachable",
            begun=str(data.get("start") or ""),
            ended=str(data.get("end") or ""),
        )
    )


def _said(outcome: Any) -> str:
    """The last of what Ansible wrote, without colours."""
    try:
        text = outcome.stdout.read()
    except (OSError, ValueError):
        return ""
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines() if line.strip()]
    return " / ".join(lines[-3:])
