"""Which Hadoop is used, and how its programs are started."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.installation.digests import FETCHABLE, Fetchable, cache_folder, digests, faults, release_of
from howdah.installation.installation import find_installation, java_fault, java_home, java_version
from howdah.installation.java_programs import PROGRAMS, RESOURCES, java_command
from howdah.releases.catalogue import HBASE_VERSIONS, PLANNED_VERSIONS
from support.tarballs import add_jar, make_tarball

HADOOP = release_of("hadoop", "3.5.0")


@pytest.fixture(autouse=True)
def _no_hadoop(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("HADOOP_HOME", raising=False)
    monkeypatch.setenv("HOWDAH_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def cached(tmp_path: Path) -> Path:
    """A release's folder in the cache, its jars empty."""
    lib = tmp_path / "cache/hadoop/3.5.0/lib"
    lib.mkdir(parents=True)
    for name in digests(HADOOP):
        (lib / name).touch()
    return lib


def test_the_cache_is_where_it_is_said_to_be(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOWDAH_CACHE", "build")
    assert cache_folder() == tmp_path / "build"
    monkeypatch.setenv("HOWDAH_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert cache_folder() == Path("/xdg/howdah")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == Path.home() / ".cache/howdah"


def test_nothing_there_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"Hadoop 3\.5\.0 is not installed") as told:
        find_installation()
    assert told.value.hint.startswith("howdah hadoop fetch,")
    with pytest.raises(UserError) as told:
        find_installation(release="3.4.2")
    assert "fetch --release 3.4.2" in told.value.hint


def test_a_fetched_release(cached: Path) -> None:
    found = find_installation()
    assert (found.version, found.fetched, found.native) == ("3.5.0", True, None)
    assert found.class_path == (f"{cached}/*",)
    assert found.examples_jar.exists()
    assert found.tests_jar.exists()
    assert found.task_class_path == f"{cached}/*"


def test_a_jar_that_is_missing_is_named(cached: Path) -> None:
    (cached / "hadoop-hdfs-3.5.0.jar").unlink()
    with pytest.raises(UserError, match=r"hadoop-hdfs-3\.5\.0\.jar is missing"):
        find_installation()
    (cached / "hadoop-common-3.5.0.jar").unlink()
    with pytest.raises(UserError, match=r"hadoop-common-3\.5\.0\.jar and 1 more is missing"):
        find_installation()


def test_jars_that_are_not_as_released_are_told_apart(cached: Path) -> None:
    (cached / "hadoop-hdfs-3.5.0.jar").unlink()
    (cached / "other.jar").touch()
    heard: list[tuple[int, int]] = []
    found = {(fault.jar, fault.kind) for fault in faults(cached, HADOOP, lambda *read: heard.append(read))}
    assert ("hadoop-hdfs-3.5.0.jar", "missing") in found
    assert ("hadoop-common-3.5.0.jar", "damaged") in found
    assert ("other.jar", "unknown") in found
    assert heard[-1] == (len(digests(HADOOP)), len(digests(HADOOP)))


def test_a_release_nobody_can_fetch() -> None:
    with pytest.raises(
        UserError, match=r"--release: 2\.7\.0 is not a release of Hadoop that howdah can fetch"
    ):
        find_installation(release="2.7.0")


def test_hbase_comes_with_zookeeper_and_ycsb_and_one_histogram() -> None:
    listed = digests(release_of("hbase"))
    assert all(len(digest) == 64 for digest in listed.values())
    for name in (
        "hbase-server-2.6.4-hadoop3",
        "hbase-mapreduce-2.6.4-tests",
        "zookeeper-3.8.4",
        "core-0.17.0",
    ):
        assert f"{name}.jar" in listed
    # YCSB's own, 2.1.4, needs classes that Java 17 does not have.
    assert [name for name in listed if name.startswith("HdrHistogram")] == ["HdrHistogram-2.2.2.jar"]
    assert release_of("hbase").fetch == "howdah hadoop fetch hbase"


@pytest.mark.parametrize("release", FETCHABLE["hadoop"])
def test_every_release_has_a_list_of_what_runs_need(release: str) -> None:
    listed = digests(Fetchable("hadoop", release))
    assert all(len(digest) == 64 for digest in listed.values())
    for name in (
        "hadoop-common",
        "hadoop-hdfs",
        "hadoop-yarn-server-timelineservice",
        "hadoop-mapreduce-client-hs",
    ):
        assert f"{name}-{release}.jar" in listed
    assert f"hadoop-mapreduce-client-jobclient-{release}-tests.jar" in listed
    assert any(name.startswith("hadoop-mapreduce-examples-") for name in listed)


def test_the_releases_are_those_of_the_catalogue() -> None:
    assert set(FETCHABLE["hadoop"]) <= set(PLANNED_VERSIONS)
    assert set(FETCHABLE["hbase"]) <= set(HBASE_VERSIONS)
    assert "<artifactId>hadoop</artifactId>" in HADOOP.pom.read_text()


def test_an_own_installation_comes_first(
    cached: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = make_tarball(tmp_path / "hadoop", "3.4.1")
    monkeypatch.setenv("HADOOP_HOME", str(home))
    found = find_installation()
    assert (found.version, found.fetched, found.home) == ("3.4.1", False, home)
    share = home / "share/hadoop"
    assert found.class_path == (
        f"{share}/common/lib/*",
        f"{share}/common/*",
        f"{share}/hdfs",
        f"{share}/hdfs/lib/*",
        f"{share}/hdfs/*",
        f"{share}/yarn/lib/*",
        f"{share}/yarn/*",
        f"{share}/mapreduce/lib/*",
        f"{share}/mapreduce/*",
    )
    assert found.examples_jar.name == "hadoop-mapreduce-examples-3.4.1.jar"
    assert found.native == home / "lib/native"
    assert find_installation(release="3.5.0").fetched, "a release that is asked for is the fetched one"


def test_what_an_own_installation_lacks_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HADOOP_HOME", str(tmp_path))
    with pytest.raises(UserError, match=r"HADOOP_HOME: .* has no jars in share/hadoop/common"):
        find_installation()
    home = make_tarball(tmp_path / "hadoop", "3.4.1")
    tests = home / "share/hadoop/mapreduce/hadoop-mapreduce-client-jobclient-3.4.1-tests.jar"
    tests.unlink()
    with pytest.raises(UserError, match=r"has no hadoop-mapreduce-client-jobclient-\*-tests\.jar"):
        find_installation(home=home)


@pytest.mark.parametrize("text", [None, "revision=1\n"])
def test_an_own_installation_that_does_not_say_its_version(tmp_path: Path, text: str | None) -> None:
    home = make_tarball(tmp_path / "hadoop", "3.4.1")
    jar = home / "share/hadoop/common/hadoop-common-3.4.1.jar"
    add_jar(jar, {} if text is None else {"common-version-info.properties": text})
    with pytest.raises(UserError, match="does not contain its release number"):
        find_installation(home=home)
    jar.write_bytes(b"no archive")
    with pytest.raises(UserError, match="does not contain its release number"):
        find_installation(home=home)
    assert not zipfile.is_zipfile(jar)


def test_a_program_needs_no_shell(cached: Path, tmp_path: Path) -> None:
    command = java_command(
        find_installation(), tmp_path / "a b", PROGRAMS["namenode"], "-format", "x; rm", options=["-Xmx1g"]
    )
    assert Path(command[0]).name == "java"
    assert command[-3:] == [PROGRAMS["namenode"], "-format", "x; rm"]
    assert command[command.index("-cp") + 1] == f"{tmp_path}/a b:{RESOURCES}:{cached}/*"
    own = [option for option in command if option.startswith("-")].index("-Xmx1g")
    assert any(option.startswith("-Dlog4j.configuration=file:") for option in command[: own + 1])
    assert "--add-opens=java.base/java.lang=ALL-UNNAMED" in command


def test_own_pages_come_before_the_empty_ones(tmp_path: Path) -> None:
    home = make_tarball(tmp_path / "hadoop", "3.4.1")
    command = java_command(find_installation(home=home), tmp_path, "Main")
    path = command[command.index("-cp") + 1].split(":")
    assert path.index(f"{home}/share/hadoop/hdfs") < path.index(str(RESOURCES))
    assert f"-Djava.library.path={home}/lib/native" in command


def test_the_folders_that_daemons_look_for_are_there() -> None:
    pages = {page.parent.name for page in RESOURCES.glob("webapps/*/index.html")}
    assert pages == {"hdfs", "datanode", "secondary", "journal"}


def test_java_is_where_it_is_said_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UserError, match=r"JAVA_HOME: .* has no bin/java"):
        java_home()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/java").touch()
    assert java_home() == tmp_path
    assert java_version(tmp_path) is None
    (tmp_path / "release").write_text('IMPLEMENTOR="x"\nJAVA_VERSION="11.0.2"\n')
    assert java_version(tmp_path) == "11.0.2"


def test_no_java_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UserError, match="java: is not on this machine's PATH"):
        java_home()


@pytest.mark.parametrize(
    ("java", "hadoop", "fits"),
    [
        ("17.0.15", "3.5.0", True),
        ("21", "3.5.0", True),
        ("11.0.2", "3.5.0", False),
        ("1.8.0_402", "3.5.0", False),
        ("11.0.2", "3.4.2", True),
        (None, "3.5.0", True),
    ],
)
def test_the_java_that_a_release_needs(java: str | None, hadoop: str, fits: bool) -> None:
    assert (java_fault(java, hadoop) is None) == fits
