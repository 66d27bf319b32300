"""Configuration directories as a check reads them: all with its line, nothing followed, nothing run."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from howdah.audit.folder import read_env, read_folders, read_xml
from howdah.audit.values import Values
from howdah.errors import UserError
from howdah.model.existing import FoundConfig
from howdah.releases.catalogue import hadoop, hbase

SITE = """<?xml version="1.0"?>
<configuration>
  <property>
    <name>dfs.replication</name>
    <value> 2 </value>
    <final>true</final>
  </property>
  <property name="dfs.blocksize" value="128m"/>
  <property><name>dfs.hosts</name><value>a &amp; <![CDATA[<b>]]></value></property>
  <property><name>no.value</name></property>
  <property><value>no name</value></property>
</configuration>
"""


def _site(folder: Path, text: str, name: str = "hdfs-site.xml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def _config(folder: Path, **sites: dict[str, str]) -> FoundConfig:
    for name, properties in sites.items():
        rows = (
            f"<property><name>{key}</name><value>{text}</value></property>"
            for key, text in properties.items()
        )
        _site(folder, f"<configuration>{''.join(rows)}</configuration>", f"{name}-site.xml")
    return read_folders([folder])


def _values(config: FoundConfig) -> Values:
    return Values(config, (hadoop(), hbase()))


def test_properties_have_their_lines_and_values_as_hadoop_reads_them(tmp_path: Path) -> None:
    found = read_xml(_site(tmp_path, SITE), "hdfs-site.xml")
    assert [(one.name, one.text, one.line, one.final) for one in found] == [
        ("dfs.replication", "2", 3, True),
        ("dfs.blocksize", "128m", 8, False),
        ("dfs.hosts", "a & <b>", 9, False),
    ]


def test_the_last_of_two_wins_unless_the_first_is_final(tmp_path: Path) -> None:
    again = SITE.replace(
        "</configuration>", "<property><name>dfs.replication</name><value>3</value></property>\n"
    )
    again += "<property><name>dfs.blocksize</name><value>64m</value></property></configuration>"
    _site(tmp_path, again)
    config = read_folders([tmp_path])
    assert config.property("dfs.replication").text == "2"  # type: ignore[union-attr]
    assert config.property("dfs.blocksize").text == "64m"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("<configuration>\n<property></configuration>", "hdfs-site.xml:2:13", "not well-formed"),
        ("", "hdfs-site.xml:1:1", "not well-formed"),
        (
            '<!DOCTYPE c [<!ENTITY x SYSTEM "/etc/passwd">]>\n<configuration/>',
            "hdfs-site.xml:1",
            "document type",
        ),
        (
            '<configuration xmlns:xi="http://www.w3.org/2001/XInclude">\n<xi:include href="/etc/passwd"/>\n'
            "</configuration>",
            "hdfs-site.xml:2",
            "includes another file",
        ),
        ("<project/>", "hdfs-site.xml", "not a Hadoop configuration"),
        ('<?xml version="1.0" encoding="nonsense"?><configuration/>', "hdfs-site.xml", ""),
    ],
)
def test_what_is_no_configuration_is_refused_at_its_place(
    tmp_path: Path, text: str, where: str, what: str
) -> None:
    _site(tmp_path, text)
    with pytest.raises(UserError) as refused:
        read_folders([tmp_path])
    assert where in refused.value.where
    assert what in refused.value.what
    assert refused.value.hint


def test_bytes_that_are_no_text_are_refused_in_xml_and_replaced_in_scripts(tmp_path: Path) -> None:
    (tmp_path / "hdfs-site.xml").write_bytes(b"<configuration>\xff\xfe</configuration>")
    with pytest.raises(UserError, match="well-formed"):
        read_folders([tmp_path])
    (tmp_path / "hdfs-site.xml").write_text("<configuration/>")
    (tmp_path / "hadoop-env.sh").write_bytes(b"# caf\xe9\nexport A=1\n")
    assert [entry.text for entry in read_folders([tmp_path]).environment] == ["1"]


def test_a_malformed_file_is_kept_apart_and_the_others_are_read(tmp_path: Path) -> None:
    _site(tmp_path, SITE)
    _site(tmp_path, "<configuration>\n</configuration>\n<configuration/>", "hive-site.xml")
    _site(tmp_path, "<configuration>\n<property>", "yarn-site.xml")
    config = read_folders([tmp_path])
    assert config.files == ("hdfs-site.xml",)
    assert [(one.file, one.what[:7]) for one in config.unreadable] == [
        ("yarn-site.xml", "line 2:"),
        ("hive-site.xml", "line 3:"),
    ]


def test_files_that_no_program_reads_are_listed_and_not_read(tmp_path: Path) -> None:
    _site(tmp_path, SITE)
    _site(tmp_path, SITE, "hdfs-site-old.xml")
    _site(tmp_path, "<project/>", "pom.xml")
    _site(tmp_path, SITE, "ranger-hdfs-security.xml")
    config = read_folders([tmp_path])
    assert (config.files, config.ignored) == (("hdfs-site.xml",), ("hdfs-site-old.xml",))


def test_jobs_read_yarn_site_after_mapred_site(tmp_path: Path) -> None:
    config = _config(tmp_path, mapred={"mapreduce.map.memory.mb": "1"}, yarn={"mapreduce.map.memory.mb": "2"})
    assert _values(config)["mapreduce.map.memory.mb"] == 2


def test_what_hive_reads_changes_nothing_for_hadoop(tmp_path: Path) -> None:
    values = _values(_config(tmp_path, mapred={}, hive={"mapreduce.map.memory.mb": "1", "hive.x": "2"}))
    assert values["mapreduce.map.memory.mb"] == -1
    assert values.read("hive.x").text == "2"  # type: ignore[union-attr]


def test_sparks_workers_are_not_hadoops(tmp_path: Path) -> None:
    for name in ("hadoop", "spark"):
        (tmp_path / name).mkdir()
    _site(tmp_path / "hadoop", SITE)
    (tmp_path / "hadoop/workers").write_text("w1\n")
    (tmp_path / "spark/spark-defaults.conf").write_text("spark.master yarn\n")
    (tmp_path / "spark/workers").write_text("localhost\n")
    config = read_folders([tmp_path / "hadoop", tmp_path / "spark"])
    assert config.lists == {"hadoop/workers": ("w1",)}


def test_a_directory_without_a_configuration_is_refused(tmp_path: Path) -> None:
    for folder in (tmp_path / "missing", tmp_path):
        with pytest.raises(UserError) as refused:
            read_folders([folder])
        assert refused.value.where == f"--conf {folder}"


def test_a_pipe_and_a_huge_file_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "core-site.xml")
    with pytest.raises(UserError, match="regular file"):
        read_folders([tmp_path])
    (tmp_path / "core-site.xml").unlink()
    with (tmp_path / "core-site.xml").open("wb") as file:
        file.truncate(2**30)
    with pytest.raises(UserError, match="1 GiB"):
        read_folders([tmp_path])


def test_queues_are_read_with_their_lines(tmp_path: Path) -> None:
    _site(
        tmp_path,
        '<allocations>\n<queue name="a"><weight> 2 </weight></queue></allocations>',
        "fair-scheduler.xml",
    )
    _site(tmp_path, SITE)
    config = read_folders([tmp_path])
    assert config.files == ("hdfs-site.xml", "fair-scheduler.xml")
    assert config.allocations is not None
    (queue,) = config.allocations.children
    assert (queue.tag, queue.attributes, queue.line, queue.children[0].text) == (
        "queue",
        {"name": "a"},
        2,
        "2",
    )


def test_two_directories_are_one_configuration(tmp_path: Path) -> None:
    for name in ("hadoop", "hbase"):
        (tmp_path / name).mkdir()
    _site(tmp_path / "hadoop", SITE)
    _site(tmp_path / "hbase", "<configuration/>", "hbase-site.xml")
    config = read_folders([tmp_path / "hadoop", tmp_path / "hbase"])
    assert config.folder == str(tmp_path)
    assert config.files == ("hadoop/hdfs-site.xml", "hbase/hbase-site.xml")


def test_a_shell_script_is_read_and_never_run(tmp_path: Path) -> None:
    script = tmp_path / "hadoop-env.sh"
    script.write_text(
        "# export HADOOP_LOG_DIR=/no\n"
        'export A="-Xmx1g ${JAVA_HOME}"  # a comment\n'
        "  B='single $A'\n"
        'C="$A $B"\n'
        'C+=" more"\n'
        "D=$(touch ran)\n"
        'E="two\n'
        'lines" \n'
        "F=one\\\n"
        "two\n"
        "G=a#b\n"
        "if true; then H=1; fi\n"
    )
    found = {one.name: (one.text, one.line) for one in read_env(script, "hadoop-env.sh")}
    assert found["A"] == ("-Xmx1g ${JAVA_HOME}", 2)
    assert found["B"] == ("single $A", 3)
    assert found["C"] == ("-Xmx1g ${JAVA_HOME} single $A more", 5)
    assert found["E"] == ("two\nlines", 7)
    assert found["F"] == ("onetwo", 9)
    assert found["G"] == ("a#b", 11)
    assert not (tmp_path / "ran").exists()


def test_variables_are_replaced_as_often_as_hadoop_does(tmp_path: Path) -> None:
    config = _config(
        tmp_path,
        core={"hadoop.tmp.dir": "/srv/${user.name}", "round": "${round}"},
        hdfs={"dfs.hosts": "${hadoop.tmp.dir}/include"},
    )
    values = _values(config)
    assert values.read("dfs.hosts").text == "/srv/${user.name}/include"  # type: ignore[union-attr]
    assert values.read("dfs.namenode.name.dir").text == "file:///srv/${user.name}/dfs/name"  # type: ignore[union-attr]
    assert values.read("round").text == "${round}"  # type: ignore[union-attr]


def test_former_names_and_defaults_answer_for_names_of_today(tmp_path: Path) -> None:
    values = _values(_config(tmp_path, hdfs={"dfs.block.size": "64m"}))
    assert values["dfs.blocksize"] == 64 * 2**20
    assert values["dfs.replication"] == 3
    assert values["dfs.permissions.enabled"] is True
    assert values.get("no.such.key") is None


def test_hbase_reads_its_own_file_last(tmp_path: Path) -> None:
    values = _values(_config(tmp_path, hdfs={"dfs.replication": "3"}, hbase={"dfs.replication": "2"}))
    assert values.read("dfs.replication").text == "3"  # type: ignore[union-attr]
    assert values.read("dfs.replication", "hbase-site.xml").text == "2"  # type: ignore[union-attr]


@given(start=st.integers(0, len(SITE)), length=st.integers(0, 40), junk=st.binary(max_size=40))
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_no_damage_is_more_than_a_user_error(tmp_path: Path, start: int, length: int, junk: bytes) -> None:
    content = SITE.encode()
    (tmp_path / "hdfs-site.xml").write_bytes(content[:start] + junk + content[start + length :])
    with suppress(UserError):
        read_folders([tmp_path])


@given(text=st.text(alphabet="AB=\"'\\$(){}#; \nexport+", max_size=60))
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_no_script_is_more_than_a_user_error(tmp_path: Path, text: str) -> None:
    script = tmp_path / "hadoop-env.sh"
    script.write_text(text)
    read_env(script, "hadoop-env.sh")


def test_no_secret_is_kept(tmp_path: Path) -> None:
    secrets = {
        "ssl.server.keystore.password": "open sesame",
        "fs.s3a.secret.key": "open sesame",
        "hadoop.security.group.mapping.ldap.bind.password": "open sesame",
    }
    config = _config(tmp_path, core={**secrets, "hadoop.http.authentication.type": "simple"})
    script = _site(
        tmp_path, 'export HADOOP_OPTS="-Dkey.password=sesame -Xmx1g"\nDB_PASSWORD=sesame', "hadoop-env.sh"
    )
    assert "sesame" not in config.model_dump_json()
    assert [one.text for one in read_env(script, "hadoop-env.sh")] == [
        "-Dkey.password=(hidden) -Xmx1g",
        "(hidden)",
    ]
    assert config.property("hadoop.http.authentication.type").text == "simple"  # type: ignore[union-attr]


def test_a_list_may_have_a_line_for_every_worker_of_a_large_cluster(tmp_path: Path) -> None:
    (tmp_path / "hdfs-site.xml").write_text("<configuration/>")
    line = "worker-with-a-long-name-{:06d}.example.com /rack-1/host-1\n"
    (tmp_path / "topology.data").write_text("".join(line.format(number) for number in range(40_000)))
    assert len(read_folders([tmp_path]).mapped or ()) == 40_000


def test_racks_of_hosts_and_second_hmasters_are_read(tmp_path: Path) -> None:
    (tmp_path / "hbase-site.xml").write_text("<configuration/>")
    (tmp_path / "topology.data").write_text("# masters\nm1 /r1\nm2 /r2/h2 more\nm3\n")
    (tmp_path / "backup-masters").write_text("m2\nm2\n\n# m3\n")
    config = read_folders([tmp_path])
    assert config.mapped == {"m1": "/r1", "m2": "/r2/h2", "m3": ""}
    assert config.backup_masters == ("m2",)
    assert "backup-masters" in config.files
