"""``howdah hadoop``: a release comes whole and verified or not at all, and one's own does instead."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import psutil
import pytest

from howdah.installation.installation import find_installation
from howdah.installation.java_programs import PROGRAMS, java_command
from support.command import HOWDAH, environment, howdah
from support.daemons import ROOT
from support.patience import PATIENCE_S
from support.tarballs import unpack_as_tarball

pytestmark = pytest.mark.skipif(shutil.which("mvn") is None, reason="Maven is not installed")

CLOSED = "http://127.0.0.1:9/"
SETTINGS = f"""<settings><mirrors><mirror>
<id>central</id><mirrorOf>*</mirrorOf><url>{CLOSED}</url>
</mirror></mirrors></settings>"""


def _howdah(
    *arguments: str, cache: Path, changed: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    env = _environment(cache) | dict(changed or {})
    return howdah(*arguments, cwd=cache.parent, timeout_s=300, env=env)


def _environment(cache: Path) -> dict[str, str]:
    return {key: value for key, value in environment().items() if key != "HADOOP_HOME"} | {
        "HOWDAH_CACHE": str(cache)
    }


def _left(cache: Path) -> set[str]:
    """What a fetch left, apart from the file that it locks."""
    found = {str(path.relative_to(cache)) for path in cache.rglob("*")}
    return found - {"hadoop", "hadoop/.3.5.0.lock"}


@pytest.fixture(scope="module")
def fetched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with a release in it, and Maven's own repository with it."""
    cache = tmp_path_factory.mktemp("fetched") / "cache"
    done = _howdah("hadoop", "fetch", cache=cache)
    assert done.returncode == 0, done.stderr
    assert "194 jars" in done.stdout
    assert "fetched and verified" in done.stdout
    assert f"in {cache}/hadoop/3.5.0" in done.stdout
    return cache


@pytest.fixture
def home(fetched: Path, tmp_path: Path) -> Path:
    """A user's home with Maven's repository as it is, and no network to get more."""
    repository = Path.home() / ".m2/repository"
    if not repository.is_dir():
        pytest.skip("Maven keeps its repository elsewhere")
    maven = tmp_path / "home/.m2"
    shutil.copytree(repository, maven / "repository", copy_function=os.symlink)
    (maven / "settings.xml").write_text(SETTINGS)
    return maven.parent


def _at_home(home: Path) -> dict[str, str]:
    return {"MAVEN_OPTS": f"-Duser.home={home}"}


def test_a_second_fetch_only_verifies(fetched: Path) -> None:
    jar = fetched / "hadoop/3.5.0/lib/hadoop-hdfs-3.5.0.jar"
    before = jar.stat().st_ino
    done = _howdah("hadoop", "fetch", cache=fetched, changed={"MAVEN_OPTS": "-Duser.home=/nowhere"})
    assert done.returncode == 0, done.stderr
    assert "already in the cache, verified" in done.stdout
    assert jar.stat().st_ino == before


def test_a_damaged_jar_is_named_and_fetched_again(fetched: Path) -> None:
    jar = fetched / "hadoop/3.5.0/lib/hadoop-hdfs-3.5.0.jar"
    with jar.open("r+b") as file:
        file.seek(1000)
        file.write(b"damage")
    shown = _howdah("hadoop", "show", cache=fetched)
    assert shown.returncode == 1
    assert f"missing  {jar}: is damaged\n         howdah hadoop fetch" in shown.stdout
    assert "fetched and verified" in _howdah("hadoop", "fetch", cache=fetched).stdout
    assert _howdah("hadoop", "show", cache=fetched).returncode == 0
    assert {path.name for path in (fetched / "hadoop").iterdir()} == {"3.5.0", ".3.5.0.lock"}


def test_no_network_names_the_artifact(home: Path, tmp_path: Path) -> None:
    shutil.rmtree(home / ".m2/repository/org/apache/hadoop/hadoop-hdfs/3.5.0")
    done = _howdah("hadoop", "fetch", cache=tmp_path / "cache", changed=_at_home(home))
    assert done.returncode == 1
    (said,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert "org.apache.hadoop:hadoop-hdfs:" in said
    assert CLOSED in said
    assert "refused" in said
    assert "HADOOP_HOME" in done.stderr
    assert not _left(tmp_path / "cache")


def test_what_is_not_as_released_is_refused(home: Path, tmp_path: Path) -> None:
    folder = home / ".m2/repository/org/apache/hadoop/hadoop-hdfs/3.5.0"
    jar = folder / "hadoop-hdfs-3.5.0.jar"
    jar.unlink()
    jar.write_bytes(b"not the jar")
    done = _howdah("hadoop", "fetch", cache=tmp_path / "cache", changed=_at_home(home))
    assert done.returncode == 1
    assert f"{jar.name} differs from the released file" in done.stderr
    assert not _left(tmp_path / "cache")


def test_an_interrupted_fetch_leaves_nothing(fetched: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    process = subprocess.Popen(
        [HOWDAH, "hadoop", "fetch"],
        env=_environment(cache),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    children: list[psutil.Process] = []
    while not children:
        assert process.poll() is None
        children = psutil.Process(process.pid).children(recursive=True)
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert not _left(cache)
    assert not any(child.is_running() and child.status() != psutil.STATUS_ZOMBIE for child in children)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", "size=20m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mounted, capture_output=True, check=False).returncode != 0:
        pytest.skip("only root can make a disk of its own")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk(fetched: Path, small_disk: Path) -> None:
    done = _howdah("hadoop", "fetch", cache=small_disk / "cache")
    assert done.returncode == 1
    assert "no space is left for it" in done.stderr
    assert not _left(small_disk / "cache")


def test_no_maven(tmp_path: Path) -> None:
    done = _howdah("hadoop", "fetch", cache=tmp_path / "cache", changed={"PATH": str(tmp_path)})
    assert done.returncode == 2
    assert "error: mvn: Maven is not on this machine's PATH" in done.stderr
    assert not _left(tmp_path / "cache")


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    done = _howdah("hadoop", "fetch", cache=tmp_path / "cache")
    assert done.returncode == 2
    assert "cannot be written" in done.stderr


def test_nothing_there(tmp_path: Path) -> None:
    shown = _howdah("hadoop", "show", "--json", cache=tmp_path / "cache")
    assert shown.returncode == 1
    content = json.loads(shown.stdout)
    assert content["hadoop"] is None
    assert content["missing"][0]["what"] == "Hadoop 3.5.0 is not installed"
    assert "howdah hadoop fetch" in content["missing"][0]["hint"]


def test_an_own_installation_runs(fetched: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOWDAH_CACHE", str(fetched))
    own = unpack_as_tarball(find_installation(release="3.5.0"), tmp_path / "hadoop-3.5.0")
    shown = _howdah("hadoop", "show", "--json", cache=tmp_path / "none", changed={"HADOOP_HOME": str(own)})
    content = json.loads(shown.stdout)
    assert (content["hadoop"]["version"], content["hadoop"]["named_by"]) == ("3.5.0", "HADOOP_HOME")
    assert shown.returncode == 0, shown.stdout
    command = java_command(find_installation(home=own), tmp_path, PROGRAMS["version"])
    ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    assert ran.stdout.startswith("Hadoop 3.5.0\n")
    assert f"This command was run using {own}/share/hadoop/common/hadoop-common-3.5.0.jar" in ran.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("hive",),
            "error: hive: is not a product that howdah can fetch\n       one of hadoop, hbase, spark\n",
        ),
        (
            ("hbase", "--release", "2.5.0"),
            "error: --release: 2.5.0 is not a release of HBase that howdah can fetch\n"
            "       one of 2.6.4, or set HBASE_HOME to your own installation\n",
        ),
    ],
)
def test_what_cannot_be_fetched_is_one_message(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    done = _howdah("hadoop", "fetch", *words, cache=tmp_path / "cache")
    assert (done.returncode, done.stderr) == (2, message)
    # Not even the folder that a fetch is locked by.
    assert not (tmp_path / "cache").exists()


def test_the_files_beside_the_package_are_those_of_the_clone() -> None:
    packed = ROOT / "python/howdah/installation"
    for name in (
        "hadoop.xml",
        "hbase.xml",
        "hadoop-3.4.2.sha256",
        "hadoop-3.5.0.sha256",
        "hbase-2.6.4.sha256",
    ):
        assert (packed / name).read_bytes() == (ROOT / "hadoop" / name).read_bytes()
