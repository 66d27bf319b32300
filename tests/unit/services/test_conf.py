"""A client's configuration is read as Hadoop's client reads it, and nothing outside its files."""

from __future__ import annotations

import getpass
from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from howdah.errors import UserError
from howdah.model.inventory import Inventory
from howdah.model.request import Hypervisor, PlanRequest, Protection
from howdah.planner.cluster import plan_cluster
from howdah.render.cluster import render
from howdah.services.conf import ClientConf
from howdah.session.plan_checks import write_rendered
from support.plans import group

HDFS = {"fs.defaultFS": "hdfs://master:8020"}
PAIR = {
    "fs.defaultFS": "hdfs://bigdata",
    "dfs.nameservices": "other, bigdata",
    "dfs.ha.namenodes.bigdata": "nn1,nn2",
    "dfs.namenode.rpc-address.bigdata.nn1": "m1:8020",
    "dfs.namenode.rpc-address.bigdata.nn2": "m2:8020",
}


def _xml(properties: Mapping[str, str], *, final: bool = False) -> str:
    end = "<final>true</final>" if final else ""
    lines = (
        f"<property><name>{name}</name><value>{escape(value)}</value>{end}</property>"
        for name, value in properties.items()
    )
    return "<configuration>\n" + "\n".join(lines) + "\n</configuration>\n"


def _conf(folder: Path, core: Mapping[str, str], **others: Mapping[str, str]) -> ClientConf:
    (folder / "core-site.xml").write_text(_xml(core))
    for name, properties in others.items():
        (folder / f"{name}-site.xml").write_text(_xml(properties))
    return ClientConf.read(folder)


def _urls(conf: ClientConf) -> list[str]:
    return [address.url for address in conf.namenodes()]


def test_what_no_file_sets_has_the_releases_default(tmp_path: Path) -> None:
    conf = _conf(tmp_path, HDFS)
    assert conf.get("dfs.blocksize") == "134217728"
    assert conf.explicit("dfs.blocksize") is None
    assert conf.get("no.such.key") is None


def test_later_files_win_unless_a_value_is_final(tmp_path: Path) -> None:
    conf = _conf(tmp_path, {**HDFS, "a": "core"}, hdfs={"a": "hdfs"})
    assert conf.get("a") == "hdfs"
    (tmp_path / "core-site.xml").write_text(_xml({**HDFS, "a": "core"}, final=True))
    assert ClientConf.read(tmp_path).get("a") == "core"


def test_former_names_are_taken_for_todays(tmp_path: Path) -> None:
    assert _conf(tmp_path, {"fs.default.name": "hdfs://old:8020"}).default_fs == "hdfs://old:8020"


def test_a_variable_may_have_a_former_name(tmp_path: Path) -> None:
    conf = _conf(tmp_path, {"fs.defaultFS": "hdfs://m:8020", "a": "${fs.default.name}/x"})
    assert conf.get("a") == "hdfs://m:8020/x"


def test_variables_are_replaced(tmp_path: Path) -> None:
    conf = _conf(
        tmp_path,
        {**HDFS, "a": "${b}/${user.name}", "b": "x", "tmp": "${hadoop.tmp.dir}/y", "un": "${no.such}"},
    )
    user = getpass.getuser()
    assert conf.get("a") == f"x/{user}"
    assert conf.get("tmp") == f"/tmp/hadoop-{user}/y"
    assert conf.get("un") == "${no.such}"


def test_variables_that_go_round_in_a_circle_end(tmp_path: Path) -> None:
    conf = _conf(tmp_path, {**HDFS, "a": "${b}", "b": "${a}", "grows": "${grows}${grows}"})
    assert conf.get("a") in ("${a}", "${b}")
    assert len(conf.get("grows") or "") < 10_000_000


@pytest.mark.parametrize("value", ["file:///", "s3a://bucket", "master:8020", "hdfs://", ""])
def test_only_hdfs_will_do(tmp_path: Path, value: str) -> None:
    with pytest.raises(UserError, match=r"core-site.xml:2: fs.defaultFS: .* is not HDFS"):
        _ = _conf(tmp_path, {"fs.defaultFS": value}).default_fs


def test_a_file_system_that_no_file_names(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"fs.defaultFS: is not set"):
        _ = _conf(tmp_path, {"dfs.replication": "2"}).default_fs


def test_one_namenode_is_where_the_file_system_is(tmp_path: Path) -> None:
    assert _urls(_conf(tmp_path, HDFS)) == ["http://master:9870"]
    assert _urls(_conf(tmp_path, HDFS, hdfs={"dfs.namenode.http-address": "m:1"})) == ["http://m:1"]


def test_https_where_it_is_the_policy(tmp_path: Path) -> None:
    conf = _conf(
        tmp_path,
        {**HDFS, "hadoop.security.authentication": "kerberos"},
        hdfs={"dfs.http.policy": "HTTPS_ONLY"},
        yarn={"yarn.http.policy": "HTTPS_ONLY", "yarn.resourcemanager.hostname": "rm"},
        mapred={"mapreduce.jobhistory.http.policy": "HTTPS_ONLY", "mapreduce.jobhistory.address": "hs:10020"},
    )
    assert conf.secure
    assert _urls(conf) == ["https://master:9871"]
    assert [one.url for one in conf.resource_managers()] == ["https://rm:8090"]
    assert conf.history().url == "https://hs:19890"


def test_namenodes_that_fail_over(tmp_path: Path) -> None:
    conf = _conf(tmp_path, PAIR, hdfs={"dfs.namenode.http-address.bigdata.nn2": "0.0.0.0:1234"})
    assert [(one.id, one.url) for one in conf.namenodes()] == [
        ("nn1", "http://m1:9870"),
        ("nn2", "http://m2:1234"),
    ]


def test_a_service_with_one_namenode(tmp_path: Path) -> None:
    properties = {
        "fs.defaultFS": "hdfs://ns",
        "dfs.nameservices": "ns",
        "dfs.namenode.http-address.ns": "only:9870",
    }
    assert _urls(_conf(tmp_path, properties)) == ["http://only:9870"]


def test_a_namenode_that_nobody_can_find(tmp_path: Path) -> None:
    conf = _conf(tmp_path, {**PAIR, "dfs.ha.namenodes.bigdata": "nn1,nn3"})
    with pytest.raises(UserError, match=r"dfs.namenode.http-address.bigdata.nn3: is not set"):
        conf.namenodes()


def test_resource_managers_that_fail_over(tmp_path: Path) -> None:
    yarn = {
        "yarn.resourcemanager.ha.enabled": "true",
        "yarn.resourcemanager.ha.rm-ids": "rm1,rm2",
        "yarn.resourcemanager.hostname.rm1": "m1",
        "yarn.resourcemanager.webapp.address.rm2": "m2:8188",
    }
    conf = _conf(tmp_path, HDFS, yarn=yarn)
    assert [one.url for one in conf.resource_managers()] == ["http://m1:8088", "http://m2:8188"]
    del yarn["yarn.resourcemanager.hostname.rm1"]
    with pytest.raises(UserError, match=r"yarn.resourcemanager.hostname.rm1: is not set"):
        _conf(tmp_path, HDFS, yarn=yarn).resource_managers()
    yarn["yarn.resourcemanager.ha.rm-ids"] = ""
    with pytest.raises(UserError, match=r"rm-ids: is not set"):
        _conf(tmp_path, HDFS, yarn=yarn).resource_managers()


@pytest.mark.parametrize("address", ["rm", "rm:", "rm:x", "rm:99999", "rm:80/path", ""])
def test_what_is_no_address_names_the_key(tmp_path: Path, address: str) -> None:
    conf = _conf(tmp_path, HDFS, yarn={"yarn.resourcemanager.webapp.address": address})
    with pytest.raises(UserError, match=r"yarn.resourcemanager.webapp.address: .* is not an address"):
        conf.resource_managers()


def test_rendered_files_are_understood(tmp_path: Path) -> None:
    plan = plan_cluster(
        Inventory(cluster="trio", groups=(group(count=3, hosts=["h[1-3]"]),)),
        PlanRequest(hypervisor=Hypervisor.NONE, protection=Protection.HA),
    )
    write_rendered(render(plan), tmp_path / "rendered", force=False)
    conf = ClientConf.read(tmp_path / "rendered/hadoop")
    assert _urls(conf) == ["http://h1:9870", "http://h2:9870"]
    assert [one.url for one in conf.resource_managers()] == ["http://h1:8088", "http://h2:8088"]
    assert conf.history().url.endswith(":19888")
    assert "localhost" not in conf.history().url


LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>
<configuration><property><name>a</name><value>&c;</value></property></configuration>"""
SECRETS = """<!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<configuration><property><name>a</name><value>&x;</value></property></configuration>"""
INCLUDES = """<configuration xmlns:xi="http://www.w3.org/2001/XInclude">

<xi:include href="/etc/passwd" parse="text"/></configuration>"""


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        (LAUGHS, "2", "has a document type declaration"),
        (SECRETS, "1", "has a document type declaration"),
        (INCLUDES, "3", "includes another file"),
        ("<configuration>\n<property>\n</configuration>", "3:3", "is not well-formed XML: mismatched tag"),
        ("<configuration>\n<property>", "2:11", "is not well-formed XML: the file ends within an element"),
        ("<configuration>\n\x00", "2:1", "is not well-formed XML: an invalid character"),
        ("", "1:1", "is not well-formed XML"),
        ("<html>\n</html>", "1", "is not a Hadoop configuration: it begins with <html>"),
    ],
)
def test_a_file_that_will_not_do_is_named_with_its_line(
    tmp_path: Path, content: str, line: str, what: str
) -> None:
    (tmp_path / "core-site.xml").write_text(content)
    with pytest.raises(UserError) as told:
        ClientConf.read(tmp_path)
    assert told.value.where == f"{tmp_path / 'core-site.xml'}:{line}"
    assert what in told.value.what


def test_a_file_in_an_encoding_that_nobody_knows(tmp_path: Path) -> None:
    (tmp_path / "core-site.xml").write_text("<?xml version='1.0' encoding='klingon'?><configuration/>")
    with pytest.raises(UserError, match=r"unknown encoding|cannot be decoded"):
        ClientConf.read(tmp_path)


def test_a_folder_without_a_configuration(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"has no core-site.xml"):
        ClientConf.read(tmp_path)
    with pytest.raises(UserError, match=r"none: no such directory"):
        ClientConf.read(tmp_path / "none")
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"file: not a directory"):
        ClientConf.read(tmp_path / "file")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "core-site.xml").write_text(_xml(HDFS))
    (tmp_path / "hdfs-site.xml").write_bytes(b"\xff\xfe\x00broken")
    with pytest.raises(UserError, match=r"hdfs-site.xml"):
        ClientConf.read(tmp_path)


def test_nodemanagers_speak_https_where_only_that_is_allowed(tmp_path: Path) -> None:
    assert _conf(tmp_path, HDFS).nodemanager_url("w1:8042") == "http://w1:8042"
    secure = _conf(tmp_path, HDFS, yarn={"yarn.http.policy": "HTTPS_ONLY"})
    assert secure.nodemanager_url("w1:8044") == "https://w1:8044"
