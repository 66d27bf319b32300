"""Playbooks run by Ansible over ssh, and the result of each task on each host.

Ansible handles connections, sudo and many hosts at once. This module starts it, passes secrets at its prompts
and reads its events. Its files are in a folder that is removed after the run.
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

ReportStep = Callable[[str], None]
"""Shows the current step."""

_STOPPED = ("canceled", "timeout")
_SSH_PASSWORD = r"SSH password:\s*?$"
_SUDO_PASSWORD = r"BECOME password.*:\s*?$"
_QUIET = {
    # Messages of ssh and sudo are recognised by their English words.
    "LC_ALL": "C.UTF-8",
    "ANSIBLE_DEPRECATION_WARNINGS": "False",
    "ANSIBLE_SYSTEM_WARNINGS": "False",
    "ANSIBLE_LOCALHOST_WARNING": "False",
    "ANSIBLE_INVENTORY_UNPARSED_WARNING": "False",
    "ANSIBLE_NOCOLOR": "True",
}
_SSH_OPTIONS = (
    "-o ControlMaster=auto -o ControlPersist=60s -o ConnectTimeout=10 "
    "-o ServerAliveInterval=5 -o ServerAliveCountMax=3"
)
"""One connection for all steps of a run; that of a dead host is closed after fifteen seconds."""


class SshLogin(NamedTuple):
    """Login options in addition to ssh's own configuration."""

    ssh_config: Path | None = None
    """A configuration file of ssh to use instead of the user's own."""
    ssh_password: str | None = None
    sudo_password: str | None = None
    forks: int = 50
    """Hosts at once."""


class HostAnswer(NamedTuple):
    """The result of one task on one host."""

    host: str
    task: str
    result: Mapping[str, Any]
    failed: bool
    unreachable: bool
    begun: str
    """Ansible's time of the task's start."""
    ended: str


@dataclass
class PlaybookRun:
    """The results of one playbook."""

    answers: list[HostAnswer] = field(default_factory=list)
    failed: bool = False

    def of(self, task: str) -> dict[str, HostAnswer]:
        """Return the results of one task by host, failures included."""
        return {answer.host: answer for answer in self.answers if answer.task == task}

    @property
    def failures(self) -> list[HostAnswer]:
        """Each host's first failure."""
        failures: dict[str, HostAnswer] = {}
        for answer in self.answers:
            if answer.failed or answer.unreachable:
                failures.setdefault(answer.host, answer)
        return list(failures.values())


def check_ansible() -> None:
    """Raise UserError if Ansible or ssh is not installed."""
    if shutil.which("ssh") is None:
        raise UserError("ssh", "is not on this machine's PATH", "apt-get install openssh-client")
    check_extras("howdah deploy", "deploy")


def run_playbook(
    project: Path,
    playbook: str,
    login: SshLogin,
    report: ReportStep,
    *,
    variables: Mapping[str, object] | None = None,
    limit: Iterable[str] | None = None,
    check: bool = False,
    diff: bool = False,
) -> PlaybookRun:
    """Run one playbook of a project on all its hosts or those in ``limit``, and return the results.

    Raises RunFailed if Ansible itself fails before it reaches a host.
    """
    from ansible_runner.interface import run  # noqa: PLC0415

    result = PlaybookRun()

    def handle(event: dict[str, Any]) -> bool:
        _add_event(event, result, report)
        # False: Ansible's runner does not write the event to a file.
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
            # A file, because a command line cannot contain thousands of names.
            names = folder / "limit"
            names.write_text("".join(f"{name}\n" for name in limit))
            options["limit"] = f"@{names}"
        variables_file = folder / "variables.json"
        variables_file.write_text(json.dumps(dict(variables or {})))
        outcome = run(
            private_data_dir=str(folder),
            # The files would contain passwords, and would remain if howdah is killed.
            suppress_env_files=True,
            project_dir=str(project),
            inventory=str(project / "inventory.yaml"),
            playbook=playbook,
            extravars=str(variables_file),
            passwords=passwords or None,
            envvars={
                **_QUIET,
                # ansible-playbook of this Python's environment comes first on the path.
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
                # ansible-runner would accept any host key.
                "ANSIBLE_HOST_KEY_CHECKING": "True",
                "ANSIBLE_CONFIG": str(project / "ansible.cfg"),
                # Ansible's temporary files are removed with the folder.
                "ANSIBLE_LOCAL_TEMP": str(folder / "ansible"),
                # Separate from other runs, whose connections may lead to a host that no longer exists.
                "ANSIBLE_SSH_CONTROL_PATH_DIR": str(project.parent / "c"),
                "ANSIBLE_SSH_ARGS": _ssh(login),
            },
            cmdline=shlex.join(words),
            event_handler=handle,
            quiet=True,
            **options,
        )
        result.failed = outcome.rc != 0
        if outcome.status in _STOPPED:
            raise KeyboardInterrupt
        if result.failed and not result.answers:
            raise RunFailed("Ansible", _last_output(outcome) or "ended before it reached a host")
    return result


def _ssh(login: SshLogin) -> str:
    own = f"-F {shlex.quote(str(login.ssh_config.absolute()))} " if login.ssh_config else ""
    return f"{own}{_SSH_OPTIONS}"


def _add_event(event: dict[str, Any], result: PlaybookRun, report: ReportStep) -> None:
    kind, data = event.get("event", ""), event.get("event_data", {})
    if kind == "playbook_on_play_start":
        report(str(data.get("play", "")))
    if kind not in ("runner_on_ok", "runner_on_failed", "runner_on_unreachable"):
        return
    result.answers.append(
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


def _last_output(outcome: Any) -> str:
    """Return Ansible's last lines of output, without colours."""
    try:
        text = outcome.stdout.read()
    except (OSError, ValueError):
        return ""
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines() if line.strip()]
    return " / ".join(lines[-3:])
