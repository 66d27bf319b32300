"""What a DataNode asks for before it starts with Kerberos: ports that only root opens, or SASL and HTTPS."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.planner.conditions import secured
from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Condition, Rules

_PROTECTION = "dfs.data.transfer.protection"
_POLICY = "dfs.http.policy"
_DATA, _PAGES = "dfs.datanode.address", "dfs.datanode.http.address"
_ANY_PORTS = "ignore.secure.ports.for.testing"
_OF_DATANODES = ("dfs.datanode.kerberos.principal", "dfs.datanode.keytab.file", "dfs.datanode.data.dir")
_FIRST_OF_USERS = 1024
rules = Rules()


def _of_root(reading: Reading, key: str) -> bool:
    """Whether an address has a port that only root opens."""
    port = (reading.text(key) or "").rpartition(":")[2].strip()
    return port.isdigit() and 0 < int(port) < _FIRST_OF_USERS


@rules.inspection(
    "security.startable-datanodes",
    MUST,
    sources="HDFS-2856, Hadoop 3.5.0: DataNode.checkSecureConfig",
    when=Condition("with Kerberos, where hdfs-site.xml is a DataNode's", secured),
)
def _startable(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """With Kerberos a DataNode has ports that only root opens, or SASL for data and HTTPS for pages."""
    of_datanodes = any(map(reading.text, _OF_DATANODES))
    if not reading.has("hdfs-site.xml") or not of_datanodes or reading.truth(_ANY_PORTS) is True:
        return
    if not _of_root(reading, _DATA):
        yield Observation(
            ok=bool(reading.text(_PROTECTION)),
            about=_PROTECTION,
            found=reading.text(_PROTECTION) or "not set",
            expected="privacy, integrity or authentication: with Kerberos a DataNode starts only with this "
            f"or with a port of root's in {_DATA}",
            fix=f"set {_PROTECTION} to privacy and {_POLICY} to HTTPS_ONLY in hdfs-site.xml on all hosts",
            where=reading.where(_PROTECTION) or "hdfs-site.xml",
        )
    if not _of_root(reading, _PAGES):
        yield Observation(
            ok=reading.text(_POLICY) == "HTTPS_ONLY",
            about=_POLICY,
            found=reading.text(_POLICY) or "HTTP_ONLY (default)",
            expected="HTTPS_ONLY: with Kerberos a DataNode starts only with this or with a port of root's "
            f"in {_PAGES}",
            fix=f"set {_POLICY} to HTTPS_ONLY in hdfs-site.xml on all hosts, and name key stores in "
            "ssl-server.xml",
            where=reading.where(_POLICY) or "hdfs-site.xml",
        )
