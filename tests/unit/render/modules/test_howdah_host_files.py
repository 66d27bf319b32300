"""Files of a host: what differs is written, what is planned no longer removed; a look changes nothing."""

from __future__ import annotations

from pathlib import Path

from howdah.render.modules.changes import HostChanges
from howdah.render.modules.howdah_host import place_files


def _entry(path: Path, content: str, mode: str = "0644") -> dict[str, str]:
    return {"path": str(path), "content": content, "mode": mode}


def test_a_second_pass_changes_nothing(tmp_path: Path) -> None:
    wanted = [_entry(tmp_path / "a/site.xml", "one\n"), _entry(tmp_path / "run.sh", "#!/bin/sh\n", "0755")]
    first, second = HostChanges(check=False), HostChanges(check=False)
    place_files(first, wanted, set())
    assert (tmp_path / "a/site.xml").read_text() == "one\n"
    assert (tmp_path / "run.sh").stat().st_mode & 0o777 == 0o755
    place_files(second, wanted, set())
    assert (len(first.changes), second.changes) == (2, [])


def test_a_look_tells_the_difference_and_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "site.xml").write_text("one\n")
    host = HostChanges(check=True)
    place_files(host, [_entry(tmp_path / "site.xml", "two\n")], set())
    assert (tmp_path / "site.xml").read_text() == "one\n"
    assert (host.diffs[0]["before"], host.diffs[0]["after"]) == ("one\n", "two\n")


def test_what_the_plan_has_no_longer_is_removed_and_what_others_wrote_stays(tmp_path: Path) -> None:
    (tmp_path / "ours").touch()
    (tmp_path / "theirs").touch()
    place_files(HostChanges(check=False), [], {str(tmp_path / "ours")})
    assert [path.name for path in tmp_path.iterdir()] == ["theirs"]
