"""Every key that is rendered exists in the release it is for, and every value is of its key's kind."""

from __future__ import annotations

from howdah import releases
from howdah.errors import UserError
from howdah.model.plan import Plan, Setting
from howdah.model.request import PlanRequest
from howdah.releases import Release
from howdah.render.files import HBASE_XML, XML
from howdah.render.text import named, setting_text


def check_names(plan: Plan, request: PlanRequest) -> None:
    """Raise UserError for the first misspelt, dead or deprecated key, or a value its key cannot take."""
    hadoop, hbase = releases.hadoop(request.hadoop), releases.hbase(request.hbase)
    for setting in plan.settings:
        if setting.file in HBASE_XML:
            # HBase reads Hadoop's client keys from its own file too.
            check_name(setting, hbase, hadoop)
        elif setting.file in XML:
            check_name(setting, hadoop)


def check_name(setting: Setting, *known_to: Release) -> None:
    """Raise UserError if no release knows the key, or it cannot take the value."""
    for release in known_to:
        if instead := release.replacement(setting.key):
            raise UserError(
                named(setting), f"is deprecated in {_spoken(release)}", f"use {' and '.join(instead)} instead"
            )
        if setting.key in release.gone:
            raise UserError(
                named(setting), f"is read by nothing in {_spoken(release)}", release.gone[setting.key]
            )
        if (found := release.find(setting.key)) is not None:
            text = setting_text(setting, lines=True)
            if misfit := release.misfit(setting.key, text):
                raise UserError(
                    named(setting), f"{text!r} {misfit}", f"{_spoken(release)} reads it as {found.kind}"
                )
            return
    near = next((near for release in known_to if (near := release.nearest(setting.key))), None)
    raise UserError(
        named(setting),
        f"is not a property of {' or '.join(map(_spoken, known_to))}",
        f"did you mean {near}?" if near else "see the release's list of properties",
    )


def _spoken(release: Release) -> str:
    name = {"hadoop": "Hadoop", "hbase": "HBase"}[release.product]
    return f"{name} {release.version}"
