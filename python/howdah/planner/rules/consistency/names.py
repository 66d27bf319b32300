"""Names of the cluster's own masters, and paths and URIs in the form that their readers take."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from howdah.model.existing import FoundProperty
from howdah.model.hostname import ANY_HOST, authority, host_of, is_host, split_address
from howdah.planner.facts import Facts
from howdah.planner.reading import HERE, Inspected, Observation, entry_verdict, value_list
from howdah.planner.rules.declare import pattern, read_rules, read_table
from howdah.planner.rules.release import known_properties, known_property, names_of_today
from howdah.releases.similar import similar_text
from howdah.releases.values import read_list
from howdah.units import format_names

rules = read_rules("consistency.toml")

_FILE_SYSTEM = "fs.defaultFS"
_CLASSES = read_table("keys.toml")["classes"]
_ADDRESSES = pattern("master-addresses")
_MANAGER = "yarn.resourcemanager.hostname"
_OF_MANAGER = tuple(
    f"yarn.resourcemanager.{service}address" for service in ("", "scheduler.", "resource-tracker.")
)
"""What clients, application masters and NodeManagers call a ResourceManager by."""
_HISTORY = "mapreduce.jobhistory.address"
_OF_HISTORY = tuple(
    f"mapreduce.jobhistory.{key}"
    for key in ("webapp.address", "done-dir", "intermediate-done-dir", "principal")
)
_WITH_PORT = r"fs\.defaultFS|(dfs|yarn|mapreduce)\..*[.-]address(\..+)?|yarn\.nodemanager\.localizer\.address"
_PORTS = 65536
_DIRECTORY = r"hdfs://([A-Za-z][A-Za-z0-9_-]*)(/.*)"
"""A directory with its file system, which has neither a domain nor a port."""
_KEYS_OF_DIRECTORIES = pattern("directories")


def _authority(address: str) -> str:
    """The host or the name service of an address as it is written."""
    return split_address(authority(address))[0]


@rules.inspects("consistency.known-file-system")
def _file_systems(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    services = reading.parts("dfs.nameservices")
    # Every address that a NameNode is given, by its key.
    keys = ("dfs.namenode.rpc-address", *(f"dfs.namenode.rpc-address.{service}" for service in services))
    prefixes = tuple(f"{key}." for key in keys[1:])
    entries = {entry.name: entry.text for entry in reading.effective}
    namenodes = {name: text for name, text in entries.items() if name in keys or name.startswith(prefixes)}
    # Names of services are compared with case, names of hosts are not.
    authorities = set(services) or {host_of(text) for text in namenodes.values()} - ANY_HOST
    if not authorities or (services and not namenodes):
        # The one NameNode of a service without addresses is what fs.defaultFS names. One that listens on all
        # interfaces has any name.
        return
    for key in (_FILE_SYSTEM, "hbase.rootdir"):
        text = reading.text(key) or ""
        if not text.startswith("hdfs://") or "${" in text:
            continue
        name = _authority(text) if services else host_of(text)
        by_case = {service.lower(): service for service in services if service != name}.get(name.lower())
        own = by_case or services[0] if services else next(iter(namenodes.values()))
        words = "case" if by_case else "service" if services else "address"
        path = "/hbase" if key == "hbase.rootdir" else ""
        values = {"own": own, "authorities": ", ".join(sorted(authorities)), "path": path}
        yield reading.verdict(key, not name or name in authorities, found=text, words=words, values=values)


@rules.inspects("consistency.own-directories")
def _authorities(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    own = _authority(reading.text(_FILE_SYSTEM) or "")
    if not own or not (reading.text(_FILE_SYSTEM) or "").startswith("hdfs://"):
        return
    services = reading.parts("dfs.nameservices")
    authorities = {name.lower() for name in (own, *services)} | reading.named_hosts
    for entry in reading.effective:
        match = re.fullmatch(_DIRECTORY, entry.text)
        if match is None or not re.fullmatch(_KEYS_OF_DIRECTORIES, entry.name):
            continue
        yield entry_verdict(entry, match[1].lower() in authorities, own=own, match=match)


@rules.inspects("consistency.reachable-masters")
def _reachable(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if not reading.has_several_hosts:
        return
    for key in _master_keys(reading):
        yield _is_reachable(reading, facts, key)
    if _runs_jobs(reading) and _has_history(reading):
        yield _is_reachable(reading, facts, _HISTORY)


def _is_reachable(reading: Inspected, facts: Facts, key: str) -> Observation:
    addresses = value_list(facts.decided.get(key) or "")
    prefix = key.partition(".")[0]
    file = {"fs": "core", "dfs": "hdfs", "mapreduce": "mapred"}.get(prefix, prefix)
    place = reading.where(key)
    named = _MANAGER if key in _OF_MANAGER and not place else key
    shown = f"{', '.join(addresses)}{'' if place else ' (default)'}" if facts.decided.get(key) else ""
    ok = HERE.isdisjoint(map(host_of, addresses))
    return reading.verdict(key, ok, found=shown, elsewhere=f"{file}-site.xml", named=named)


def _master_keys(reading: Inspected) -> Iterator[str]:
    yield _FILE_SYSTEM
    if reading.text("dfs.namenode.rpc-address"):
        yield "dfs.namenode.rpc-address"
    if reading.has("yarn-site.xml") and not reading.text("yarn.resourcemanager.ha.rm-ids"):
        # What has no address of its own is on the host of the ResourceManager.
        unset = [key for key in _OF_MANAGER if not reading.text(key)]
        yield from (_MANAGER,) if len(unset) == len(_OF_MANAGER) or reading.text(_MANAGER) else unset
    if reading.has("hbase-site.xml"):
        yield "hbase.zookeeper.quorum"


def _runs_jobs(reading: Inspected) -> bool:
    return reading.has("mapred-site.xml") and reading.text("mapreduce.framework.name") == "yarn"


def _has_history(reading: Inspected) -> bool:
    """Whether the configuration has anything for a JobHistoryServer, which a cluster may do without."""
    return any(map(reading.text, (_HISTORY, *_OF_HISTORY)))


@rules.inspects("consistency.reachable-history")
def _history(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if len(reading.worker_hosts) > 1 and _runs_jobs(reading) and not _has_history(reading):
        yield _is_reachable(reading, facts, _HISTORY)


@rules.inspects("consistency.worker-names")
def _workers(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for file, name in _listed_names(reading):
        if (name in HERE and len(reading.config.lists[file]) == 1) or not is_host(name):
            yield Observation(False, file.rpartition("/")[2], name, where=file)


def _listed_names(reading: Inspected) -> Iterator[tuple[str, str]]:
    """Names of the files that list workers, ``localhost`` only if there are several hosts."""
    several = len(reading.config.workers) > 1
    for file, hosts in reading.config.lists.items():
        yield from ((file, name) for name in hosts if several or name not in HERE)


@rules.inspects("consistency.local-workers")
def _local_workers(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for file, name in _listed_names(reading):
        if name in HERE and len(reading.config.lists[file]) > 1:
            yield Observation(False, file.rpartition("/")[2], name, where=file)


@rules.inspects("consistency.included-workers")
def _included(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    config = reading.config
    if not config.included:
        # An empty file lets everybody in.
        return
    # A set: a large cluster has tens of thousands of both.
    included = {*config.included, *HERE}
    kept_out = [name for name in config.workers if name not in included]
    names, file = format_names(kept_out), reading.text("dfs.hosts")
    shown = f"{names} not in {file}" if kept_out else "every worker"
    yield reading.verdict("dfs.hosts", not kept_out, found=shown, names=names, file=file)


@rules.inspects("consistency.mapped-workers")
def _mapped(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    config = reading.config
    if config.mapped is not None and reading.text("net.topology.script.file.name"):
        unknown = [name for name in config.workers if name not in config.mapped and name not in HERE]
        names = format_names(unknown)
        shown, file = f"{names} not in it" if unknown else "every worker", "topology.data"
        yield Observation(not unknown, file, shown, where=file, values={"unknown": names})


@rules.inspects("consistency.known-classes")
def _classes(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for key, classes in _CLASSES.items():
        name = reading.text(key)
        if name and re.fullmatch(r"org\.apache\.hadoop\..*|\w+", name):
            near = difflib.get_close_matches(name, classes, 1, 0.0)[0]
            yield reading.verdict(key, name in classes, near=near)


@rules.inspects("consistency.host-names")
def _host_names(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.effective:
        scheme, _, address = entry.text.rpartition("://")
        host = _authority(address)
        # A bucket or a container of an object store may be called anything.
        named = host and scheme in ("", "hdfs") and "${" not in entry.text
        if named and re.fullmatch(_ADDRESSES, entry.name):
            plain = host.replace("_", "-")
            words = "plain" if is_host(plain) else "strange"
            yield entry_verdict(entry, is_host(host), found=host, words=words, plain=plain)


@rules.inspects("consistency.port-numbers")
def _port_numbers(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.effective:
        host, _, port = entry.text.rpartition("://")[2].partition("/")[0].partition(":")
        if re.fullmatch(_WITH_PORT, entry.name) and host and "${" not in entry.text:
            yield entry_verdict(entry, not port or ":" in port or (port.isdigit() and int(port) < _PORTS))


_STORAGES = ("DISK", "SSD", "ARCHIVE", "RAM_DISK", "PROVIDED", "NVDIMM")
_DATA = "dfs.datanode.data.dir"
_BELOW_WORKING = ("dfs.namenode.name.dir", _DATA)
_PATHS = pattern("paths")
_LISTS = pattern("directory-lists")
_MARKS = (("semicolon", r"\s*;\s*"), ("colon", r":(?=/(?!/))(?<!file:)"), ("blank", r"\s+"))
_FILE_SYSTEMS = r"fs\.defaultFS|hbase\.rootdir|hbase\.wal\.dir"
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):(/{0,3})(.*)", re.IGNORECASE | re.DOTALL)
_KEY_PROVIDERS = r"kms://https?@.+|(jceks|bcfks)://.+|user:///"
_CREDENTIAL_PROVIDERS = r"(local)?(jceks|bcfks)://.+|user:///|[a-z][a-z0-9+-]{3,}://.+"
_EXAMPLE = "jceks://file/etc/hadoop/conf/passwords.jceks"
_PROVIDERS = {
    "hadoop.security.key.provider.path": (_KEY_PROVIDERS, "kms://http@host:9600/kms"),
    "hadoop.security.credential.provider.path": (_CREDENTIAL_PROVIDERS, _EXAMPLE),
}
"""The forms of providers' URIs, and one of them."""
_PLACEHOLDER = re.compile(
    r"@@*[A-Za-z][A-Za-z0-9_]*@+|#[A-Z][A-Z0-9_]*#|%[A-Z][A-Z0-9_]{2,}%|__[A-Z][A-Z0-9_]*__"
    r"|\{\{[^{}]*\}\}|<%.*?%>|\{%.*?%\}|<[A-Za-z][A-Za-z0-9 _-]*>|\bTODO-[A-Z-]+"
)
_CAPITALS = r"[A-Z]+[0-9]*(_[A-Z0-9]+)+"
_NUMBERS = frozenset({"bool", "duration", "float", "int", "long", "size"})
_OF_HOSTS = pattern("hosts")
_FILLED_LATER = r".*(classpath|opts|command|options|[.-]env|[.-]params)(\..+)?|.*\.auth_to_local"
"""Keys in whose values NodeManagers and tasks fill in ``{{JAVA_HOME}}``, ``<CPS>`` and ``@taskid@``."""
_OF_TEMPLATES = re.compile(r"#[A-Z][A-Z0-9_]*#")


@rules.inspects("consistency.provider-uris")
def _providers(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.effective:
        form = _PROVIDERS.get(entry.name)
        if form is None or not entry.text.strip() or "${" in entry.text:
            continue
        right, example = form
        wrong = [part for part in read_list(entry.text) if not re.match(right, part)]
        first = "".join(wrong[:1])
        scheme, _, path = first.rpartition("://")
        uri = f"kms://{scheme if scheme == 'https' else 'http'}@{path.partition('@')[2] or path}"
        if "credential" in entry.name:
            uri = f"jceks://file/{first.lstrip('/')}"
        shown = ", ".join(wrong) or entry.text
        yield entry_verdict(entry, not wrong, found=shown, uri=uri, example=example)


@rules.inspects("consistency.plain-paths")
def _plain_paths(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.effective:
        match = _SCHEME.fullmatch(entry.text)
        foreign = re.fullmatch(_LISTS, entry.name) and match is not None and match[1].lower() != "file"
        if match is None or not (foreign or re.fullmatch(_PATHS, entry.name)):
            continue
        if entry.name == "hadoop.tmp.dir" and all(map(reading.text, _BELOW_WORKING)):
            # HDFS makes URIs of it where its own directories are not given; others take it as it is.
            continue
        remaining = match[3].lstrip("/")
        if match[1].lower() != "file" and match[2] == "//":
            # What follows two slashes is a host or a name service.
            remaining = remaining.partition("/")[2]
        yield entry_verdict(entry, False, path=f"/{remaining}")


@rules.inspects("consistency.storage-tags")
def _data_tags(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for part in reading.parts(_DATA):
        match = re.match(r"\[([^\]]*)\]", part)
        if match and match[1].upper() not in _STORAGES:
            tag = match[1].upper()
            longer = next((storage for storage in _STORAGES if tag and storage.startswith(f"{tag}_")), "DISK")
            near = similar_text(tag, _STORAGES) or longer
            values = {"storages": ", ".join(_STORAGES), "match": match, "near": near}
            yield reading.verdict(_DATA, False, found=part, values=values)


@rules.inspects("consistency.directory-lists")
def _commas(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.effective:
        texts = read_list(entry.text) if re.fullmatch(_LISTS, entry.name) else ()
        split = ((mark, re.split(form, part)) for mark, form in _MARKS for part in texts)
        divided = [(mark, list(filter(None, parts))) for mark, parts in split]
        are_paths = re.compile(r"(\[\w+\])?(file:)?/").match
        marks = [(name, parts) for name, parts in divided if len(parts) > 1 and all(map(are_paths, parts))]
        if marks:
            mark, parts = marks[0]
            listed = re.split(r"[;,\s]+" if mark != "colon" else r"(?<!file):|,", entry.text)
            directories = ",".join(filter(None, listed))
            yield entry_verdict(entry, False, mark=mark, many=len(parts), directories=directories)


@rules.inspects("consistency.file-system-uris")
def _uris(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.effective:
        if re.fullmatch(_FILE_SYSTEMS, entry.name) is None or "${" in entry.text or not entry.text:
            continue
        match = _SCHEME.fullmatch(entry.text)
        scheme, slashes, path = match.groups() if match else ("", "", entry.text)
        by_port = match is not None and path.partition("/")[0].isdigit() and not slashes
        by_name = match is None and (entry.name != "fs.defaultFS" or "/" not in entry.text)
        if by_port or by_name:
            # Hadoop takes host:port for HDFS's, and HBase a path for one of the default file system.
            continue
        service = (reading.text("dfs.nameservices") or "").partition(",")[0].strip()
        by_path = match is None and entry.text.startswith("/")
        missing = match is None or (scheme.lower() == "hdfs" and (len(slashes) < 2 or scheme != "hdfs"))
        authority = (service or "NAMENODE:8020") if by_path else path.lstrip("/")
        yield entry_verdict(entry, not missing, authority=authority)


def placeholder(entry: FoundProperty, facts: Facts) -> str:
    """The first placeholder of a template in a value; empty where there is none.

    Words in capitals are one as well where a number or a host is to be, or where they are the key's own
    words: ``DFS_REPLICATION`` of ``dfs.replication``.
    """
    text = entry.text
    bare = text.rpartition("://")[2].strip("/")
    if re.fullmatch(_CAPITALS, bare):
        own = set(bare.lower().split("_")) <= set(re.split(r"[.-]", entry.name.lower()))
        definition = known_property(entry.model_copy(update={"name": names_of_today(entry, facts)[0]}), facts)
        if own or (definition is not None and definition.kind in _NUMBERS):
            return bare
    if re.fullmatch(_OF_HOSTS, entry.name) and (host := re.match(_CAPITALS, bare)):
        return host[0]
    match = (_OF_TEMPLATES if re.fullmatch(_FILLED_LATER, entry.name) else _PLACEHOLDER).search(text)
    return match[0] if match else ""


@rules.inspects("consistency.placeholders")
def _placeholders(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in known_properties(reading):
        if not (mark := placeholder(entry, facts)):
            continue
        # By both names, as other rules report one or the other, and this is the cause of all that they find.
        for name in dict.fromkeys((entry.name, *names_of_today(entry, facts))):
            yield entry_verdict(entry, False, about=name, found=f"{mark}, a placeholder of a template")
