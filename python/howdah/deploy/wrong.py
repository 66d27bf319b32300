"""What keeps a host from being deployed to, in words: what is wrong, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from howdah.deploy.ansible import HostAnswer

_CLOCK_S = 5.0
"""How far a host's clock may be from this machine's: HBase refuses 30 s, logs cannot be compared earlier."""


class HostWrong(NamedTuple):
    """One thing that is wrong with one host."""

    host: str
    what: str
    fix: str


_KNOWN = (
    (
        r"REMOTE HOST IDENTIFICATION HAS CHANGED|Host key verification failed|key is known by",
        "its ssh host key is not the one that is known",
        "if it was installed anew: ssh-keygen -R {host}, then log in once and compare the key",
    ),
    (
        r"Permission denied|Invalid/incorrect password|Authentication failed",
        "it refuses the login",
        "put your key into its authorized_keys, or name user and key in ssh's configuration",
    ),
    (
        r"Could not resolve hostname",
        "its name is not known here",
        "put it into DNS or /etc/hosts, or give it a HostName in ssh's configuration",
    ),
    (
        r"timed out|No route to host|Connection refused|Connection closed|Connection reset|unreachable",
        "it does not answer at ssh's port",
        "is it up, and does its sshd run?",
    ),
    (
        r"waiting for privilege escalation prompt",
        "it is too slow: sudo did not answer in time",
        "see what loads it, then try again",
    ),
    (
        r"Missing sudo password|password is required|interactive authentication is required",
        "sudo asks for a password",
        "give --sudo-password-file, or let the user become root without one",
    ),
    (r"Incorrect sudo password|Sorry, try again", "sudo refuses the password", "give the right one"),
    (
        r"is not in the sudoers|may not run sudo|not allowed to execute|sudo: (command )?not found",
        "the user may not become root",
        "let it: a line USER ALL=(ALL) ALL in /etc/sudoers.d",
    ),
    (
        r"python3?: (command )?not found|No such file or directory.*python|interpreter",
        "it has no Python 3",
        "apt-get install python3-minimal, or dnf install python3",
    ),
    (r"No space left on device", "its disk is full", "make room"),
)


def wrongs(answers: Iterable[HostAnswer]) -> Iterator[HostWrong]:
    """All that is wrong with the hosts that these are the answers of."""
    for answer in answers:
        if found := answer.result.get("wrong"):
            yield from (HostWrong(answer.host, str(one["what"]), str(one["fix"])) for one in found)
        elif answer.failed or answer.unreachable:
            yield _spoken(answer)
        elif (late := _behind_s(answer)) is not None:
            yield HostWrong(
                answer.host,
                f"its clock is {abs(late):.0f} s {'behind' if late < 0 else 'ahead'}",
                "keep clocks in step: chrony or systemd-timesyncd",
            )


def _spoken(answer: HostAnswer) -> HostWrong:
    said = f"{answer.result.get('msg', '')} {answer.result.get('module_stderr', '')}".strip()
    for pattern, what, fix in _KNOWN:
        if re.search(pattern, said):
            return HostWrong(answer.host, what, fix.format(host=answer.host))
    text = re.sub(r"^(Task failed: )?(Module failed: |Action failed: )?", "", said)
    if "\n" in text:
        # A daemon that is not of use, and the end of its log.
        return HostWrong(answer.host, text, "mend what the log says, and deploy again")
    what, _, fix = text.partition(": ") if answer.result.get("changes") is not None else (text, "", "")
    return HostWrong(answer.host, what if fix else text, fix)


def _behind_s(answer: HostAnswer) -> float | None:
    """How far a host's clock is off, if further than it may be: it was read while the task went on."""
    clock = answer.result.get("clock_s")
    if clock is None or not answer.begun or not answer.ended:
        return None
    begun, ended = _time(answer.begun), _time(answer.ended)
    if float(clock) < begun - _CLOCK_S:
        return float(clock) - begun
    return float(clock) - ended if float(clock) > ended + _CLOCK_S else None


def _time(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
