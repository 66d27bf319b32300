"""Keys that every host reads and that are right on one host alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.model.found import FoundProperty
from howdah.planner.facts import Facts
from howdah.planner.named_hosts import HERE, has_several_hosts, host_of, worker_hosts
from howdah.planner.reading import Observation, Reading, entry_verdict
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules

_OF_WORKERS = re.compile(
    r"yarn\.nodemanager\.(hostname|address|bind-host|(localizer|webapp|webapp\.https|collector-service)\.address)"
    r"|dfs\.datanode\.(hostname|address|(http|https|ipc)\.address)|dfs\.client\.(hostname)"
    r"|hbase\.(unsafe\.)?regionserver\.(hostname|ipc\.address|info\.bindAddress)"
    r"|mapreduce\.shuffle\.(listen|host)\..*"
)
"""What each worker's daemon listens on, or calls itself."""
_OF_PAIRS = re.compile(
    r"dfs\.journalnode\.(rpc-address|http-address|https-address)"
    r"|dfs\.namenode\.((rpc|servicerpc|http|https|lifeline\.rpc)-bind-host)|yarn\.resourcemanager\.bind-host"
    r"|hbase\.master\.(hostname|ipc\.address|info\.bindAddress)|(secureC|c)lientPortAddress"
)
"""What each of several masters listens on, or calls itself."""
_ANY = "0.0.0.0"
_TIMELINE = "yarn.timeline-service."
_JAVA_OPTION = re.compile(r"-D([\w.-]+)=(\S+)")
_OF_JAVA = re.compile(r"java\.rmi\.server\.hostname")
_SPARKS = ("SPARK_LOCAL_IP", "SPARK_LOCAL_HOSTNAME", "SPARK_PUBLIC_DNS")
rules = Rules()


@rules.inspection(
    "consistency.own-host",
    MUST,
    sources="Hadoop 3.5.0: NodeManager, Hadoop 3.5.0: DataNode, howdah",
    when="where the files show that several hosts read them",
)
def _of_one_host(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """No key that every host reads has one host's name."""
    workers = len(worker_hosts(reading))
    paired = any(
        len((reading.text(entry.name) or "").split(",")) > 1
        for entry in (reading.config.effective if reading.config else ())
        if entry.name.startswith("dfs.ha.namenodes.") or entry.name == "yarn.resourcemanager.ha.rm-ids"
    ) or bool(reading.text("server.2"))
    for entry in reading.config.effective if reading.config else ():
        host = host_of(entry.text)
        if not host or host == _ANY or "${" in entry.text or host == "_host":
            continue
        if _OF_WORKERS.fullmatch(entry.name) and workers > 1:
            yield _observed(entry, host, f"every one of {workers} workers")
        elif _OF_PAIRS.fullmatch(entry.name) and paired:
            yield _observed(entry, host, "the master on every host")


def _observed(entry: FoundProperty, host: str, readers: str) -> Observation:
    named = entry.name.endswith("hostname")
    return entry_verdict(
        entry,
        False,
        expected=f"no host's own name: {readers} reads this file, and where it is not {host} its daemon "
        "cannot listen "
        "there and does not start, or is taken for another host",
        fix=f"remove {entry.name} from {entry.place}"
        if named or ":" not in entry.text
        else f"set {entry.name} to {_ANY}:{entry.text.rpartition(':')[2]} in {entry.place}, or remove "
        f"{entry.name}",
    )


@rules.inspection(
    "consistency.own-host-of-options",
    MUST,
    sources="Hadoop 3.5.0: hadoop-env.sh",
    when="where files list several workers",
)
def _options(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """No option of Java's in a script that every host has names one host."""
    workers = len(worker_hosts(reading))
    for entry in reading.config.environment if reading.config and workers > 1 else ():
        for key, value in _JAVA_OPTION.findall(entry.text):
            host = host_of(value.strip("\"'"))
            own = _OF_WORKERS.fullmatch(key) or _OF_JAVA.fullmatch(key)
            if own and host and host not in HERE and "$" not in value:
                yield entry_verdict(
                    entry,
                    False,
                    found=f"-D{key}={value}",
                    expected=f"no host's own name: every one of {workers} workers starts with this option",
                    fix=f"remove -D{key}={value} from {entry.name} in {entry.place}, or write $(hostname -f) "
                    "for the host",
                )


@rules.inspection(
    "consistency.own-host-of-executors",
    MUST,
    sources="Spark: configuration",
    when="where the files show that several hosts read them",
)
def _spark_variables(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """No script that every host has binds Spark to one host's address."""
    for entry in reading.config.environment if reading.config else ():
        if entry.name in _SPARKS and has_several_hosts(reading) and "$" not in entry.text:
            yield entry_verdict(
                entry,
                False,
                expected="nothing in a script that all hosts have: executors elsewhere cannot listen there",
                fix=f"remove {entry.name} from {entry.place}",
            )


@rules.inspection(
    "consistency.timeline-host",
    MUST,
    sources="Hadoop 3.5.0: yarn-default.xml",
    when="where the timeline service is enabled and there are several hosts",
)
def _timeline(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Clients find the timeline service."""
    if not reading.truth(f"{_TIMELINE}enabled") or not has_several_hosts(reading):
        return
    key = f"{_TIMELINE}hostname"
    https = reading.text("yarn.http.policy") == "HTTPS_ONLY"
    addresses = (f"{_TIMELINE}address", f"{_TIMELINE}webapp.{'https.' if https else ''}address")
    given = [reading.text(address) for address in addresses]
    host = reading.text(key) or "0.0.0.0"
    own = [host_of(address) for address in given if address and "${" not in address]
    here = [name for name in (own if all(given) else [host_of(host), *own]) if name in HERE]
    yield Observation(
        ok=not here,
        about=key,
        found=f"{here[0] if here else host}{'' if reading.text(key) else ' (default)'}",
        expected="the host of the timeline service: clients elsewhere ask themselves for it, and with "
        "Kerberos no "
        "application starts",
        fix=f"set {key} to the timeline service's host in yarn-site.xml",
        where=reading.where(key) or reading.where(f"{_TIMELINE}enabled"),
    )
