"""Which HBase is used, and what is said of one that cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.installation.digests import digests, release_of
from howdah.installation.installation import fetched_hbase, find_hbase, ycsb_jars
from howdah.installation.java_programs import PROGRAMS, RESOURCES, java_command
from support.tarballs import make_hbase


@pytest.fixture(autouse=True)
def _no_hbase(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("HBASE_HOME", raising=False)
    monkeypatch.setenv("HOWDAH_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def cached(tmp_path: Path) -> Path:
    """The release's folder in the cache, its jars empty."""
    lib = tmp_path / "cache/hbase/2.6.4/lib"
    lib.mkdir(parents=True)
    for name in digests(release_of("hbase")):
        (lib / name).touch()
    return lib


def test_nothing_there_says_how_to_get_it() -> None:
    with pytest.raises(UserError, match=r"HBase 2\.6\.4 is not installed") as told:
        find_hbase("2.6.4")
    assert told.value.hint == "howdah hadoop fetch hbase, or set HBASE_HOME to your own installation"


def test_the_fetched_release_with_ycsb(cached: Path) -> None:
    found = find_hbase("2.6.4")
    assert (found.version, found.fetched, found.home) == ("2.6.4", True, cached.parent)
    assert found.class_path == (f"{cached}/*",)
    assert [jar.name for jar in ycsb_jars(cached)][:2] == ["core-0.17.0.jar", "HdrHistogram-2.2.2.jar"]
    (cached / "hbase-server-2.6.4-hadoop3.jar").unlink()
    with pytest.raises(UserError, match=r"hbase-server-2\.6\.4-hadoop3\.jar is missing"):
        find_hbase()


def test_a_release_that_cannot_be_fetched_is_to_be_ones_own() -> None:
    with pytest.raises(UserError, match=r"HBase 2\.5\.13: is the plan's release") as told:
        find_hbase("2.5.13")
    assert told.value.hint == "set HBASE_HOME to an installation of it, or plan with --hbase 2.6.4"


@pytest.mark.parametrize("named", ["2.6.4", "2.6.4-hadoop3"])
def test_an_own_installation_comes_first(
    named: str, cached: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = make_hbase(tmp_path / "own", named)
    monkeypatch.setenv("HBASE_HOME", str(home))
    found = find_hbase("2.6.4")
    assert (found.version, found.fetched, found.home) == ("2.6.4", False, home)
    assert found.class_path == (
        str(home),
        f"{home}/lib/*",
        f"{home}/lib/client-facing-thirdparty/*",
        f"{home}/lib/jdk11/*",
    )
    assert fetched_hbase(release_of("hbase")).fetched, "what was fetched is found whatever HBASE_HOME says"


def test_what_is_not_hbase_or_another_release_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HBASE_HOME", str(tmp_path))
    with pytest.raises(UserError, match=r"HBASE_HOME: .* has no lib/hbase-server-\*\.jar") as told:
        find_hbase()
    assert "Apache tarball" in told.value.hint
    monkeypatch.setenv("HBASE_HOME", str(make_hbase(tmp_path / "own", "2.5.13")))
    with pytest.raises(UserError, match=r"is HBase 2\.5\.13, but the plan is for 2\.6\.4") as told:
        find_hbase("2.6.4")
    assert told.value.hint.startswith("plan with --hbase 2.5.13, or ")


def test_daemons_find_their_pages_and_log_as_either_log4j_does(cached: Path, tmp_path: Path) -> None:
    command = java_command(find_hbase(), tmp_path, PROGRAMS["hmaster"], "start")
    assert command[-2:] == ["org.apache.hadoop.hbase.master.HMaster", "start"]
    assert command[command.index("-cp") + 1] == f"{tmp_path}:{RESOURCES}:{cached}/*"
    assert any(option.startswith("-Dlog4j2.configurationFile=file:") for option in command)
    # Without it HBase writes that it will not use what makes it read numbers in place.
    assert "--add-opens=java.base/java.nio=ALL-UNNAMED" in command
    pages = {page.parent.name for page in RESOURCES.glob("hbase-webapps/*/index.html")}
    assert pages == {"master", "regionserver", "static"}
