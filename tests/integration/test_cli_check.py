"""``howdah check`` as a user types it: exit codes, JSON, SARIF, the table, bad input."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.command import environment, howdah
from support.faults import DATA, SOUND

PROBE = DATA / "sound-host.json"


@pytest.fixture
def conf(tmp_path: Path) -> Path:
    """A copy of the sound configuration that may be broken."""
    return shutil.copytree(SOUND, tmp_path / "conf")


def _break(conf: Path, file: str, old: str, new: str) -> None:
    text = (conf / file).read_text()
    assert old in text
    (conf / file).write_text(text.replace(old, new))


def test_what_is_sound_ends_with_zero(conf: Path) -> None:
    done = howdah("check", "--conf", conf, "--probe", PROBE, "--severity", "warn", cwd=conf)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 fail · 0 warn" in done.stdout


def test_a_fault_ends_with_one_and_names_the_fix(conf: Path) -> None:
    _break(conf, "hdfs-site.xml", "<name>dfs.blocksize</name>", "<name>dfs.blocksise</name>")
    done = howdah("check", "--conf", conf, cwd=conf)
    assert done.returncode == 1, done.stderr
    assert "rename dfs.blocksise to dfs.blocksize in hdfs-site.xml:" in done.stdout
    assert "release.misspelt-property" in done.stdout


def test_a_warning_ends_with_one_only_where_that_is_asked(conf: Path) -> None:
    _break(conf, "hdfs-site.xml", "<name>dfs.blocksize</name>", "<name>dfs.block.size</name>")
    assert howdah("check", "--conf", conf, cwd=conf).returncode == 0
    assert howdah("check", "--conf", conf, "--severity", "warn", cwd=conf).returncode == 1


def test_all_lists_what_passes(conf: Path) -> None:
    assert "os.swappiness" not in howdah("check", "--probe", PROBE, cwd=conf).stdout
    assert "os.swappiness" in howdah("check", "--probe", PROBE, "--all", cwd=conf).stdout


def test_this_machine_is_checked_when_nothing_is_given(tmp_path: Path) -> None:
    done = howdah("check", "--json", cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    report = json.loads(done.stdout)
    assert report["scope"] == "host"
    assert {"rule", "verdict", "about", "where", "found", "expected", "why", "fix"} <= set(
        report["checks"][0]
    )


def test_the_release_is_given_or_found_or_said(conf: Path, tmp_path: Path) -> None:
    jars = tmp_path / "home/share/hadoop/common"
    jars.mkdir(parents=True)
    (jars / "hadoop-common-3.4.2.jar").touch()
    homes = {**environment(), "HADOOP_HOME": str(tmp_path / "home")}
    found = json.loads(howdah("check", "--conf", conf, "--json", cwd=conf, env=homes).stdout)
    assert (found["hadoop"], found["hadoop_from"]) == ("3.4.2", "HADOOP_HOME")
    given = json.loads(howdah("check", "--conf", conf, "--hadoop", "3.5.0", "--json", cwd=conf).stdout)
    assert (given["hadoop"], given["hadoop_from"]) == ("3.5.0", "command line")
    done = howdah("check", "--conf", conf, "--hadoop", "1.0.4", cwd=conf)
    assert done.returncode == 2
    assert "1.0.4 is not a release that howdah supports" in done.stderr


def test_a_check_waits_for_no_heavy_library() -> None:
    heavy = "{'pyarrow', 'numpy', 'vl_convert', 'howdah._native'}"
    code = f"import sys, howdah.cli.check; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def _sarif(conf: Path) -> dict[str, Any]:
    _break(conf, "hdfs-site.xml", "<name>dfs.blocksize</name>", "<name>dfs.blocksise</name>")
    target = conf.parent / "check.sarif"
    done = howdah("check", "--conf", conf, "--probe", PROBE, "--sarif", target, cwd=conf)
    assert done.returncode == 1, done.stderr
    content: dict[str, Any] = json.loads(target.read_text())
    return content


def test_sarif_has_what_the_standard_requires(conf: Path) -> None:
    content = _sarif(conf)
    assert content["version"] == "2.1.0"
    (run,) = content["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "howdah"
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(ids) == len(set(ids))
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["message"]["text"]
        assert result["kind"] in ("pass", "fail", "open", "informational")
        # SARIF 3.27.10: a level other than none is only for what failed.
        assert (result["level"] == "none") == (result["kind"] != "fail")


def test_sarif_names_file_and_line(conf: Path) -> None:
    (run,) = _sarif(conf)["runs"]
    (result,) = [one for one in run["results"] if one["ruleId"] == "release.misspelt-property"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "hdfs-site.xml", "uriBaseId": "CONF"}
    lines = (conf / "hdfs-site.xml").read_text().splitlines()
    assert lines[place["region"]["startLine"] - 1].strip() == "<property>"
    assert run["originalUriBaseIds"]["CONF"]["uri"] == f"file://{conf}/"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--conf", "missing"], "--conf missing: no such directory"),
        (["--conf", "."], "contains no configuration file"),
        (["--probe", "missing.json"], "missing.json"),
        (["--plan", "missing.yaml"], "missing.yaml"),
        (["--severity", "never"], "severity"),
        (["--sarif", "no/such/directory.sarif"], "cannot be written"),
    ],
)
def test_bad_input_is_one_message_and_two(tmp_path: Path, arguments: list[str], says: str) -> None:
    done = howdah("check", *arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stdout
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_entities_are_refused_with_their_place(conf: Path) -> None:
    (conf / "core-site.xml").write_text(
        '<?xml version="1.0"?>\n<!DOCTYPE c SYSTEM "http://example.com/x">\n<configuration/>'
    )
    done = howdah("check", "--conf", conf, cwd=conf)
    assert done.returncode == 2
    assert "core-site.xml:2: has a document type declaration" in done.stderr
