"""What files name: hosts and services that exist, variables that scripts read, limits for many hosts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from howdah.hadoop.daemons import is_https_only
from howdah.model.existing import FoundProperty
from howdah.model.hostname import ANY_HOST, host_of
from howdah.planner.facts import Facts
from howdah.planner.reading import HERE, Inspected, Observation, entry_verdict
from howdah.planner.rules.declare import pattern, read_rules, read_table
from howdah.planner.rules.ha.quorums import members
from howdah.releases.catalogue import default_of, hadoop
from howdah.releases.values import heap_bytes, read_seconds
from howdah.units import format_memory

rules = read_rules("consistency.toml")

_LIMITS = read_table("consistency/limits.toml")
_LEAST_HOSTS = 100  # Below this none of the limits for many hosts matters.
_DELAY = "dfs.blockreport.initialDelay"
_CAPACITY = "yarn.scheduler.capacity."
_SHARE = pattern("label-shares")
_EXPRESSION = r"yarn\.scheduler\.capacity\.(?P<queue>.+)\.default-node-label-expression"


_OWN_RULE = ("fs.defaultFS", "hbase.rootdir")
_HDFS = r"hdfs://([^/:,\s]*)(?::\d+)?(?=[/,\s]|$)"
_ADDRESS = pattern("addresses")
_MASTERS = pattern("one-of-masters")
_LOOPBACK = HERE - {"0.0.0.0"}
_SERVERS = r"yarn\.log\.server\.(web-service\.)?url|hadoop\.security\.key\.provider\.path"
_QUORUMS = pattern("quorums")
_EDITS = r"dfs\.namenode\.shared\.edits\.dir(\..+)?"


@rules.inspects("consistency.heartbeats-of-hosts")
def _rates(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    hosts = len(reading.worker_hosts)
    if hosts < _LEAST_HOSTS:
        return
    for key, rate in _LIMITS["heartbeats"].items():
        interval = reading.number(key)
        if interval is not None and interval > 0:
            a_second = hosts * rate["parts"] / interval
            shown = f"{interval:g}, with {hosts} workers: {a_second:,.0f} heartbeats a second"
            yield reading.verdict(key, a_second <= rate["most"], found=shown, words="rate", rate=rate)
    delay = reading.text(_DELAY)
    if delay is not None:
        ok = read_seconds(delay.strip()) != 0
        yield reading.verdict(_DELAY, ok, found=f"{delay}, with {hosts} workers", words="delay")


@rules.inspects("consistency.heaps-of-hosts")
def _heaps(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    hosts = len(reading.worker_hosts)
    if hosts < _LEAST_HOSTS:
        return
    for row in _LIMITS["heaps"]:
        name = next(filter(reading.variable, row["variables"]), None)
        heap = heap_bytes(reading.variable(name) or "") if name else None
        if name and heap:
            least, where = hosts * row["of_host"], reading.variable_where(name)
            values = {"least": format_memory(least), "row": row, "gib": max(1, round(least / 1024**3))}
            shown = f"{format_memory(heap)}, with {hosts} workers"
            yield Observation(heap >= least, name, shown, where=where, values=values)


@rules.inspects("consistency.named-parts")
def _parts(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for listed, row in read_table("consistency/needs.toml")["parts"].items():
        for name in reading.parts(listed):
            key, place = row["key"].format(name), reading.where(listed)
            part = reading.text(key) or default_of(key, hadoop(facts.request.hadoop))
            shown = part or f"not set, and {listed} has {name}"
            values = {"row": row, "listed": listed, "name": name, "place": place}
            yield reading.verdict(key, bool(part), found=shown, elsewhere=place, values=values)


@rules.inspects("consistency.label-names")
def _labels(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.effective:
        match = re.fullmatch(_SHARE, entry.name)
        labels = reading.parts(f"{_CAPACITY}{match['queue']}.accessible-node-labels") if match else ()
        if match is None or not labels or "*" in labels:
            continue
        near = {label.lower(): label for label in labels}.get(match["label"].lower(), labels[0])
        shown = f"a capacity of {match['label']}; the queue has {', '.join(labels)}"
        yield entry_verdict(entry, match["label"] in labels, found=shown, label=near, match=match)


@rules.inspects("consistency.label-shares")
def _shares(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    shares = {
        (match["queue"], match["label"]): entry
        for entry in reading.effective
        if (match := re.fullmatch(_SHARE, entry.name)) and match[3] is None
    }
    for (queue, label), entry in shares.items():
        parent = queue.rpartition(".")[0]
        names = reading.parts(f"{_CAPACITY}{parent}.queues")
        keys = (f"{_CAPACITY}{parent}.{name}.accessible-node-labels.{label}.capacity" for name in names)
        siblings = [reading.number(key) or 0 for key in keys]
        if parent == "root" and round(sum(siblings)) == 100 and (reading.number(entry.name) or 0) > 0:
            key, ok = f"{_CAPACITY}root.accessible-node-labels.{label}.capacity", ("root", label) in shares
            shown = reading.text(key) or f"not set, which is 0; {queue} has {entry.text} of it"
            yield reading.verdict(key, ok, found=shown, elsewhere=entry.place, words="root")
            break
    for entry in reading.effective:
        match = re.fullmatch(_EXPRESSION, entry.name)
        label = entry.text.strip()
        if match and label and not any(own == label for _, own in shares):
            shown = f"{label}, of which no queue has a capacity"
            yield entry_verdict(entry, False, found=shown, words="queue", match=match, label=label)


def _effective(reading: Inspected) -> Iterator[FoundProperty]:
    return (entry for entry in reading.effective if "${" not in entry.text)


@rules.inspects("consistency.known-services")
def _services(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    services = reading.parts("dfs.nameservices")
    if not services:
        return
    lower = {service.lower(): service for service in services}
    hosts = {host.partition(".")[0] for host in reading.named_hosts} | reading.named_hosts
    entries = (entry for entry in _effective(reading) if entry.base_name != "hive-site.xml")
    for entry in entries:
        for match in re.finditer(_HDFS, entry.text) if entry.name not in _OWN_RULE else ():
            name = match[1]
            # A name with a dot or a port is a host, of another cluster perhaps.
            strange = name not in services and (
                name.lower() in lower or not ("." in name or ":" in match[0][7:] or name.lower() in hosts)
            )
            if name and strange:
                nearest = lower.get(name.lower(), services[0])
                yield entry_verdict(entry, False, nearest=nearest, name=name)


@rules.inspects("consistency.address-forms")
def _forms(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in _effective(reading):
        text = entry.text.strip()
        if re.fullmatch(_EDITS, entry.name) and re.match(r"[\w.-]+:\d+;", text):
            yield entry_verdict(entry, False, found=text, words="edits")
        quorum = re.fullmatch(_QUORUMS, entry.name) is not None
        wrong = "://" in text or (quorum and ";" in text)
        if not wrong or not (quorum or (re.fullmatch(_ADDRESS, entry.name) and re.match(r"https?://", text))):
            continue
        plain = re.sub(r"\w+://", "", text).replace(";", ",").rstrip("/")
        yield entry_verdict(entry, False, found=text, words="quorum" if quorum else "address", plain=plain)


@rules.inspects("consistency.own-names")
def _elsewhere(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if not reading.has_several_hosts:
        return
    for entry in _effective(reading):
        places = [host_of(entry.text)]
        local = _LOOPBACK if re.fullmatch(_SERVERS, entry.name) else HERE
        if re.fullmatch(_EDITS, entry.name) and entry.text.startswith("qjournal://"):
            places = list(map(host_of, members(entry.text)))
        elif re.fullmatch(_SERVERS, entry.name):
            places = [host_of(entry.text.rpartition("@")[2])]
        elif re.fullmatch(_MASTERS, entry.name) is None:
            continue
        own = [place for place in places if place in local]
        yield entry_verdict(entry, not own, host=own[0] if own else "localhost")


_SERVICES = "yarn.nodemanager.aux-services"
_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_CLASSES = read_table("keys.toml")["services"]
_NAMES = "dfs.namenode.name.dir"
_VARIABLES = read_table("keys.toml")["former-variables"]
_LATER = {
    today: former
    for former, today in _VARIABLES.items()
    if today.startswith("HDFS_") or today == "MAPRED_HISTORYSERVER_OPTS"
}
"""Of Hadoop 3, with what Hadoop 2 reads in their place."""
_OF_WORKERS = pattern("of-workers")
_OF_PAIRS = pattern("of-pairs")
_IDS_OF_PAIRS = r"dfs\.ha\.namenodes\..*|yarn\.resourcemanager\.ha\.rm-ids"
_ANY = "0.0.0.0"
_TIMELINE = "yarn.timeline-service."
_SPARKS = ("SPARK_LOCAL_IP", "SPARK_LOCAL_HOSTNAME", "SPARK_PUBLIC_DNS")


def _meant(reading: Inspected, service: str) -> str:
    """The key of a class whose service is written in another way than in the list: spark.shuffle."""
    plain = re.sub(r"[._-]", "", service).lower()
    keys = (entry.name for entry in reading.properties if entry.name.startswith(f"{_SERVICES}."))
    names = (key[len(_SERVICES) + 1 : -6] for key in keys if key.endswith(".class"))
    meant = (name for name in names if name != service and re.sub(r"[._-]", "", name).lower() == plain)
    return next((f"{_SERVICES}.{name}.class" for name in meant), "")


@rules.inspects("consistency.service-classes")
def _classes(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if reading.truth(f"{_SERVICES}.manifest.enabled"):
        # Classes are then named by a manifest, which is no configuration.
        return
    where = reading.where(_SERVICES)
    for name in reading.parts(_SERVICES):
        plain, lower = name.replace(".", "_"), name.lower()
        malformed, in_capitals = re.fullmatch(_NAME, name) is None, name not in _CLASSES and lower in _CLASSES
        if malformed or in_capitals:
            words, values = "form" if malformed else "case", {"plain": plain, "lower": lower}
            yield Observation(False, _SERVICES, name, where=where, words=words, values=values)
            continue
        key = f"{_SERVICES}.{name}.class"
        # The release has a class for its own service by default.
        classes = reading.text(key) or facts.decided.get(key)
        meant = "" if classes else _meant(reading, name)
        class_name = _CLASSES.get(name, "the service's class, which its documentation names")
        values = {"name": name, "meant": meant, "place": reading.where(meant), "class_name": class_name}
        words, shown = "meant" if meant else "missing", str(classes or "not set")
        yield Observation(bool(classes), key, shown, where=where, words=words, values=values)


@rules.inspects("consistency.names-apart")
def _names_apart(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    folders = [PurePosixPath(path) for path in reading.folders(_NAMES) if path.startswith("/")]
    keys = ("fs.defaultFS", "dfs.namenode.rpc-address")
    addresses = [entry.text for entry in reading.effective if entry.name.startswith(keys)]
    hosts = [host_of(text) for text in addresses]
    if not folders or not reading.on_workers(hosts) or not reading.data_places:
        return
    below = reading.below_data(folders, hosts)
    yield reading.verdict(_NAMES, not below, found=", ".join(map(str, below or folders)))


@rules.inspects("consistency.former-variables")
def _variables(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    variables = {entry.name: entry for entry in reading.environment}
    later = facts.request.hadoop.startswith("2.")
    names = _LATER if later else _VARIABLES
    words = "later" if later else "former"
    shown = "a variable that scripts of Hadoop 2 do not read" if later else "a variable of Hadoop 2's scripts"
    for name, variable in variables.items():
        read = names.get(name)
        spared = read in variables if later else variable.base_name.startswith(("hbase", "spark"))
        if read and not spared:
            yield entry_verdict(variable, False, found=shown, words=words, name=read)


@rules.inspects("consistency.workers-file")
def _slaves(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    files = {file.rpartition("/")[2] for file in reading.config.files}
    if "slaves" in files and not facts.request.hadoop.startswith("2."):
        shown = "a file that Hadoop 3's scripts do not read"
        yield Observation("workers" in files, "slaves", shown, where="slaves")


@rules.inspects("consistency.own-host")
def _of_one_host(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    workers = len(reading.worker_hosts)
    ids = (entry for entry in reading.effective if re.fullmatch(_IDS_OF_PAIRS, entry.name))
    paired = any("," in entry.text for entry in ids) or bool(reading.text("server.2"))
    for entry in reading.effective:
        host = host_of(entry.text)
        if host in ANY_HOST or "${" in entry.text or host == "_host":
            continue
        of_workers = workers > 1 and re.fullmatch(_OF_WORKERS, entry.name)
        if of_workers or (paired and re.fullmatch(_OF_PAIRS, entry.name)):
            readers = f"every one of {workers} workers" if of_workers else "the master on every host"
            named = entry.name.endswith("hostname") or ":" not in entry.text
            values = {"readers": readers, "host": host, "port": entry.text.rpartition(":")[2]}
            yield entry_verdict(entry, False, words="host" if named else "address", values=values)


@rules.inspects("consistency.own-host-of-options")
def _options(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    workers = len(reading.worker_hosts)
    for entry in reading.environment if workers > 1 else ():
        for key, value in re.findall(r"-D([\w.-]+)=(\S+)", entry.text):
            host = host_of(value.strip("\"'"))
            own = re.fullmatch(_OF_WORKERS, key) or key == "java.rmi.server.hostname"
            if own and host and host not in HERE and "$" not in value:
                yield entry_verdict(entry, False, found=f"-D{key}={value}", workers=workers)


@rules.inspects("consistency.own-host-of-executors")
def _spark_variables(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.environment:
        if entry.name in _SPARKS and reading.has_several_hosts and "$" not in entry.text:
            effect = "connect to themselves" if entry.text in HERE else "cannot listen there"
            yield entry_verdict(entry, False, effect=effect)


@rules.inspects("consistency.timeline-host")
def _timeline(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if not reading.truth(f"{_TIMELINE}enabled") or not reading.has_several_hosts:
        return
    https = is_https_only(reading.text("yarn.http.policy"))
    calls, pages = f"{_TIMELINE}address", f"{_TIMELINE}webapp.{'https.' if https else ''}address"
    # An address that is not set, or is made of the host name, has the host of the host name.
    keys = {
        key if (text := reading.text(key)) and "${" not in text else f"{_TIMELINE}hostname"
        for key in (calls, pages)
    }
    for key in sorted(keys):
        text = reading.text(key)
        harm = "" if key == calls else ", and with Kerberos no application starts"
        values = {"harm": harm, "port": " and port" if key in (calls, pages) else ""}
        ok, place = host_of(text or _ANY) not in HERE, reading.where(f"{_TIMELINE}enabled")
        yield reading.verdict(key, ok, default=_ANY, elsewhere=place, values=values)
