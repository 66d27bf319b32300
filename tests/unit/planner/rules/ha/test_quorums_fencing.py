"""Fencing: ways that there are, one that succeeds without the host, and one that is none beside a filer."""

from __future__ import annotations

import pytest

from howdah.planner.rules.ha import quorums
from support.pairs import NAMENODES, complaints_about, found_with, rules_in

KEY = "dfs.ha.fencing.methods"
FILER = {"dfs.namenode.shared.edits.dir": "file:///mnt/filer/edits"}


def rules_against(text: str, **more: str) -> list[str]:
    found = found_with({**NAMENODES, **more, KEY: text})
    return [rule for rule, _ in complaints_about(rules_in(quorums), found)]


@pytest.mark.parametrize(
    "text",
    [
        "shell(/bin/true)",
        "sshfence\nshell(/bin/true)",
        "  sshfence(hdfs:22)\n\n  # the last resort\n  shell(/usr/local/bin/power-off $target_host)",
        "com.example.PowerSwitch(rack 4)",
    ],
)
def test_ways_that_there_are_pass(text: str) -> None:
    assert rules_against(text) == []


@pytest.mark.parametrize(
    "text", ["sshfence,shell(/bin/true)", "SSHFence\nshell(/bin/true)", "shell(/bin/true"]
)
def test_ways_that_the_controller_cannot_read_are_found(text: str) -> None:
    assert rules_against(text) == ["ha.fencing-form"]


def test_sshfence_alone_ends_at_a_lost_host() -> None:
    ((rule, one),) = complaints_about(rules_in(quorums), found_with({**NAMENODES, KEY: "sshfence"}))
    assert rule == "ha.fencing-lost-host"
    assert "add shell(/bin/true) as the last line" in one.fix


@pytest.mark.parametrize("nothing", ["shell(/bin/true)", "sshfence\nshell(true)", "shell(exit 0)"])
def test_on_a_filer_nothing_but_fencing_keeps_two_from_writing(nothing: str) -> None:
    assert rules_against(nothing, **FILER) == ["ha.fencing-shared-disk"]
    assert rules_against("sshfence", **FILER) == []


def test_a_service_may_fence_in_its_own_way() -> None:
    found = found_with({**NAMENODES, f"{KEY}.ns": "fence"})
    ((_, one),) = complaints_about(rules_in(quorums), found)
    assert one.about == f"{KEY}.ns"
