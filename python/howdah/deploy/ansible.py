"""Playbooks run by Ansible over ssh, the result of each task on each host, and fixes of hosts' problems.

Ansible handles connections, sudo and many hosts at once. This module starts it, passes secrets at its prompts
and reads its events. Its files are in a folder that is removed after the run. Meanwhile this machine serves
releases to the hosts, if no other mirror is given.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from howdah.errors import RunFailed, UserError
from howdah.extras import check_extras
from howdah.files import scratch_folder

ReportStep = Callable[[str], None]  # Shows the current step.
_STOPPED = ("canceled", "timeout")
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

    ssh_config: Path | None = None  # A configuration file of ssh to use instead of the user's own.
    ssh_password: str | None = None
    sudo_password: str | None = None
    forks: int = 50  # Hosts at once.


class HostAnswer(NamedTuple):
    host: str
    task: str
    result: Mapping[str, Any]
    failed: bool
    unreachable: bool
    begun: str  # Ansible's time of the task's start.
    ended: str


@dataclass
class PlaybookRun:
    answers: list[HostAnswer] = field(default_factory=list)
    failed: bool = False

    def of(self, task: str) -> dict[str, HostAnswer]:
        """Return the results of one task by host, failures included."""
        return {answer.host: answer for answer in self.answers if answer.task == task}

    @property
    def failures(self) -> list[HostAnswer]:
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
    """Run a playbook on all hosts or on ``limit``; raise RunFailed if Ansible fails before it reaches one."""
    from ansible_runner.interface import run  # noqa: PLC0415

    result = PlaybookRun()

    def handle(event: dict[str, Any]) -> bool:
        kind, data = event.get("event", ""), event.get("event_data", {})
        if kind == "playbook_on_play_start":
            report(str(data.get("play", "")))
        if kind in ("runner_on_ok", "runner_on_failed", "runner_on_unreachable"):
            answer = HostAnswer(
                host=str(data.get("host")),
                task=str(data.get("task")),
                result=data.get("res") or {},
                failed=kind == "runner_on_failed" and not data.get("ignore_errors"),
                unreachable=kind == "runner_on_unreachable",
                begun=str(data.get("start") or ""),
                ended=str(data.get("end") or ""),
            )
            result.answers.append(answer)
        # False: Ansible's runner does not write the event to a file.
        return False

    words = ["--forks", str(login.forks)]
    words += ["--check"] if check else []
    words += ["--diff"] if diff else []
    own = f"-F {shlex.quote(str(login.ssh_config.absolute()))} " if login.ssh_config else ""
    passwords: dict[str, str] = {}
    if login.ssh_password is not None:
        words.append("--ask-pass")
        passwords[r"SSH password:\s*?$"] = login.ssh_password
    if login.sudo_password is not None:
        words.append("--ask-become-pass")
        passwords[r"BECOME password.*:\s*?$"] = login.sudo_password
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
                "ANSIBLE_SSH_ARGS": f"{own}{_SSH_OPTIONS}",
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


def _last_output(outcome: Any) -> str:
    try:
        text = outcome.stdout.read()
    except (OSError, ValueError):
        return ""
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines() if line.strip()]
    return " / ".join(lines[-3:])


_CLOCK_S = 5.0  # How far a host's clock may be off: HBase refuses 30 s, logs need less.


class HostProblem(NamedTuple):
    host: str
    what: str
    fix: str


_MESSAGES = (
    (r"REMOTE HOST IDENTIFICATION HAS CHANGED|key is known by", "its ssh host key has changed",
     "if it was reinstalled: ssh-keygen -R {host}, then log in once and compare the key"),
    (r"Host key verification failed|authenticity of host", "its ssh host key is unknown on this machine",
     "log in once and compare the key, or get known_hosts from the host's administrator"),
    (r"Permission denied|Invalid/incorrect password|Authentication failed", "it rejects the login",
     "put your key into its authorized_keys, name user and key in ssh's configuration, or give the right "
     "password: --ssh-password-file"),
    (r"Could not resolve hostname", "its name cannot be resolved on this machine",
     "add it to DNS or /etc/hosts, or set HostName in ssh's configuration"),
    (r"timed out|No route to host|unreachable|not responding|Broken pipe|Connection (refused|closed|reset)",
     "it does not answer on the ssh port", "check that it is up and sshd runs"),
    (r"waiting for privilege escalation prompt", "sudo did not answer in time",
     "check the host's load, then try again"),
    (r"Missing sudo password|password is required|terminal is required|no tty present|"
     r"interactive authentication is required", "sudo needs a password",
     "give --sudo-password-file, or let the user become root without a password"),
    (r"Incorrect sudo password|Sorry, try again", "sudo rejects the password", "give the correct password"),
    (r"sudo: (command )?not found|executable sudo was not found", "it has no sudo",
     "apt-get install sudo, or dnf install sudo, and let the user become root"),
    (r"is not in the sudoers|may not run sudo|not allowed to execute", "the user may not become root",
     "add a line USER ALL=(ALL) ALL in /etc/sudoers.d"),
    (r"python3?: (command )?not found|No such file or directory.*python|interpreter", "it has no Python 3",
     "apt-get install python3-minimal, or dnf install python3"),
    (r"SyntaxError", "its Python 3 is too old", "install Python 3.8 or later"),
    (r"No space left on device", "its disk is full", "free some space"),
)  # fmt: skip
"""What ssh, sudo and Python print, what it means, and what to do."""


def host_problems(answers: Iterable[HostAnswer]) -> Iterator[HostProblem]:
    for answer in answers:
        if problems := answer.result.get("wrong"):
            for entry in problems:
                yield HostProblem(answer.host, str(entry["what"]), str(entry["fix"]))
        elif answer.failed or answer.unreachable:
            yield _failure_problem(answer)
        elif (error_s := _clock_error_s(answer)) is not None:
            problem = f"its clock is {abs(error_s):.0f} s {'behind' if error_s < 0 else 'ahead'}"
            fix = "synchronise clocks with chrony or systemd-timesyncd"
            yield HostProblem(answer.host, problem, fix)


_AGAIN = "fix that, then deploy again"


def _failure_problem(answer: HostAnswer) -> HostProblem:
    if (reported := answer.result.get("what")) is not None:
        # A module of howdah failed. The problem of a daemon that did not start contains the end of its log.
        by_log = "fix the error in the log, then deploy again"
        fix = answer.result.get("fix") or (by_log if "\n" in reported else _AGAIN)
        return HostProblem(answer.host, str(reported), str(fix))
    output = f"{answer.result.get('msg', '')} {answer.result.get('module_stderr', '')}".strip()
    for pattern, reported, fix in _MESSAGES:
        if re.search(pattern, output):
            return HostProblem(answer.host, reported, fix.format(host=answer.host))
    if answer.unreachable:
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        problem = f"ssh cannot reach it: {lines[-1] if lines else 'it printed nothing'}"
        fix = f"check that `ssh {answer.host} true` succeeds without a prompt"
        return HostProblem(answer.host, problem, fix)
    if "Traceback (most recent call last)" in output:
        # A defect of howdah, not of the host or the user.
        last = [line.strip() for line in output.splitlines() if line.strip()][-1]
        fix = "report this as a defect of howdah, with the plan"
        return HostProblem(answer.host, f"howdah failed on it: {last}", fix)
    text = re.sub(r"^(Task failed: )?(Module failed: |Action failed: )?", "", output)
    return HostProblem(answer.host, text, _AGAIN)


def _clock_error_s(answer: HostAnswer) -> float | None:
    """Return the error of a host's clock if it is too large; the clock was read during the task."""
    clock = answer.result.get("clock_s")
    if clock is None or not answer.begun or not answer.ended:
        return None
    times = (datetime.fromisoformat(text) for text in (answer.begun, answer.ended))
    begun, ended = (time.replace(tzinfo=UTC).timestamp() for time in times)
    if float(clock) < begun - _CLOCK_S:
        return float(clock) - begun
    return float(clock) - ended if float(clock) > ended + _CLOCK_S else None


class _Server(ThreadingHTTPServer):
    """Listens at every address of this machine, IPv4 and IPv6."""

    # On Linux such a socket also accepts IPv4; some machines have no IPv6.
    address_family = socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET

    def server_bind(self) -> None:
        """Accept IPv4 too, regardless of the machine's default."""
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


@contextmanager
def mirror(files: Mapping[str, Path]) -> Iterator[int]:
    """Serve these files by name, and nothing else, until the context ends; yields the port.

    The files are public; hosts compare them with digests that they get over ssh.
    """

    class _Handler(SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            """Return the file of a name; nothing, which cannot be opened, for any other path."""
            return str(files.get(path.lstrip("/"), ""))

        def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
            """Answer with the status's own words, which hosts show."""
            super().send_error(code)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Log nothing: the hosts report failures."""

    server = _Server(("", 0), partial(_Handler, directory="/"))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
