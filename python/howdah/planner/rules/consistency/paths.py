"""Paths where paths are read and URIs where URIs are, in the form that their readers take."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.model.existing import FoundProperty
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, entry_verdict
from howdah.planner.rules.declare import pattern, read_rules
from howdah.planner.rules.release import known_properties, known_property, names_of_today
from howdah.releases.similar import similar_text
from howdah.releases.values import read_list

rules = read_rules("consistency.toml")

_STORAGES = ("DISK", "SSD", "ARCHIVE", "RAM_DISK", "PROVIDED", "NVDIMM")
_DATA = "dfs.datanode.data.dir"
_BELOW_WORKING = ("dfs.namenode.name.dir", _DATA)
_PATHS = pattern("paths")
_LISTS = pattern("directory-lists")
_MARKS = (("semicolon", r"\s*;\s*"), ("colon", r":(?=/(?!/))(?<!file:)"), ("blank", r"\s+"))
_FILE_SYSTEMS = r"fs\.defaultFS|hbase\.rootdir|hbase\.wal\.dir"
_OF_ALL = pattern("shared-places")
_LOCAL = re.compile(r"file:/{0,2}(/(?!.*(mnt|net|nfs|share|gpfs|lustre)).*)", re.IGNORECASE)
"""A path of a host's own disks; other hosts may have the same mount below the names in brackets."""
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):(/{0,3})(.*)", re.IGNORECASE | re.DOTALL)
_HOSTS = r"yarn\.(resourcemanager|nodemanager|timeline-service)\.hostname(\..+)?|dfs\.datanode\.hostname"
_KEY_PROVIDERS = r"kms://https?@.+|(jceks|bcfks)://.+|user:///"
_CREDENTIAL_PROVIDERS = r"(local)?(jceks|bcfks)://.+|user:///|[a-z][a-z0-9+-]{3,}://.+"
_EXAMPLE = "jceks://file/etc/hadoop/conf/passwords.jceks"
_PROVIDERS = {
    "hadoop.security.key.provider.path": (_KEY_PROVIDERS, "kms://http@host:9600/kms"),
    "hadoop.security.credential.provider.path": (_CREDENTIAL_PROVIDERS, _EXAMPLE),
}
"""The forms of providers' URIs, and one of them."""
_DIRECTORY = r"(HADOOP|HDFS|YARN|MAPRED|HBASE|SPARK|ZOO|ZK)_\w*(DIR|HOME)"
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


@rules.inspects("consistency.plain-variables")
def _variables(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.environment:
        match = _SCHEME.fullmatch(entry.text.strip()) if re.fullmatch(_DIRECTORY, entry.name) else None
        if match and match[2]:
            yield entry_verdict(entry, False, path=match[3].lstrip("/"))


@rules.inspects("consistency.shared-places")
def _shared_places(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    shared = reading.text("fs.defaultFS") or ""
    if not shared.startswith("hdfs://") or not reading.has_several_hosts:
        return
    for entry in reading.effective:
        if re.fullmatch(_OF_ALL, entry.name) and (match := _LOCAL.fullmatch(entry.text.strip())):
            yield entry_verdict(entry, False, match=match)


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


@rules.inspects("consistency.bare-hosts")
def _bare_hosts(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.effective:
        with_port = re.search(r"://|:\d+$", entry.text) and entry.text.count(":") < 3
        if with_port and re.fullmatch(_HOSTS, entry.name):
            yield entry_verdict(entry, False, host=re.sub(r"^\w+://|:\d+/?$", "", entry.text))


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
