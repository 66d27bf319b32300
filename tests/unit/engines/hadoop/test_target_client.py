"""A client's words are kept, its application noticed, and its end too."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from howdah.engines.hadoop.storage import HdfsMarker, read_marker
from howdah.engines.hadoop.target import Client
from howdah.engines.processes import ProcessIdentity, is_dead, this_process
from support.patience import PATIENCE_S

SUBMITTED = "INFO impl.YarnClientImpl: Submitted application application_1795279046143_0001"


def test_the_application_is_noticed_while_the_client_runs(tmp_path: Path) -> None:
    client = Client(["sh", "-c", f"echo '{SUBMITTED}'; exec sleep 60"], tmp_path)
    try:
        end = time.monotonic() + PATIENCE_S
        while client.application is None and time.monotonic() < end:
            assert not client.wait(0.05)
        assert client.application == "application_1795279046143_0001"
    finally:
        client.end()
    assert client.exit_code() != 0
    assert client.wait(0)


def test_its_words_and_its_exit_code_are_kept(tmp_path: Path) -> None:
    client = Client(["sh", "-c", "echo said; echo logged >&2; exit 3"], tmp_path)
    assert client.wait(PATIENCE_S)
    assert client.exit_code() == 3
    assert sorted(client.lines) == ["logged", "said"]
    assert client.application is None


def test_one_that_does_not_want_to_end_is_ended(tmp_path: Path) -> None:
    client = Client(
        ["sh", "-c", "trap '' TERM; echo deaf; while :; do sleep 0.1; done"], tmp_path, patience_s=0.3
    )
    while not client.lines:
        assert not client.wait(0.05)
    client.end()
    assert client.exit_code() == -9


def test_a_process_is_dead_once_it_has_ended() -> None:
    assert is_dead(this_process()) is False
    program = (
        "from howdah.engines.hadoop.storage import HdfsMarker;"
        "from howdah.engines.processes import this_process;"
        "print(HdfsMarker(run='r', process=this_process()).model_dump_json())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    marker = read_marker(done.stdout)
    assert marker is not None
    assert marker.process is not None
    assert is_dead(marker.process) is True


def test_a_process_of_another_boot_is_dead_and_of_another_machine_unknown() -> None:
    me = this_process()
    assert is_dead(me.model_copy(update={"boot": "another"})) is True
    assert is_dead(me.model_copy(update={"started": me.started + 1})) is True
    assert is_dead(me.model_copy(update={"host": "elsewhere.example"})) is None


def test_a_marker_is_read_back_and_a_broken_one_is_none() -> None:
    marker = HdfsMarker(
        run="r", process=ProcessIdentity(host="h", boot="b", pid=1, started=2), parents=("/user/me",)
    )
    assert read_marker(marker.content()) == marker
    assert read_marker(b"") is None
    assert read_marker(marker.content()[:-5]) is None
    assert read_marker(b'{"howdah": 2, "run": "r", "process": null}') is None
