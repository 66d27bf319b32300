"""The register of laboratories, and the lock that keeps two commands apart."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.lab import registry

HOLD = """
import sys, time
from pathlib import Path
from howdah.lab import registry
registry.registry = lambda: Path(sys.argv[1])
with registry.locked("one"):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "howdah"
    monkeypatch.setattr(registry, "registry", lambda: path)
    return path


def test_what_is_entered_is_found_by_name(tmp_path: Path) -> None:
    with registry.locked("one"):
        registry.register("one", tmp_path / "lab")
    found = registry.entry("one")
    assert found is not None
    assert (found.name, found.directory) == ("one", tmp_path / "lab")
    assert registry.entries() == [found]
    assert registry.entry("another") is None


def test_nothing_stays_of_a_laboratory_that_was_struck(folder: Path, tmp_path: Path) -> None:
    with registry.locked("one"):
        registry.register("one", tmp_path / "lab")
    with registry.locked("one"):
        registry.unregister("one")
    assert not folder.exists()


def test_the_lock_stays_while_the_laboratory_does(folder: Path, tmp_path: Path) -> None:
    with registry.locked("one"):
        registry.register("one", tmp_path)
    assert {path.name for path in folder.iterdir()} == {"one.json", "one.lock"}


def test_a_second_command_is_refused_until_the_first_dies(folder: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD, str(folder)], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(UserError, match="another command"), registry.locked("one"):
            pass
        with registry.locked("two"):
            pass
        other.send_signal(signal.SIGKILL)
        other.wait()
    with registry.locked("one"):
        pass


def test_many_commands_at_once_never_hold_one_lock_together(folder: Path, tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0")
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_count, args=(folder, counter)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert counter.read_text() == "100"


def _count(folder: Path, counter: Path) -> None:
    done = 0
    while done < 25:
        try:
            with registry.locked("one"):
                counter.write_text(str(int(counter.read_text()) + 1))
        except UserError:
            continue
        done += 1


def test_a_folder_that_others_may_write_to_is_refused(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(UserError, match="writable by others"), registry.locked("one"):
        pass


def test_a_link_in_place_of_the_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    folder.symlink_to(tmp_path / "elsewhere")
    with (
        pytest.raises(UserError, match="belongs to another user, or is writable by others"),
        registry.locked("one"),
    ):
        pass


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"name": "one"}', "\x00"])
def test_what_is_no_entry_is_passed_over(folder: Path, content: str) -> None:
    folder.mkdir(mode=0o700)
    (folder / "one.json").write_text(content)
    assert registry.entry("one") is None
    assert registry.entries() == []


@pytest.mark.parametrize("name", ["", "../etc", "a_b", "A", "a" * 40])
def test_a_name_that_would_lead_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(UserError, match="is not a valid name of a lab"):
        registry.entry(name)


def test_users_have_folders_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(os, "geteuid", lambda: 1234)
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    assert registry.registry() == Path("/tmp/howdah-1234")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1234")
    assert registry.registry() == Path("/run/user/1234/howdah")


def test_a_folder_that_cannot_be_made_is_told(folder: Path, tmp_path: Path) -> None:
    folder.parent.joinpath("file").write_text("")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "registry", lambda: tmp_path / "file/howdah")
        with pytest.raises(UserError, match="cannot be created: Not a directory"), registry.locked("one"):
            pass


def test_entries_that_somebody_else_could_have_written_are_not_believed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    planted = tmp_path / "planted"
    planted.mkdir()
    planted.chmod(0o777)
    (planted / "lab.json").write_text('{"name": "lab", "directory": "/elsewhere"}')
    monkeypatch.setattr(registry, "registry", lambda: planted)
    with pytest.raises(UserError, match="belongs to another user, or is writable by others"):
        registry.entries()
    with pytest.raises(UserError, match="belongs to another user, or is writable by others"):
        registry.entry("lab")


LOT_HOLD = """
import sys, time
from pathlib import Path
from howdah.lab import registry
registry.registry = lambda: Path(sys.argv[1])
with registry.shared_hosts_locked("one+"):
    print("held", flush=True)
    time.sleep(0.5)
    registry.register("other", Path("/lab"), "one+", 1)
"""


def test_who_is_on_a_lot_of_hosts_is_in_the_entries(tmp_path: Path) -> None:
    with registry.locked("one"), registry.shared_hosts_locked("one+"):
        registry.register("one", tmp_path / "lab", "one+", 3)
        registry.register("alone", tmp_path / "alone")
    (found,) = registry.labs_on("one+")
    assert (found.name, found.lot, found.seat) == ("one", "one+", 3)
    assert registry.labs_on("two+") == []


def test_whoever_comes_to_a_lot_waits_for_the_one_that_changes_it(folder: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", LOT_HOLD, str(folder)], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with registry.shared_hosts_locked("one+"):
            assert [entry.name for entry in registry.labs_on("one+")] == ["other"]
    assert (folder / "one+.lock").exists()


def test_nothing_stays_of_a_lot_that_nobody_is_on(folder: Path, tmp_path: Path) -> None:
    with registry.locked("one"):
        with registry.shared_hosts_locked("one+"):
            registry.register("one", tmp_path, "one+")
        with registry.shared_hosts_locked("one+"):
            registry.unregister("one")
    assert not folder.exists()


def test_a_lot_has_no_name_that_a_laboratory_could_have() -> None:
    with pytest.raises(UserError):
        registry.check_lab_name(registry.shared_name("one"))
    assert not registry.host_space(registry.shared_name("one"), "h1").startswith(registry.prefix("one"))
