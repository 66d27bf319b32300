"""What keeps a host from being deployed to, each said with what to do."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from howdah.deploy.ansible import HostAnswer, HostProblem, host_problems

NOW = datetime(2026, 11, 25, 12, 0, 0, tzinfo=UTC)


def _answer(result: dict[str, Any], *, failed: bool = False, unreachable: bool = False) -> HostAnswer:
    moment = NOW.replace(tzinfo=None).isoformat()
    return HostAnswer("h1", "Look", result, failed, unreachable, moment, moment)


@pytest.mark.parametrize(
    ("said", "what", "fix"),
    [
        (
            "Failed to connect to the host via ssh: @@@ REMOTE HOST IDENTIFICATION HAS CHANGED! @@@",
            "its ssh host key has changed",
            "ssh-keygen -R h1",
        ),
        (
            "No ED25519 host key is known for h1\nHost key verification failed.",
            "is unknown on this machine",
            "log in once",
        ),
        ("ssh: admin@h1: Permission denied (publickey).", "it rejects the login", "authorized_keys"),
        ("ssh: connect to host h1 port 22: Connection refused", "does not answer", "sshd"),
        ("ssh: Could not resolve hostname h1", "its name cannot be resolved on this machine", "HostName"),
        ("Missing sudo password", "sudo needs a password", "--sudo-password-file"),
        ("Incorrect sudo password", "sudo rejects the password", "the correct password"),
        ("/bin/sh: 1: python3: not found", "it has no Python 3", "python3"),
        ("Timeout, server 10.0.0.1 not responding.", "does not answer", "sshd"),
        ("kex_exchange_identification: read", "ssh cannot reach it: kex_exchange", "ssh h1 true"),
        ("    ^\nSyntaxError: future feature annotations is not defined", "too old", "3.8"),
        ("/bin/sh: 1: sudo: not found", "it has no sudo", "apt-get install sudo"),
        (
            "Traceback (most recent call last):\n  File\nKeyError: 'x'\n",
            "howdah failed on it: KeyError: 'x'",
            "defect of howdah",
        ),
    ],
)
def test_what_ansible_says_is_said_with_what_to_do(said: str, what: str, fix: str) -> None:
    (found,) = host_problems([_answer({"msg": said}, unreachable="Traceback" not in said, failed=True)])
    assert what in found.what
    assert fix in found.fix


@pytest.mark.parametrize(
    ("result", "found"),
    [
        # Words by which an ssh that fails is known mean something else in the mouth of a module.
        (
            {
                "what": "release hadoop-3.5.0: Connection refused",
                "fix": "check that the mirror is up and reachable from here, then deploy again",
            },
            HostProblem(
                "h1",
                "release hadoop-3.5.0: Connection refused",
                "check that the mirror is up and reachable from here, then deploy again",
            ),
        ),
        (
            {"what": "Permission denied: /etc/hadoop", "fix": ""},
            HostProblem("h1", "Permission denied: /etc/hadoop", "fix that, then deploy again"),
        ),
        (
            {"what": "a unit is not of use; the end of its log:\nOutOfMemoryError", "fix": ""},
            HostProblem(
                "h1",
                "a unit is not of use; the end of its log:\nOutOfMemoryError",
                "fix the error in the log, then deploy again",
            ),
        ),
    ],
)
def test_what_a_module_refuses_is_said_in_its_own_words(result: dict[str, Any], found: HostProblem) -> None:
    assert list(host_problems([_answer({"changes": [], **result}, failed=True)])) == [found]


def test_a_host_says_itself_all_that_is_wrong_with_it() -> None:
    told = [{"what": "no java", "fix": "install it"}, {"what": "small", "fix": "plan anew"}]
    found = list(host_problems([_answer({"wrong": told}, failed=True)]))
    assert found == [HostProblem("h1", "no java", "install it"), HostProblem("h1", "small", "plan anew")]


@pytest.mark.parametrize(("off_s", "said"), [(-60, "60 s behind"), (60, "60 s ahead"), (2, "")])
def test_a_clock_that_is_off_is_told(off_s: float, said: str) -> None:
    found = list(host_problems([_answer({"clock_s": NOW.timestamp() + off_s})]))
    assert [said in one.what for one in found] == ([True] if said else [])
