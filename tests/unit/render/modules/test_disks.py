"""Which disks a host is given, looked at before anything is changed: real ones, made of files."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from howdah.render.modules import disks
from howdah.render.modules.changes import HostChanges, HostRefusal
from howdah.render.modules.disks import DiskSurvey, prepare_disks

SCRIPT = (Path(__file__).parents[3] / "golden/render/native/os/disks.sh").read_text()
MANIFEST = {
    "disks": {"count": 2, "script": "/etc/howdah/disks.sh"},
    "files": [{"path": "/etc/howdah/disks.sh", "content": SCRIPT}],
}

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes loop devices")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[], str]]:
    """Makes an empty disk."""
    made: list[str] = []

    def make() -> str:
        image = tmp_path / f"disk{len(made)}"
        image.touch()
        os.truncate(image, 32 << 20)
        done = subprocess.run(
            ["losetup", "--find", "--show", image], capture_output=True, text=True, check=True
        )
        made.append(done.stdout.strip())
        return made[-1]

    yield make
    for device in made:
        subprocess.run(["losetup", "--detach", device], check=True)


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """What else there is on the host: nothing mounted, and what is given here."""
    monkeypatch.setattr(disks, "mount_point", lambda number: str(tmp_path / f"{number:02}"))

    def there(empty: list[str], made: list[int], begun: dict[int, str]) -> None:
        monkeypatch.setattr(disks, "survey", lambda: DiskSurvey(empty, made, begun))

    there([], [], {})
    return there


def looked_at(given: list[str] | None) -> list[str]:
    host = HostChanges(check=True)
    prepare_disks(host, MANIFEST, given)
    return host.changes


@needs_root
def test_disks_that_were_named_are_looked_at(disk: Callable[[], str], found: Callable[..., None]) -> None:
    first, second = disk(), disk()
    assert looked_at([first, second]) == [f"disks 01={first} 02={second}"]
    subprocess.run(["mkfs.ext4", "-q", second], check=True)
    for given, why in (
        ([first, second], f"{second} holds data: ext4"),
        ([first, "/dev/no-such-disk"], "/dev/no-such-disk does not exist"),
        ([first, "/dev/null"], "/dev/null is not a block device"),
        ([first, first], f"{first} is named twice"),
        ([first], "2 data disks are needed, but 1 are empty"),
    ):
        with pytest.raises(HostRefusal, match=why) as refusal:
            looked_at(given)
        assert "--disks HOST=" in refusal.value.fix


@needs_root
def test_a_run_that_was_killed_goes_on_with_the_disks_it_was_given(
    disk: Callable[[], str], found: Callable[..., None]
) -> None:
    first, second = disk(), disk()
    found([], [1], {})
    assert looked_at([first, second])[1:] == [f"disks 02={second}"]
    found([], [], {2: second})
    assert looked_at([first, second]) == [f"begin again with {second}", f"disks 01={first} 02={second}"]
    # One that was named alone is for the number that is missing; what was begun elsewhere is left alone.
    found([], [1], {2: second})
    assert looked_at([first])[1:] == [f"disks 02={first}"]
    # Nobody named any.
    found([first], [], {2: second})
    assert looked_at(None)[-1] == "disks " + " ".join(
        f"{number:02}={one}" for number, one in enumerate(sorted([first, second]), 1)
    )
