"""Problems of hosts during a deployment, each with its fix, read from Ansible's results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from howdah.deploy.ansible import HostAnswer

_CLOCK_S = 5.0
"""The largest difference between a host's clock and this machine's: HBase refuses 30 s, logs need less."""


class HostProblem(NamedTuple):
    """A problem of a host."""

    host: str
    what: str
    fix: str


_MESSAGES = (
    (
        r"REMOTE HOST IDENTIFICATION HAS CHANGED|key is known by",
        "its ssh host key has changed",
        "if it was reinstalled: ssh-keygen -R {host}, then log in once and compare the key",
    ),
    (
        r"Host key verification failed|authenticity of host",
        "its ssh host key is unknown on this machine",
        "log in once and compare the key, or get known_hosts from the host's administrator",
    ),
    (
        r"Permission denied|Invalid/incorrect password|Authentication failed",
        "it rejects the login",
        "put your key into its authorized_keys, name user and key in ssh's configuration, or give the right "
        "password: --ssh-password-file",
    ),
    (
        r"Could not resolve hostname",
        "its name cannot be resolved on this machine",
        "add it to DNS or /etc/hosts, or set HostName in ssh's configuration",
    ),
    (
        r"timed out|No route to host|unreachable|not responding|Broken pipe|"
        r"Connection (refused|closed|reset)",
        "it does not answer on the ssh port",
        "check that it is up and sshd runs",
    ),
    (
        r"waiting for privilege escalation prompt",
        "sudo did not answer in time",
        "check the host's load, then try again",
    ),
    (
        r"Missing sudo password|password is required|terminal is required|no tty present|"
        r"interactive authentication is required",
        "sudo needs a password",
        "give --sudo-password-file, or let the user become root without a password",
    ),
    (r"Incorrect sudo password|Sorry, try again", "sudo rejects the password", "give the correct password"),
    (
        r"sudo: (command )?not found|executable sudo was not found",
        "it has no sudo",
        "apt-get install sudo, or dnf install sudo, and let the user become root",
    ),
    (
        r"is not in the sudoers|may not run sudo|not allowed to execute",
        "the user may not become root",
        "add a line USER ALL=(ALL) ALL in /etc/sudoers.d",
    ),
    (
        r"python3?: (command )?not found|No such file or directory.*python|interpreter",
        "it has no Python 3",
        "apt-get install python3-minimal, or dnf install python3",
    ),
    (r"SyntaxError", "its Python 3 is too old", "install Python 3.8 or later"),
    (r"No space left on device", "its disk is full", "free some space"),
)


def host_problems(answers: Iterable[HostAnswer]) -> Iterator[HostProblem]:
    """Yield all problems in the results of hosts."""
    for answer in answers:
        if problems := answer.result.get("wrong"):
            yield from (
                HostProblem(answer.host, str(problem["what"]), str(problem["fix"])) for problem in problems
            )
        elif answer.failed or answer.unreachable:
            yield _failure_problem(answer)
        elif (error_s := _clock_error_s(answer)) is not None:
            yield HostProblem(
                answer.host,
                f"its clock is {abs(error_s):.0f} s {'behind' if error_s < 0 else 'ahead'}",
                "synchronise clocks with chrony or systemd-timesyncd",
            )


_AGAIN = "fix that, then deploy again"
_BY_LOG = "fix the error in the log, then deploy again"


def _failure_problem(answer: HostAnswer) -> HostProblem:
    if (reported := answer.result.get("what")) is not None:
        # A module of howdah failed. The problem of a daemon that did not start contains the end of its log.
        fix = answer.result.get("fix") or (_BY_LOG if "\n" in reported else _AGAIN)
        return HostProblem(answer.host, str(reported), str(fix))
    output = f"{answer.result.get('msg', '')} {answer.result.get('module_stderr', '')}".strip()
    for pattern, reported, fix in _MESSAGES:
        if re.search(pattern, output):
            return HostProblem(answer.host, reported, fix.format(host=answer.host))
    if answer.unreachable:
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        problem = f"ssh cannot reach it: {lines[-1] if lines else 'it printed nothing'}"
        return HostProblem(
            answer.host, problem, f"check that `ssh {answer.host} true` succeeds without a prompt"
        )
    if "Traceback (most recent call last)" in output:
        # A defect of howdah, not of the host or the user.
        last = [line.strip() for line in output.splitlines() if line.strip()][-1]
        return HostProblem(
            answer.host, f"howdah failed on it: {last}", "report this as a defect of howdah, with the plan"
        )
    text = re.sub(r"^(Task failed: )?(Module failed: |Action failed: )?", "", output)
    return HostProblem(answer.host, text, _AGAIN)


def _clock_error_s(answer: HostAnswer) -> float | None:
    """Return the error of a host's clock if it is too large; the clock was read during the task."""
    clock = answer.result.get("clock_s")
    if clock is None or not answer.begun or not answer.ended:
        return None
    begun, ended = _time(answer.begun), _time(answer.ended)
    if float(clock) < begun - _CLOCK_S:
        return float(clock) - begun
    return float(clock) - ended if float(clock) > ended + _CLOCK_S else None


def _time(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
