"""A plan's names, keys, values and reasons: checked, and as text that is safe in the files they go to.

Every rendered key exists in the release it is for, and every value is of its key's kind. Reasons, names and a
user's own values may hold anything; a comment never ends early, a value never becomes markup or a command,
and what a file cannot carry is refused.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Sequence
from functools import cache
from html import escape  # As that of xml.sax.saxutils, which brings urllib and ssl with it.
from importlib import resources
from shlex import quote
from typing import NamedTuple

from howdah.errors import UserError
from howdah.hadoop.config_files import HADOOP_SCRIPTS, HBASE_SITE
from howdah.hadoop.daemons import DAEMONS
from howdah.hadoop.readers import intended_key
from howdah.model.hostname import is_hostname
from howdah.model.plan import Cluster, ClusterPlan, Role, Setting, Worker, value_text
from howdah.model.request import PlanRequest
from howdah.releases import catalogue
from howdah.releases.catalogue import Release
from howdah.units import listed

ZOOKEEPER, ZOOKEEPER_ENV, EXECUTOR = "zoo.cfg", "zookeeper-env.sh", "container-executor.cfg"
_READ = {file for kind in DAEMONS.values() for file in kind.files}
HBASE_XML, HBASE_ENV = (HBASE_SITE,), ("hbase-env.sh",)
HADOOP_XML = tuple(sorted(file for file in _READ.difference(HBASE_XML) if file.endswith(".xml")))
HADOOP_ENV = tuple(sorted(file for file in _READ & {*HADOOP_SCRIPTS}))
XML = (*HADOOP_XML, *HBASE_XML)
FRAMEWORKS = SPARK, TEZ, HIVE = "spark-defaults.conf", "tez-site.xml", "hive-site.xml"
SYSTEM = SYSCTL, LIMITS, HUGE_PAGES, DISKS, JAVA = "sysctl.conf", "limits.conf", "thp", "disks", "java"
HARDWARE = NETWORK, VMX, ESXI, LIBVIRT, FIRMWARE = "network", "vsphere.vmx", "esxi", "kvm.xml", "firmware"
SETTING_FILES = {
    *XML, *HADOOP_ENV, *HBASE_ENV, ZOOKEEPER, ZOOKEEPER_ENV, EXECUTOR, *FRAMEWORKS, *SYSTEM, *HARDWARE,
}  # fmt: skip


class FileVariant(NamedTuple):
    """One set of files: for all, for a kind of worker or for a group of hosts."""

    suffix: str = ""
    worker: str | None = None
    group: str | None = None

    def folder(self, base: str) -> str:
        """The folder's name: ``os``, or ``os-small`` for the kind of worker called small."""
        return f"{base}-{self.suffix}" if self.suffix else base

    def holds(self, setting: Setting) -> bool:
        """Whether a setting applies to this variant."""
        return setting.worker in (None, self.worker) and setting.group in (None, self.group)


EVERYWHERE = FileVariant()  # The settings that all hosts and workers share.


def of_kind(worker: Worker) -> FileVariant:
    """The settings of a kind of worker, including its hosts'."""
    return FileVariant(worker.name, worker.name, worker.group)


def of_group(group: str) -> FileVariant:
    """The settings of a group of hosts."""
    return FileVariant(group, None, group)


def differ(plan: ClusterPlan, files: Collection[str]) -> bool:
    """Whether any setting of these files applies only to some workers or hosts."""
    own = (setting for setting in plan.settings if setting.file in files)
    return any(setting.worker is not None or setting.group is not None for setting in own)


def file_variants(plan: ClusterPlan, files: Collection[str]) -> tuple[FileVariant, ...]:
    """Return the different sets of these files, identical ones together."""
    groups = [group.name for group in plan.cluster.inventory.groups]
    if any(setting.file in files and setting.worker is not None for setting in plan.settings):
        workless = {*groups} - {worker.group for worker in plan.workers}
        return (*map(of_kind, plan.workers), *map(of_group, sorted(workless)))
    if differ(plan, files):
        return tuple(map(of_group, groups))
    return (EVERYWHERE,)


def select(plan: ClusterPlan, file: str, variant: FileVariant) -> list[Setting]:
    """The settings of one file for one set, sorted by key; one for these only goes before one for all."""
    chosen: dict[str, Setting] = {}
    for setting in plan.settings:
        if setting.file == file and variant.holds(setting):
            general = setting.worker is None and setting.group is None
            if setting.key not in chosen or not general:
                chosen[setting.key] = setting
    return [chosen[key] for key in sorted(chosen)]


_WIDTH = 100
_ILLEGAL = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\x7f-\x9f]")
"""Characters that XML 1.0 excludes, and control characters that a terminal would interpret."""
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_JAVA_HOME = "JAVA_HOME is the site's own: set it for the daemons' users, or here."


@cache
def template(name: str) -> str:
    """The text of a file of ``templates``; its words to be replaced stand between ``@``."""
    return resources.files("howdah.render").joinpath("templates", name).read_text(encoding="utf-8")


def setting_text(setting: Setting, *, lines: bool = False) -> str:
    """A setting's value; raises UserError for control characters and, unless with ``lines``, line breaks."""
    text = value_text(setting.value)
    if _ILLEGAL.search(text) or (not lines and "\n" in text):
        hint = "write it on one line"
        raise setting_error(setting, "its value contains a control character or a line break", hint)
    return text


def setting_error(setting: Setting, problem: str, hint: str) -> UserError:
    """What is wrong with a setting, which is named by its file and key, or by the flag that gave it."""
    where = f"--set {setting.key}" if setting.origin == "user" else f"{setting.file}: {setting.key}"
    return UserError(where, problem, hint)


def plain_key(setting: Setting) -> str:
    """A setting's key where it stands bare in a file; raises UserError if it is more than a word."""
    if not re.fullmatch(r"[._-]*[A-Za-z0-9][A-Za-z0-9._-]*", setting.key):
        raise setting_error(setting, "is not a plain key", "letters, digits, dots, hyphens and underscores")
    return setting.key


def reason_lines(setting: Setting, width: int = _WIDTH) -> list[str]:
    """Why a setting has its value, then where that comes from, as plain lines without control characters."""
    lines = wrapped(setting.reason[:1].upper() + setting.reason[1:], width)
    if setting.origin == "user":
        lines += [
            line
            for breach in setting.breaks
            for line in wrapped(f"Breaks {breach.rule}: {breach.says}", width)
        ]
    else:
        lines += wrapped(f"[{setting.rule or 'no rule'}; {setting.source}]", width)
    return lines


def wrapped(text: str, width: int = _WIDTH) -> list[str]:
    """A text as lines of at most ``width`` where it has spaces to break at; at least one line."""
    plain = " ".join(_ILLEGAL.sub("�", text).split())
    return textwrap.wrap(plain, width, break_long_words=False, break_on_hyphens=False) or [""]


def hash_comment(lines: list[str]) -> str:
    """Lines as comments of a shell, sysctl or systemd file."""
    return "".join(f"# {line}".rstrip() + "\n" for line in lines)


def reason_comment(setting: Setting) -> str:
    """The reason and the sources of a setting as such comments."""
    return hash_comment(reason_lines(setting))


def env_file(title: str, settings: Sequence[Setting]) -> str:
    """A whole env file; raises UserError for a key that cannot name a variable."""
    text = hash_comment([title, _JAVA_HOME])
    for setting in settings:
        if not _VARIABLE.fullmatch(setting.key):
            raise setting_error(setting, "is not the name of a variable", "letters, digits and underscores")
        value = quote(setting_text(setting, lines=True))
        text += f"\n{reason_comment(setting)}export {setting.key}={value}\n"
    return text


def xml_file(title: str, settings: Sequence[Setting]) -> str:
    """A whole configuration file; the settings are sorted by key already."""
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n{xml_comment([title])}\n<configuration>\n'
    for setting in settings:
        value = escape(setting_text(setting, lines=True), quote=False)
        text += (
            f"\n{xml_comment(reason_lines(setting), '  ')}\n"
            f"  <property>\n"
            f"    <name>{escape(setting.key, quote=False)}</name>\n"
            f"    <value>{value}</value>\n"
            f"  </property>\n"
        )
    return f"{text}</configuration>\n"


def xml_comment(lines: Sequence[str], indent: str = "") -> str:
    """Lines as one comment; a double hyphen, which would end or spoil it, is drawn apart."""
    inner = "\n".join(f"{indent}     {line}".rstrip() for line in lines).lstrip()
    while "--" in inner:
        inner = inner.replace("--", "- -")
    return f"{indent}<!-- {inner} -->"


_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,62}[A-Za-z0-9])?")


def check_names(plan: ClusterPlan, request: PlanRequest) -> None:
    """Raise UserError for the first misspelt, dead or deprecated key, or a value its key cannot take."""
    hadoop, hbase = catalogue.hadoop(request.hadoop), catalogue.hbase(request.hbase)
    for setting in plan.settings:
        if setting.file in HBASE_XML:
            # HBase reads Hadoop's client keys from its own file too.
            check_name(setting, hbase, hadoop)
        elif setting.file in XML:
            check_name(setting, hadoop)


def check_name(setting: Setting, *releases: Release) -> None:
    """Raise UserError if no release has the key, or if the value is invalid."""
    for release in releases:
        if instead := release.replacement(setting.key):
            hint = f"use {listed(instead)} instead"
            raise setting_error(setting, f"is deprecated in {release.title}", hint)
        if setting.key in release.gone:
            raise setting_error(setting, f"is not read by {release.title}", release.gone[setting.key])
        if (entry := release.find(setting.key)) is not None:
            text = setting_text(setting, lines=True)
            if misfit := release.misfit(setting.key, text):
                hint = f"{release.title} reads it as {entry.kind}"
                raise setting_error(setting, f"{text!r} {misfit}", hint)
            return
    near = next((near for release in releases if (near := intended_key(setting.key, release))), None)
    hint = f"did you mean {near}?" if near else "see the release's list of properties"
    raise setting_error(
        setting, f"is not a property of {' or '.join(release.title for release in releases)}", hint
    )


def guard(plan: ClusterPlan) -> Cluster:
    """The plan's cluster; raises UserError for an invalid name."""
    cluster = plan.cluster
    for master in cluster.masters:
        for host in (master.address, master.host, master.shadow_host):
            if host is not None and not is_hostname(host):
                where = f"masters: {master.name}"
                raise UserError(where, f"{host!r} is not a host name", "letters, digits, hyphens and dots")
    names = (
        *(("workers", worker.name) for worker in plan.workers),
        *(("masters", master.name) for master in cluster.masters),
        *(("racks", rack.name) for rack in cluster.topology.racks),
        *(("layouts", kind) for layout in cluster.layouts for kind in layout.workers),
    )
    for where, name in names:
        if not _NAME.fullmatch(name):
            raise UserError(where, f"{name!r} is not a name", "letters, digits, hyphens and dots, at most 64")
    for setting in plan.settings:
        if setting.file is not None and setting.file not in SETTING_FILES:
            problem = f"{setting.file!r} is not a file that is rendered"
            raise UserError(f"settings: {setting.key}", problem, f"one of {', '.join(sorted(SETTING_FILES))}")
    if not any(Role.NAMENODE in master.roles for master in cluster.masters):
        raise UserError("masters", "none of them is a NameNode", "give one of them this role")
    return cluster
