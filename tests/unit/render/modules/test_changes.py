"""What is done to a host: by one at a time, and told in words."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from howdah.render.modules import changes
from howdah.render.modules.changes import HostRefusal, alone, refused, run, write
from support.patience import PATIENCE_S


def test_who_changes_a_host_waits_for_whom_a_killed_run_left_at_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "LOCK", str(tmp_path / "lock"))
    code = (
        f"import fcntl, time; f = open({str(tmp_path / 'lock')!r}, 'w'); fcntl.flock(f, fcntl.LOCK_EX)\n"
        "print('', flush=True); time.sleep(0.5)"
    )
    other = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert other.stdout is not None
    other.stdout.readline()
    with alone():
        # Only once it was done.
        assert other.wait(PATIENCE_S) == 0
    other.stdout.close()


def test_it_does_not_wait_for_ever_and_who_looks_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "LOCK", str(tmp_path / "lock"))
    monkeypatch.setattr(changes, "LOCK_PATIENCE_S", 0.1)
    with (tmp_path / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with alone(check=True):
            pass
        with pytest.raises(HostRefusal, match="another deployment changes it"), alone():
            pass


def test_what_is_wrong_and_what_to_do_are_told_apart() -> None:
    told = refused(HostRefusal("2 disks are needed: 1 is empty", "wipe one"))
    assert (told["what"], told["fix"]) == ("2 disks are needed: 1 is empty", "wipe one")
    assert refused(TimeoutError("timed out"))["what"] == "timed out"
    told = refused(OSError(28, "No space left on device", "/etc/x"))
    assert told["what"] == "No space left on device: /etc/x"


def test_a_command_that_fails_is_told_with_the_end_of_what_it_said() -> None:
    with pytest.raises(HostRefusal) as caught:
        run("sh", "-c", "seq 9 >&2; exit 3")
    assert caught.value.what == "sh -c seq 9 >&2; exit 3:\n7\n8\n9"
    assert caught.value.code == 3


def test_a_link_that_somebody_laid_is_not_followed(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("root's")
    (tmp_path / "authorized_keys.howdah-new").symlink_to(other)
    write(str(tmp_path / "authorized_keys"), "key\n", 0o600)
    assert other.read_text() == "root's"
    assert (tmp_path / "authorized_keys").read_text() == "key\n"
    assert not (tmp_path / "authorized_keys").is_symlink()
