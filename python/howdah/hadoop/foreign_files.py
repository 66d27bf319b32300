"""Files of other programs that administrators have at hand: what each is, and what to do instead."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

_HEAD_BYTES = 65_536
_PROBE = (
    "run `howdah probe --output HOST.yaml` on one host of each kind, then "
    "`howdah inventory add HOST.yaml -o hosts.yaml`"
)
_IMPORT = "`howdah inventory import --conf DIR -o hosts.yaml` reads hosts and disks from a running cluster"
_JOBS = (
    "`howdah inventory import --conf DIR --workload-output work.yaml` reads finished jobs from the history "
    "server"
)
_CONF = "give the directory of the client's configuration to `howdah check --conf DIR`"


class ForeignFile(NamedTuple):
    """What a file is, with its article, and what to do in place of giving it."""

    what: str
    hint: str


_FORMS: tuple[tuple[str, ForeignFile], ...] = (
    (
        r"\s*-+ TestDFSIO -+ :",
        ForeignFile(
            "the results of TestDFSIO",
            "`howdah run dfsio --engine hadoop` runs TestDFSIO on a cluster and keeps its results as a run",
        ),
    ),
    (
        r"\[(OVERALL|READ|INSERT|UPDATE|SCAN|TOTAL_GCS)[\w-]*\], [\w()/%.-]+, [\d.]+",
        ForeignFile(
            "the output of YCSB",
            "`howdah run ycsb --engine hbase` runs YCSB on a cluster and keeps its results as a run",
        ),
    ),
    (
        r"\s*\{\s*\"ansible_facts\"|[\w.-]+ \| SUCCESS => \{",
        ForeignFile("what Ansible's setup module gathered", f"{_PROBE}: it also measures disks"),
    ),
    (
        r"\s*\{\s*\"lscpu\"\s*:|Architecture:\s+\S+",
        ForeignFile("the output of lscpu", f"{_PROBE}: it also reads memory and disks"),
    ),
    (
        r"\s*\{\s*\"blockdevices\"\s*:|NAME\s+MAJ:MIN",
        ForeignFile("the output of lsblk", f"{_PROBE}: it also reads processors and memory"),
    ),
    (
        r"(?s)\s*\{.*\"(numCores|totalPhysMemBytes|hostUrl)\"",
        ForeignFile("Cloudera Manager's list of hosts", f"{_IMPORT}, or {_PROBE}"),
    ),
    (
        r"(?s)\s*\{.*\"(roleConfigGroups|managerSettings|cmVersion|clusterTemplate|cdhVersion)\"",
        ForeignFile(
            "a deployment of Cloudera Manager's",
            f"download the client configuration of each service, and {_CONF}",
        ),
    ),
    (
        r"(?s)\s*\{.*\"(Blueprints|host_groups|stack_name)\"",
        ForeignFile(
            "a blueprint of Ambari's", f"download the client configuration of each service, and {_CONF}"
        ),
    ),
    (
        r"(Configured Capacity|Safe mode is ON|Live datanodes)\b",
        ForeignFile("the report of `hdfs dfsadmin -report`", _IMPORT),
    ),
    (
        r"(?m)^(CORE|HDFS|YARN|MAPRED|HIVE_SITE|HBASE|KMS)[-_](CONF|SITE)[\w.-]*=",
        ForeignFile(
            "variables of a container image that makes Hadoop's configuration of them",
            f"copy the files that it makes, /etc/hadoop/*.xml, out of a container, and {_CONF}",
        ),
    ),
    (
        r"Avro-(Json|Binary)\b",
        ForeignFile("the history of a MapReduce job", _JOBS),
    ),
    (
        r"(?s)\s*\{\"Event\":\"SparkListener",
        ForeignFile("Spark's log of an application", _JOBS),
    ),
    (
        r"(?m)^\[[\w:. -]+\]\s*$",
        ForeignFile(
            "an inventory of Ansible's",
            f"{_PROBE}; `howdah inventory schema` lists what an inventory of howdah's has",
        ),
    ),
    (
        r"(?m)^(\d{1,3}(\.\d{1,3}){3}|[0-9a-fA-F:]*::[0-9a-fA-F:]*)[ \t]+[A-Za-z][\w.-]*",
        ForeignFile("a list of addresses such as /etc/hosts", f"{_PROBE}, with `hosts:` naming the others"),
    ),
    (
        r"(?s)\s*(<\?xml.*?\?>\s*(<\?xml-stylesheet.*?\?>|<!--.*?-->|\s)*)?<configuration\b",
        ForeignFile("a configuration file of Hadoop's", _CONF),
    ),
)


def foreign_file(text: str) -> ForeignFile | None:
    """What a text is, by its beginning, if it is one of other programs that administrators have at hand."""
    head = text[:_HEAD_BYTES].lstrip("\ufeff \t\r\n")
    for form, file in _FORMS:
        if (re.search if form.startswith("(?m)") else re.match)(form, head):
            return file
    return None


def foreign_path(path: Path) -> ForeignFile | None:
    """The same of a file; None for a directory and for what cannot be read."""
    try:
        with path.open("rb") as file:
            return foreign_file(file.read(_HEAD_BYTES).decode("utf-8", "replace"))
    except OSError:
        return None
