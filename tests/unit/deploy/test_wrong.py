"""What keeps a host from being deployed to, each said with what to do."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from howdah.deploy.ansible import HostAnswer
from howdah.deploy.wrong import HostWrong, wrongs

NOW = datetime(2026, 11, 25, 12, 0, 0, tzinfo=UTC)


def _answer(result: dict[str, Any], *, failed: bool = False, unreachable: bool = False) -> HostAnswer:
    moment = NOW.replace(tzinfo=None).isoformat()
    return HostAnswer("h1", "Look", result, failed, unreachable, moment, moment)


@pytest.mark.parametrize(
    ("said", "what", "fix"),
    [
        (
            "Failed to connect to the host via ssh: @@@ REMOTE HOST IDENTIFICATION HAS CHANGED! @@@",
            "its ssh host key is not the one that is known",
            "ssh-keygen -R h1",
        ),
        ("ssh: admin@h1: Permission denied (publickey).", "it refuses the login", "authorized_keys"),
        ("ssh: connect to host h1 port 22: Connection refused", "does not answer", "sshd"),
        ("ssh: Could not resolve hostname h1", "its name is not known here", "HostName"),
        ("Missing sudo password", "sudo asks for a password", "--sudo-password-file"),
        ("Incorrect sudo password", "sudo refuses the password", "the right one"),
        ("/bin/sh: 1: python3: not found", "it has no Python 3", "python3"),
    ],
)
def test_what_ansible_says_is_said_with_what_to_do(said: str, what: str, fix: str) -> None:
    (found,) = wrongs([_answer({"msg": said}, unreachable=True)])
    assert what in found.what
    assert fix in found.fix


def test_a_host_says_itself_all_that_is_wrong_with_it() -> None:
    told = [{"what": "no java", "fix": "install it"}, {"what": "small", "fix": "plan anew"}]
    found = list(wrongs([_answer({"wrong": told}, failed=True)]))
    assert found == [HostWrong("h1", "no java", "install it"), HostWrong("h1", "small", "plan anew")]


@pytest.mark.parametrize(("off_s", "said"), [(-60, "60 s behind"), (60, "60 s ahead"), (2, "")])
def test_a_clock_that_is_off_is_told(off_s: float, said: str) -> None:
    found = list(wrongs([_answer({"clock_s": NOW.timestamp() + off_s})]))
    assert [said in one.what for one in found] == ([True] if said else [])
