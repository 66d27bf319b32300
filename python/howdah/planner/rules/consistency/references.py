"""Where addresses of masters lead that other files and programs have, and the form that they are read in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.model.found import FoundProperty
from howdah.planner.facts import Facts
from howdah.planner.named_hosts import HERE, has_several_hosts, host_of, named_hosts
from howdah.planner.reading import Observation, Reading, entry_verdict
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules

_OWN_RULE = ("fs.defaultFS", "hbase.rootdir")
_HDFS = re.compile(r"hdfs://([^/:,\s]*)(?::\d+)?(?=[/,\s]|$)")
_ADDRESS = re.compile(
    r"(dfs|yarn|mapreduce)\.(?!.*(proxy|bind)).*[.-]address(\..+)?|mapreduce\.jobhistory\.(admin|webapp)\.address"
)
_MASTERS = re.compile(
    r"yarn\.resourcemanager\.(hostname|address|(webapp|webapp\.https|scheduler|resource-tracker|admin)\.address)\..+"
    r"|dfs\.namenode\.(rpc|servicerpc|lifeline\.rpc)-address\..+"
)
"""One of several masters; where there is one, it is a rule of its own."""
_LOOPBACK = HERE - {"0.0.0.0"}
_SERVERS = re.compile(r"yarn\.log\.server\.(web-service\.)?url|hadoop\.security\.key\.provider\.path")
_QUORUMS = re.compile(
    r"(ha|hbase)\.zookeeper\.quorum|(hadoop|yarn\.federation\.state-store)\.zk[.-]address"
    r"|yarn\.resourcemanager\.zk-address|hadoop\.registry\.zk\.quorum"
)
_EDITS = re.compile(r"dfs\.namenode\.shared\.edits\.dir(\..+)?")
rules = Rules()


def _effective(reading: Reading) -> Iterator[FoundProperty]:
    for entry in reading.config.effective if reading.config else ():
        if "${" not in entry.text:
            yield entry


@rules.inspection(
    "consistency.known-services",
    MUST,
    sources="Hadoop 3.5.0: HDFSHighAvailabilityWithQJM",
    when="where dfs.nameservices lists name services",
)
def _services(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Every hdfs:// of a file names a name service, or a host."""
    listed = reading.text("dfs.nameservices") or ""
    services = [name.strip() for name in listed.split(",") if name.strip()]
    if not services:
        return
    lower = {service.lower(): service for service in services}
    hosts = {host.partition(".")[0] for host in named_hosts(reading)} | named_hosts(reading)
    for entry in _effective(reading):
        if entry.name in _OWN_RULE or entry.base_name == "hive-site.xml":
            continue
        for match in _HDFS.finditer(entry.text):
            name = match[1]
            # A name with a dot or a port is a host, of another cluster perhaps.
            strange = name not in services and (
                name.lower() in lower or not ("." in name or ":" in match[0][7:] or name.lower() in hosts)
            )
            if name and strange:
                wanted = lower.get(name.lower(), services[0])
                yield entry_verdict(
                    entry,
                    False,
                    expected=f"hdfs://{wanted}: {name} is no name service that dfs.nameservices lists, and "
                    "no host; names of services are compared with case",
                    fix=f"write hdfs://{wanted} for hdfs://{name} in {entry.place}",
                )


@rules.inspection(
    "consistency.address-forms",
    MUST,
    sources="Hadoop 3.5.0: DFSUtil.getInfoServer, Hadoop 3.5.0: AmFilterInitializer",
)
def _forms(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Addresses are a host and a port, and quorums lists of them."""
    for entry in _effective(reading):
        text = entry.text.strip()
        if _EDITS.fullmatch(entry.name) and re.match(r"[\w.-]+:\d+;", text):
            yield entry_verdict(
                entry,
                False,
                found=text,
                expected=f"qjournal://{text}: without the scheme it is a directory of the host's own",
                fix=f"set {entry.name} to qjournal://{text} in {entry.place}",
            )
        quorum = _QUORUMS.fullmatch(entry.name) is not None
        wrong = "://" in text or (quorum and ";" in text)
        if not wrong or not (quorum or (_ADDRESS.fullmatch(entry.name) and re.match(r"https?://", text))):
            continue
        plain = re.sub(r"\w+://", "", text).replace(";", ",").rstrip("/")
        yield entry_verdict(
            entry,
            False,
            found=text,
            expected="hosts with their ports and commas between them: no client connects otherwise"
            if quorum
            else "a host with its port: what makes a URL of it writes the scheme twice",
            fix=f"set {entry.name} to {plain} in {entry.place}",
        )


@rules.inspection(
    "consistency.own-names",
    MUST,
    sources="Hadoop 3.5.0: ResourceManagerHA, Hadoop 3.5.0: HDFSHighAvailabilityWithQJM",
    when="where the files show that several hosts read them",
)
def _elsewhere(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Masters of which there are several have names that lead to them from every host."""
    if not has_several_hosts(reading):
        return
    for entry in _effective(reading):
        places = [host_of(entry.text)]
        here = _LOOPBACK if _SERVERS.fullmatch(entry.name) else HERE
        if _EDITS.fullmatch(entry.name) and entry.text.startswith("qjournal://"):
            places = [host_of(node) for node in entry.text.removeprefix("qjournal://").split(";")]
        elif _SERVERS.fullmatch(entry.name):
            places = [host_of(entry.text.rpartition("@")[2])]
        elif _MASTERS.fullmatch(entry.name) is None:
            continue
        own = [place for place in places if place in here]
        yield entry_verdict(
            entry,
            not own,
            expected=f"a host's own name: {own[0] if own else 'localhost'} is another host for everybody who "
            "reads it",
            fix=f"write the host's name for {own[0] if own else 'localhost'} in {entry.place}",
        )
