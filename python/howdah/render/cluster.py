"""A plan's whole ConfigSet, and ``deploy/`` in it.

``deploy/`` is a project of Ansible that makes hosts into the planned cluster, with or without howdah. Its
playbooks apply manifests first, then start daemons from the bottom up, and restart them a few at a time.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, partial
from importlib import resources
from typing import Any

import jinja2

from howdah.hadoop.daemons import DAEMONS, RESTARTING, UPGRADING, at_once
from howdah.markdown import pipe_table
from howdah.model.placement import PlacedHost, placed_hosts, placed_systems
from howdah.model.plan import ClusterPlan, ConfigFile, ConfigSet, Role, planned_text
from howdah.releases.values import read_positive
from howdah.render.daemons import HdfsDirectory, hdfs_places, port_of, unit_files
from howdah.render.hadoop import framework_files, hadoop_files, hbase_files, host_files, zookeeper_files
from howdah.render.hypervisor import firmware_files, hypervisor_files
from howdah.render.manifests import manifests
from howdah.render.readme import readme
from howdah.render.system import network_files, system_files
from howdah.render.text import EVERYWHERE, check_names, guard, template, wrapped
from howdah.units import natural_key

Spell = Callable[[str], str]
_HEAD = (
    "# Sources\n\n"
    "Every value in these files has its reason, the rule that decided it and, after a semicolon, "
    "the sources of the rule: `[hdfs.replication; X5, D0 60]`. The table explains each source.\n\n"
)


def sources_file(plan: ClusterPlan, spell: Spell) -> ConfigFile:
    """Every source that a setting of the plan cites, in order, with what it is."""
    settings = (setting for setting in plan.settings if setting.origin != "user")
    sources = {source for setting in settings for source in setting.source.split(", ")}
    rows = ((source, " ".join(wrapped(spell(source)))) for source in sorted(sources, key=natural_key))
    return ConfigFile(path="SOURCES.md", content=f"{_HEAD}{pipe_table(('source', 'meaning'), rows)}\n")


def render(plan: ClusterPlan, spell: Spell | None = None, leaving: Collection[str] = ()) -> ConfigSet:
    """Every file that the plan's cluster needs, sorted by path; the same plan gives the same bytes.

    ``spell`` describes a source in the index of sources; without it there is no index. ``leaving`` are the
    workers that are drained before they are removed. Raises UserError
    for an invalid name, and for a key or value that the release does not accept.
    """
    cluster = guard(plan)
    check_names(plan, cluster.request)
    hosts = tuple(placed_hosts(cluster))
    files: list[ConfigFile] = [
        *hadoop_files(plan, hosts, leaving),
        *hbase_files(plan, hosts),
        *zookeeper_files(plan),
        *framework_files(plan),
        *system_files(plan),
        *network_files(plan),
        *hypervisor_files(plan, hosts),
        *firmware_files(plan),
        *host_files(hosts),
        *unit_files(plan),
    ]
    files += project_files(plan, hosts, files)
    if spell is not None:
        files.append(sources_file(plan, spell))
    files.append(readme(plan, hosts, files))
    return ConfigSet(files=tuple(sorted(files, key=lambda file: file.path)))


_PACKAGE = "howdah.render.modules"
_END = (
    "\n\n"
    "# Ansible puts its arguments in the place of what follows; the comment beneath makes it do so.\n"
    'main("<<INCLUDE_ANSIBLE_MODULE_COMPLEX_ARGS>>")\n'
    "# <<INCLUDE_ANSIBLE_MODULE_JSON_ARGS>>\n"
)
PROGRAMS = ("howdah_host", "howdah_look", "howdah_daemon", "howdah_hdfs", "howdah_key", "howdah_conf")
OF_KERBEROS = ("howdah_secrets", "howdah_doors")


@cache
def bundled(program: str) -> str:
    """A module's whole text: what it imports, the parts that it needs, itself, and its beginning."""
    parts: dict[str, str] = {}
    imports: set[str] = set()
    _collect(program, parts, imports)
    imports.remove("from __future__ import annotations")
    *needed, (_, own) = parts.items()
    bodies = [f"# --- {name}\n\n{_body(text)}" for name, text in (*needed, (program, own))]
    head = ast.get_docstring(ast.parse(own), clean=False)
    plain = sorted(line for line in imports if line.startswith("import "))
    chosen = sorted(imports - set(plain))
    return (
        "#!/usr/bin/python3\n"
        f'"""{head}"""\n\nfrom __future__ import annotations\n\n'
        + "\n".join([*plain, *chosen])
        + "\n\n"
        + "\n\n".join(bodies)
        + _END
    )


def _collect(name: str, parts: dict[str, str], imports: set[str]) -> None:
    """A module's source after those of the modules that it imports, each once."""
    if name in parts:
        return
    source = resources.files(_PACKAGE).joinpath(f"{name}.py").read_text(encoding="utf-8")
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith(f"{_PACKAGE}."):
            _collect((statement.module or "").removeprefix(f"{_PACKAGE}."), parts, imports)
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            imports.add(ast.unparse(statement))
    parts[name] = source


def _body(source: str) -> str:
    lines = source.splitlines()
    docstring, *statements = ast.parse(source).body
    imports = [statement for statement in statements if isinstance(statement, ast.Import | ast.ImportFrom)]
    last = max(statement.end_lineno or 0 for statement in (docstring, *imports))
    return "\n".join(lines[last:]).strip("\n") + "\n"


_BOOKS = (
    "look", "apply", "start", "upgrade", "downgrade", "finalize", "prove", "site", "leave", "stop",
    "downtime",
)  # fmt: skip


def playbooks(
    present: Mapping[Role, Sequence[str]],
    directories: Sequence[HdfsDirectory],
    port: int,
    replication: int,
    *,
    fencing: str = "",
    secure: bool = False,
) -> dict[str, str]:
    """Every playbook by its name; ``present`` names the hosts of each daemon, ``port`` is the NameNodes'.

    ``fencing`` is the key with which NameNodes stop one another; empty where there is one NameNode. With
    ``secure``, hosts are handed keytabs and key stores too.
    """
    daemons = {
        role: {
            "name": kind.name,
            "title": role.value,
            "number": len(present[role]),
            "at_once": at_once(role, replication),
            "leads": bool(kind.page.active),  # Whether one of a pair is active.
        }
        for role, kind in DAEMONS.items()
        if present.get(role)
    }
    books: Any = _template().make_module(
        {
            "daemons": tuple(daemons.values()),
            "directories": f"[{', '.join(map(_directory, directories))}]",
            "fencing": _plain(fencing) if fencing else "",
            "port": port,
            "secure": secure,
        }
    )
    steps = {
        name: [members for step in order if (members := [daemons[role] for role in step if role in daemons])]
        for name, order in (("restart", RESTARTING), ("restart-upgraded", UPGRADING))
    }
    texts = {name: getattr(books, name)() for name in _BOOKS}
    return {**texts, **{name: books.restart(members) for name, members in steps.items()}}


def inventory(manifests: Mapping[str, str], present: Mapping[Role, Sequence[str]]) -> str:
    """Ansible's inventory: every system with its manifest, and the hosts of each daemon."""
    roles = (Role.NAMENODE, Role.RESOURCEMANAGER, Role.HMASTER, Role.ZOOKEEPER, Role.JOURNALNODE)
    masters = list(dict.fromkeys(name for role in roles for name in present[role]))
    systems = [(json.dumps(name), json.dumps(manifest)) for name, manifest in manifests.items()]
    groups = [(DAEMONS[role].name, map(json.dumps, names)) for role, names in present.items() if names]
    books: Any = _template().make_module()
    return str(books.inventory(json.dumps(masters), systems, groups))


def _directory(directory: HdfsDirectory) -> str:
    policy = f", policy: {directory.policy}" if directory.policy else ""
    mode = json.dumps(directory.mode)
    return f"{{path: {_plain(directory.path)}, owner: {directory.owner}, mode: {mode}{policy}}}"


def _plain(text: str) -> str:
    """A value of the plan's in a playbook; Ansible would evaluate what stands in double braces."""
    return f"!unsafe {json.dumps(text)}"


@cache
def _template() -> jinja2.Template:
    return jinja2.Environment(
        block_start_string="[%",
        block_end_string="%]",
        variable_start_string="[[",
        variable_end_string="]]",
        comment_start_string="[#",
        comment_end_string="#]",
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.PackageLoader("howdah.render"),
    ).get_template("playbooks.yaml.j2")


FOLDER = "deploy"


def project_files(
    plan: ClusterPlan, hosts: Sequence[PlacedHost], files: Sequence[ConfigFile]
) -> Iterable[ConfigFile]:
    """Inventory, playbooks, modules and manifests; ``files`` are what goes to the hosts."""
    secure = plan.cluster.request.secure
    systems = tuple(placed_systems(plan, hosts))
    texts_by_manifest, names = manifests(plan, systems, files)
    present = {role: [system.name for system in systems if role in system.roles] for role in DAEMONS}
    port = port_of(plan, DAEMONS[Role.NAMENODE].page.key_with(partial(planned_text, plan)), EVERYWHERE) or 0
    copies = read_positive(planned_text(plan, "dfs.replication")) or 1
    several = len(present[Role.NAMENODE]) > 1
    fencing = planned_text(plan, "dfs.ha.fencing.ssh.private-key-files") if several else ""
    programs = (*PROGRAMS, *(OF_KERBEROS if secure else ()))
    books = playbooks(present, tuple(hdfs_places(plan)), port, copies, fencing=fencing, secure=secure)
    manifest_by_system = {system.name: names[system.name] for system in systems}
    texts = {
        "ansible.cfg": template("ansible.cfg"),
        "inventory.yaml": inventory(manifest_by_system, present),
        **{f"{name}.yaml": text for name, text in books.items()},
        **{f"library/{program}.py": bundled(program) for program in programs},
        **{f"manifests/{name}.json": text for name, text in texts_by_manifest.items()},
    }
    for path, text in texts.items():
        yield ConfigFile(path=f"{FOLDER}/{path}", content=text)
