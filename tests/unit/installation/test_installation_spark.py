"""Installations of Spark: what they are, and the jars that do not match each other or this machine's Java."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.installation.digests import digests, release_of
from howdah.installation.installation import find_spark, own_spark, spark_java_fault


def distribution(home: Path, *jars: str) -> Path:
    """A folder with jars of these names."""
    (home / "jars").mkdir(parents=True)
    for jar in jars:
        (home / "jars" / f"{jar}.jar").touch()
    return home


WHOLE = ("spark-core_2.12-3.5.6", "spark-yarn_2.12-3.5.6", "scala-library-2.12.18")


def test_an_own_distribution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_HOME", str(distribution(tmp_path / "spark", *WHOLE)))
    spark = find_spark()
    assert (spark.version, spark.scala, spark.fetched) == ("3.5.6", "2.12", False)
    assert spark.jars == tmp_path / "spark/jars"


@pytest.mark.parametrize(
    ("jars", "message"),
    [
        ((), "has no spark-core"),
        ((WHOLE[0], WHOLE[1]), "has no scala-library"),
        ((WHOLE[0], WHOLE[2]), "has no spark-yarn"),
        (
            (*WHOLE[:2], "scala-library-2.13.16"),
            r"its jars do not match: spark-core is for Scala 2\.12, scala-library for Scala 2\.13",
        ),
        (
            (WHOLE[0], "spark-yarn_2.13-4.0.0", WHOLE[2]),
            r"its jars do not match: spark-core is for Scala 2\.12, spark-yarn for Scala 2\.13",
        ),
        (
            (*WHOLE, "spark-core_2.13-4.0.0"),
            r"has spark-core_2\.12-3\.5\.6\.jar and spark-core_2\.13-4\.0\.0\.jar",
        ),
    ],
    ids=["none", "no Scala", "no YARN", "other Scala", "other YARN", "two releases"],
)
def test_jars_that_do_not_match(tmp_path: Path, jars: tuple[str, ...], message: str) -> None:
    with pytest.raises(UserError, match=message):
        own_spark(distribution(tmp_path / "spark", *jars), "SPARK_HOME")


def test_no_spark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setenv("HOWDAH_CACHE", str(tmp_path))
    with pytest.raises(UserError, match=r"Spark 4\.3\.0 is not installed") as error:
        find_spark()
    assert error.value.hint == "howdah hadoop fetch spark, or set SPARK_HOME to your own installation"


@pytest.mark.parametrize(
    ("java", "spark", "fault"),
    [
        ("11.0.22", "4.3.0", "Spark 4.3.0 needs Java 17, not 11"),
        ("1.8.0_402", "4.0.1", "Spark 4.0.1 needs Java 17, not 8"),
        ("17.0.15", "4.3.0", None),
        ("11.0.22", "3.5.6", None),
        (None, "4.3.0", None),
    ],
)
def test_java_that_is_too_old(java: str | None, spark: str, fault: str | None) -> None:
    assert spark_java_fault(java, spark) == fault


def test_the_fetched_release_has_all_that_programs_need() -> None:
    listed = digests(release_of("spark"))
    assert all(len(digest) == 64 for digest in listed.values())
    for name in ("spark-yarn_2.13-4.3.0", "spark-mllib_2.13-4.3.0", "hadoop-client-api-3.5.0"):
        assert f"{name}.jar" in listed
