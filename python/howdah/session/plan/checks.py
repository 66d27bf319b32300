"""What exists, read and compared with the rules."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from howdah.audit.audit import audit
from howdah.audit.folder import known_releases, read_folders
from howdah.audit.sarif import to_sarif
from howdah.audit.upgrade import check_upgrade
from howdah.documents.files import read_host, read_plan
from howdah.errors import UserError
from howdah.model.check import CheckReport, HostRole
from howdah.probe import probe_host
from howdah.session.files import replace_file


def check(
    *,
    folders: Sequence[Path],
    this_host: bool,
    probes: Sequence[Path],
    plan_path: Path | None,
    hadoop: str | None,
    hbase: str | None = None,
    role: HostRole | None = None,
    to: str | None = None,
    java: int | None = None,
    environment: Mapping[str, str] = os.environ,
) -> CheckReport:
    """Check configuration directories, this machine and probed hosts, whichever are given.

    With ``to`` the report lists what an upgrade to that release requires. Raises UserError for what cannot be
    read and for a release that howdah does not know.
    """
    config = read_folders(folders) if folders else None
    hosts = [*([probe_host()] if this_host else []), *(read_host(path) for path in probes)]
    plan = read_plan(plan_path) if plan_path is not None else None
    releases = known_releases(hadoop, plan, environment.get("HADOOP_HOME"), hbase)
    if to is not None:
        if config is None:
            raise UserError(f"--to {to}", "needs a configuration to check", "give --conf DIR")
        return check_upgrade(config, hosts, releases, to, java)
    if java is not None:
        raise UserError(f"--java {java}", "has no effect without --to", "give --to VERSION as well")
    report = audit(config, hosts, plan, releases, role)
    return report.model_copy(update={"plan": str(plan_path) if plan_path is not None else None})


def write_sarif(report: CheckReport, folders: Sequence[Path], path: Path) -> None:
    """Write the report as SARIF 2.1.0; raises UserError if the file cannot be written."""
    shared = Path(os.path.commonpath([folder.absolute() for folder in folders])) if folders else None
    replace_file(path, json.dumps(to_sarif(report, shared), indent=2) + "\n")
