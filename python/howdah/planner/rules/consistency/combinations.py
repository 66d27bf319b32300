"""Each property once, where its readers look, and not against what is final."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.hadoop.config_files import SITES
from howdah.hadoop.readers import readers_of
from howdah.model.existing import FoundProperty
from howdah.model.plan import Role
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, entry_verdict
from howdah.planner.rules.declare import pattern, read_rules, read_table
from howdah.planner.rules.release import known_properties, known_property, names_of_today
from howdah.releases.values import variables
from howdah.units import MIB, format_counted, listed

rules = read_rules("consistency.toml")

_READERS = read_table("keys.toml")["files"]
_READERS_OF_FILES = read_table("keys.toml")["readers"]
_OF_MANAGER = r"yarn\.resourcemanager\.(hostname|(.*\.)?address)"
_CREDENTIAL = r"(dfs|yarn|hbase|mapreduce)\..*(keytab|keytab\.file|kerberos\.principal|principal)"
_ELSEWHERE = pattern("outside-variables")
_OF_SHELL = r".*(\.env|\.env\..*|opts|classpath|command|options)|.*\.env-whitelist"
_SHELL_NAME = r"[A-Z][A-Z0-9_]*"
"""Keys whose values reach a container's start script, where the shell replaces its own variables."""


@rules.inspects("consistency.readable-files")
def _readable(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for file in reading.config.unreadable:
        name = file.file.rpartition("/")[2]
        daemons = (daemon for form, daemon in _READERS_OF_FILES.items() if re.fullmatch(form, name))
        readers = next(daemons, "what reads it")
        yield Observation(False, name, file.what, where=file.file, values={"readers": readers, "file": file})


@rules.inspects("consistency.one-value")
def _several(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    before: dict[str, FoundProperty] = {}
    for entry in reading.properties:
        if entry.base_name not in SITES:
            continue
        first = before.setdefault(entry.name, entry)
        # What is final is a rule of its own.
        if first.file != entry.file and first.text != entry.text and not first.final:
            shown = f"{first.text!r} in {first.place}, {entry.text!r} in {entry.place}, which wins"
            yield entry_verdict(entry, False, found=shown, first=first)


@rules.inspects("consistency.duplicate-property")
def _duplicates(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    seen: dict[tuple[str, tuple[str, ...]], FoundProperty] = {}
    for entry in reading.properties:
        name = entry.file, names_of_today(entry, facts)
        before = seen.get(name)
        if before is not None and (before.name == entry.name or before.text != entry.text):
            wins, loses = (before, entry) if before.final else (entry, before)
            former = wins.name not in name[1] and loses.name != wins.name
            lost, kept = repr(loses.text), repr(wins.text)
            if loses.name != wins.name:
                lost, kept = f"{loses.name} {lost}", f"{wins.name} {kept}"
            shown = f"{lost} in line {loses.line}, {kept} in line {wins.line}, which wins"
            words = "former" if former else "twice"
            values = {"loses": loses, "wins": wins, "today": name[1][0]}
            yield entry_verdict(entry, False, found=shown, words=words, values=values)
        if before is None or not before.final:
            seen[name] = entry


@rules.inspects("consistency.final-overridden")
def _overridden(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    final: dict[str, FoundProperty] = {}
    for entry in known_properties(reading):
        fixed = final.get(entry.name)
        if fixed is not None and fixed.file != entry.file and fixed.text != entry.text:
            shown = f"{entry.text!r}, which is ignored: {fixed.place} sets {fixed.text!r} and is final"
            yield entry_verdict(entry, False, found=shown, fixed=fixed)
        if entry.final:
            final.setdefault(entry.name, entry)


@rules.inspects("consistency.misplaced-property")
def _misplaced(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in known_properties(reading):
        definition = known_property(entry, facts)
        readers = _READERS.get(definition.file) if definition else None
        right, words = "hdfs-site.xml", "move"
        if definition is not None and readers is not None and entry.base_name not in readers:
            right = definition.file
            if reading.text("yarn.resourcemanager.ha.rm-ids") and re.fullmatch(_OF_MANAGER, entry.name):
                words = "remove"
        elif entry.base_name != "hbase-site.xml" or not _is_of_hdfs_daemons(entry, facts):
            continue
        shown = f"in {entry.base_name}, which the daemons that use it do not read"
        yield entry_verdict(entry, False, found=shown, words=words, right=right)


def _is_of_hdfs_daemons(entry: FoundProperty, facts: Facts) -> bool:
    """Whether only daemons of HDFS read a key, and not its clients, such as the daemons of HBase."""
    if not entry.name.startswith("dfs."):
        return False
    names = names_of_today(entry, facts)
    readers = {role for name in names for role in readers_of(name, "hdfs-site.xml", facts.request.hadoop)}
    return bool(readers) and readers.isdisjoint((Role.HMASTER, Role.REGIONSERVER))


@rules.inspects("consistency.default-file-system")
def _default_file_system(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if not (reading.has("hdfs-site.xml") and reading.has("core-site.xml")):
        return
    is_set = reading.config.property("fs.defaultFS") is not None
    if not is_set and any(entry.name.lower() == "fs.defaultfs" for entry in reading.properties):
        # That the name is misspelt is a rule of its own.
        return
    text = str(facts.decided.get("fs.defaultFS", ""))
    shown, ok = text if is_set else f"{text} (default)", not text.startswith("file:")
    yield reading.verdict("fs.defaultFS", ok, found=shown, elsewhere="core-site.xml")


@rules.inspects("consistency.replicas-and-workers")
def _replicas_and_workers(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    workers = len(reading.config.datanode_hosts)
    # HBase's folder lists its own workers and says nothing of replicas.
    if workers and reading.has("hdfs-site.xml"):
        replicas = int(facts.number("dfs.replication"))
        shown = f"{replicas} replicas, but {format_counted(workers, 'host')} in the workers file"
        words, values = "alone" if workers == 1 else "several", {"workers": workers}
        yield Observation(replicas <= workers, "dfs.replication", shown, words=words, values=values)


@rules.inspects("consistency.block-chunks")
def _block_chunks(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    key = "dfs.blocksize"
    if reading.config.property(key) is None:
        return
    block, chunk = int(facts.number(key)), int(facts.number("dfs.bytes-per-checksum"))
    least = int(facts.number("dfs.namenode.fs-limits.min-block-size"))
    shown = f"{reading.text(key)}, with checksums of {chunk} bytes and blocks of at least {least}"
    values = {"chunk": chunk, "least": least, "whole": max(2, round(block / MIB / 64)) * 64 * MIB}
    ok = chunk > 0 and block % chunk == 0 and block >= least
    yield reading.verdict(key, ok, found=shown, values=values)


@rules.inspects("consistency.allocation-order")
def _allocation_order(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for resource, of_host in (
        ("mb", "yarn.nodemanager.resource.memory-mb"),
        ("vcores", "yarn.nodemanager.resource.cpu-vcores"),
    ):
        least, most = (f"yarn.scheduler.{end}-allocation-{resource}" for end in ("minimum", "maximum"))
        if (text := reading.text(least)) is not None:
            limits = {key: facts.number(key) for key in (most, of_host)}
            exceeded = [key for key, limit in limits.items() if 0 < limit < facts.number(least)]
            shown = ", ".join([text, *(f"{key} is {limits[key]:.15g}" for key in exceeded)])
            values = {"most": most, "of_host": of_host, "exceeded": listed(exceeded)}
            yield reading.verdict(least, not exceeded, found=shown, values=values)


@rules.inspects("consistency.kerberos-by-half")
def _kerberos_by_half(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if facts.request.secure or not reading.has("core-site.xml"):
        return
    set_entries = (entry for entry in reading.properties if entry.text)
    credentials = [entry for entry in set_entries if re.fullmatch(_CREDENTIAL, entry.name)]
    if credentials:
        shown = f"simple, with {len(credentials)} principals and keytabs such as {credentials[0].name}"
        yield entry_verdict(credentials[0], False, about="hadoop.security.authentication", found=shown)


@rules.inspects("consistency.undefined-variable")
def _undefined(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in reading.effective:
        of_shell = re.fullmatch(_OF_SHELL, entry.name) is not None
        bare = next(filter(reading.text, re.findall(r"\$([a-z][\w-]*(?:\.[\w-]+)+)", entry.text)), None)
        if bare and not of_shell:
            yield entry_verdict(entry, False, words="bare", bare=bare)
        names = [
            name
            for name in variables(entry.text)
            if re.fullmatch(_ELSEWHERE, name) is None and not (of_shell and re.fullmatch(_SHELL_NAME, name))
        ]
        if names:
            yield entry_verdict(entry, False, words="missing", name=names[0])
