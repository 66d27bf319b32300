"""Values and names with a form of their own: ZooKeeper's ACLs, mount tables, and variables of scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading, entry_verdict
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules

_ACLS = ("ha.zookeeper.acl", "hadoop.zk.acl", "yarn.resourcemanager.zk-acl")
_ACL = re.compile(r"[a-z0-9]+:.*:[rwcda]+")
_VARIABLE = re.compile(
    r"(HDFS|YARN|MAPRED|HADOOP|HBASE|SPARK)_([A-Z0-9]+_)*(OPTS|HEAPSIZE\w*|DIR|HOME|IDENT_STRING)"
)
_FILE_SYSTEM = "fs.defaultFS"
rules = Rules()


@rules.inspection(
    "consistency.zookeeper-acls", MUST, sources="Hadoop 3.5.0: ZKUtil.parseACLs", when="where an ACL is set"
)
def _acls(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """ZooKeeper's ACLs have a scheme, an id and rights."""
    for key in _ACLS:
        text = (reading.text(key) or "").strip()
        if not text or text.startswith("@"):
            # A file has them.
            continue
        wrong = [part.strip() for part in text.split(",") if not _ACL.fullmatch(part.strip())]
        yield reading.verdict(
            key,
            not wrong,
            found=", ".join(wrong) or text,
            expected="scheme:id:rights, the rights of the letters r, w, c, d and a: who reads it does "
            "not start "
            "otherwise",
            fix=f"write {wrong[0].rpartition(':')[0] or 'sasl:USER'}:rwcda in {reading.where(key)}"
            if wrong
            else "",
        )


@rules.inspection(
    "consistency.mount-table", MUST, sources="Hadoop 3.5.0: ViewFs", when="where fs.defaultFS is viewfs"
)
def _mounts(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """A file system of mounts has a table of them."""
    text = reading.text(_FILE_SYSTEM) or ""
    if not text.startswith("viewfs:") or reading.config is None:
        return
    table = text.removeprefix("viewfs:").strip("/").partition("/")[0] or "default"
    prefix = f"fs.viewfs.mounttable.{table}."
    links = [entry for entry in reading.config.effective if entry.name.startswith(prefix)]
    loaded = any(entry.name.startswith("fs.viewfs.mounttable.path") for entry in reading.config.effective)
    yield Observation(
        ok=bool(links) or loaded,
        about=f"{prefix}link",
        found=f"no mount; {_FILE_SYSTEM} is {text}",
        expected="a link for each directory: no client opens the file system without; names of tables are "
        "compared with case",
        fix=f"set {prefix}link./user to hdfs://NAMESERVICE/user, and so on, in core-site.xml",
        where=reading.where(_FILE_SYSTEM),
    )


@rules.inspection("consistency.variable-names", MUST, sources="Hadoop 3.5.0: hadoop-env.sh")
def _variables(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Variables of scripts are written in capitals."""
    for entry in reading.config.environment if reading.config else ():
        upper = entry.name.upper()
        if upper != entry.name and _VARIABLE.fullmatch(upper):
            yield entry_verdict(
                entry,
                False,
                found=f"{entry.name}={entry.text}",
                expected=f"{upper}: names of variables are compared with case, and no script reads this one",
                fix=f"rename {entry.name} to {upper} in {entry.place}",
            )
