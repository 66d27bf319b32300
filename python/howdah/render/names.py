"""Every key that is rendered exists in the release it is for, and every value is of its key's kind."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.errors import UserError
from howdah.hadoop.misspelt import intended_key
from howdah.model.hostname import is_hostname
from howdah.model.plan import Cluster, ClusterPlan, Role, Setting
from howdah.model.request import PlanRequest
from howdah.releases import catalogue
from howdah.releases.catalogue import Release
from howdah.render.text import setting_label, setting_text
from howdah.render.variant import HBASE_XML, SETTING_FILES, XML

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
            raise UserError(
                setting_label(setting),
                f"is deprecated in {_spoken(release)}",
                f"use {' and '.join(instead)} instead",
            )
        if setting.key in release.gone:
            raise UserError(
                setting_label(setting), f"is not read by {_spoken(release)}", release.gone[setting.key]
            )
        if (entry := release.find(setting.key)) is not None:
            text = setting_text(setting, lines=True)
            if misfit := release.misfit(setting.key, text):
                raise UserError(
                    setting_label(setting),
                    f"{text!r} {misfit}",
                    f"{_spoken(release)} reads it as {entry.kind}",
                )
            return
    near = next((near for release in releases if (near := intended_key(setting.key, release))), None)
    raise UserError(
        setting_label(setting),
        f"is not a property of {' or '.join(map(_spoken, releases))}",
        f"did you mean {near}?" if near else "see the release's list of properties",
    )


def _spoken(release: Release) -> str:
    name = {"hadoop": "Hadoop", "hbase": "HBase"}[release.product]
    return f"{name} {release.version}"


def guard(plan: ClusterPlan) -> Cluster:
    """The plan's cluster; raises UserError for an invalid name."""
    cluster = plan.cluster
    for where, host in _hosts(cluster):
        if not is_hostname(host):
            raise UserError(where, f"{host!r} is not a host name", "letters, digits, hyphens and dots")
    for where, name in _names(plan):
        if not _NAME.fullmatch(name):
            raise UserError(where, f"{name!r} is not a name", "letters, digits, hyphens and dots, at most 64")
    for setting in plan.settings:
        if setting.file is not None and setting.file not in SETTING_FILES:
            raise UserError(
                f"settings: {setting.key}",
                f"{setting.file!r} is not a file that is rendered",
                f"one of {', '.join(sorted(SETTING_FILES))}",
            )
    if not any(Role.NAMENODE in master.roles for master in cluster.masters):
        raise UserError("masters", "none of them is a NameNode", "give one of them this role")
    return cluster


def _hosts(cluster: Cluster) -> Iterator[tuple[str, str]]:
    for master in cluster.masters:
        yield f"masters: {master.name}", master.address
        yield f"masters: {master.name}", master.host
        if master.shadow_host is not None:
            yield f"masters: {master.name}", master.shadow_host


def _names(plan: ClusterPlan) -> Iterator[tuple[str, str]]:
    for worker in plan.workers:
        yield "workers", worker.name
    for master in plan.cluster.masters:
        yield "masters", master.name
    for rack in plan.cluster.topology.racks:
        yield "racks", rack.name
    yield from (("layouts", kind) for layout in plan.cluster.layouts for kind in layout.workers)
