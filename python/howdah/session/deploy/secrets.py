"""What hosts are handed apart from the plan: found, looked at, and named to Ansible by its place alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from howdah.deploy.secrets import SecretFile, check_folder, found_secrets
from howdah.deploy.wrong import HostWrong
from howdah.errors import UserError
from howdah.model.placement import placed_hosts
from howdah.model.system import placed_systems
from howdah.render.secrets import host_secrets
from howdah.session.deploy.project import Target


def secrets_of_hosts(
    target: Target, folder: Path | None
) -> tuple[Mapping[str, Mapping[str, Any]], list[HostWrong]]:
    """For each host its files, each with its place and SHA-256, and all that is wrong with any.

    Without a folder hosts keep what they were handed before. Raises UserError where the folder cannot be
    used, or the plan needs none.
    """
    if folder is None:
        return {}, []
    if not target.cluster.request.secure:
        raise UserError(
            f"--secrets {folder}",
            f"needs a plan with Kerberos, and {target.file} has none",
            "leave it out, or plan with --secure",
        )
    check_folder(folder)
    made: dict[str, Mapping[str, Any]] = {}
    wrong: list[HostWrong] = []
    for system in placed_systems(target.plan, placed_hosts(target.cluster)):
        wanted = [one._asdict() for one in host_secrets(target.plan, system.roles)]
        found, told = found_secrets(folder, system.name, wanted)
        made[system.name] = {one.name: _named(one) for one in found}
        wrong += told
    return made, wrong


def _named(one: SecretFile) -> dict[str, str]:
    return {"file": str(one.file.absolute()), "sha256": one.sha256}
