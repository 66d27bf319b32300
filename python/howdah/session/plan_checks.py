"""Existing systems and plans compared with the rules; the files of an accepted plan, written to a directory.

A manifest with the digest of every file distinguishes howdah's files from files that users wrote or edited;
those are never lost without a request. All files are staged before the first one takes its place, so that a
full disk changes nothing; each file is whole at every moment.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple

from howdah.audit.audit import audit, plan_faults
from howdah.audit.folder import known_releases, read_folders
from howdah.audit.sarif import to_sarif
from howdah.audit.upgrade import check_upgrade
from howdah.documents.files import read_host, read_plan
from howdah.errors import UserError
from howdah.files import replace_file
from howdah.model.existing import CheckReport, CheckVerdict, HostRole
from howdah.model.plan import Advice, ClusterPlan, ConfigSet, value_text
from howdah.planner.document import source_text
from howdah.planner.rule import Severity
from howdah.probe import probe_host
from howdah.render.cluster import render
from howdah.render.readme import counted_contents

MANIFEST = ".howdah-render.json"
_FORMAT = 1
_STAGING = ".howdah-new-"

_SHOWN = 3

ChangeKind = Literal["new", "changed", "same", "removed"]


class FileChange(NamedTuple):
    """The effect of writing on one file; ``edited``: a user has changed it since howdah wrote it."""

    path: str
    kind: ChangeKind
    edited: bool
    before: str
    after: str


def pending_changes(files: ConfigSet, directory: Path) -> tuple[FileChange, ...]:
    """The changes that writing would make, sorted by path; raises UserError for a foreign directory."""
    written = _manifest(directory)
    planned = {file.path: file.content for file in files.files}
    result: list[FileChange] = []
    for path in sorted({*planned, *written}):
        before, after = _read(directory / path), planned.get(path, "")
        if before is None:
            if path in planned:
                result.append(FileChange(path, "new", False, "", after))
        elif before == planned.get(path):
            result.append(FileChange(path, "same", False, before, before))
        else:
            kind: ChangeKind = "changed" if path in planned else "removed"
            result.append(FileChange(path, kind, written.get(path) != digest(before), before, after))
    return tuple(result)


def write_rendered(files: ConfigSet, directory: Path, *, force: bool) -> tuple[FileChange, ...]:
    """Write the files, remove those a former plan had; only with ``force`` what was edited since."""
    planned = pending_changes(files, directory)
    if (edited := [change.path for change in planned if change.edited]) and not force:
        more = f", and {len(edited) - 1} more were" if edited[1:] else ""
        hint = "see --diff; keep your values with `howdah plan --set`, or give --force to overwrite the edits"
        raise UserError(str(directory / edited[0]), f"was edited since howdah wrote it{more}", hint)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=_STAGING, dir=directory))
        try:
            for file in files.files:
                path = staging / file.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(file.content, encoding="utf-8", newline="\n")
                path.chmod(0o755 if file.executable else 0o644)
            digests = {file.path: digest(file.content) for file in files.files}
            text = json.dumps({"howdah": _FORMAT, "files": digests}, indent=1, sort_keys=True)
            (staging / MANIFEST).write_text(text + "\n", encoding="utf-8")
            _move(files, planned, staging, directory)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    except OSError as error:
        hint = "give a writable directory on a disk with free space"
        raise UserError(f"--output {directory}", f"cannot be written: {error.strerror}", hint) from error
    return planned


def _move(files: ConfigSet, planned: tuple[FileChange, ...], staging: Path, directory: Path) -> None:
    for file in files.files:
        target = directory / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        (staging / file.path).replace(target)
    for change in planned:
        if change.kind == "removed":
            (directory / change.path).unlink(missing_ok=True)
            for folder in PurePosixPath(change.path).parents:
                if str(folder) == "." or any((directory / folder).iterdir()):
                    break
                (directory / folder).rmdir()
    # Last, so that after a kill the next run recognises the files as its own.
    (staging / MANIFEST).replace(directory / MANIFEST)


def _manifest(directory: Path) -> Mapping[str, str]:
    """The digests of what howdah wrote here; none for a new or empty directory."""
    manifest, hint = directory / MANIFEST, "give a new directory"
    try:
        if not directory.exists():
            return {}
        if not manifest.exists():
            if any(not path.name.startswith(_STAGING) for path in directory.iterdir()):
                hint = "give a new directory, or one that was rendered before"
                raise UserError(f"--output {directory}", "is not empty, and howdah did not write it", hint)
            return {}
        content = json.loads(manifest.read_text(encoding="utf-8"))
    except NotADirectoryError as error:
        raise UserError(f"--output {directory}", "is not a directory", hint) from error
    except (OSError, ValueError) as error:
        raise UserError(str(manifest), f"cannot be read: {error}", hint) from error
    files = content.get("files") if isinstance(content, dict) else None
    if not isinstance(content, dict) or content.get("howdah") != _FORMAT or not isinstance(files, dict):
        raise UserError(str(manifest), "is not a list of rendered files", hint)
    for path in files:
        # The list names the files to remove, so paths outside the directory are refused.
        if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
            raise UserError(str(manifest), f"{path!r} points outside the directory", hint)
    return {str(path): str(digest) for path, digest in files.items()}


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", errors="surrogateescape")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UserError(str(path), f"cannot be read: {error.strerror}", "move it") from error


def digest(text: str) -> str:
    """SHA-256 of a file's bytes, as the manifest holds it."""
    return hashlib.sha256(text.encode("utf-8", errors="surrogateescape")).hexdigest()


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
    """Check configurations, this machine and probed hosts; with ``to``, what an upgrade requires."""
    config = read_folders(folders) if folders else None
    hosts = [*([probe_host()] if this_host else []), *map(read_host, probes)]
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
    """Write the report as SARIF 2.1.0."""
    shared = Path(os.path.commonpath([folder.absolute() for folder in folders])) if folders else None
    replace_file(path, json.dumps(to_sarif(report, shared), indent=2) + "\n")


class _Fault(NamedTuple):
    key: str
    advice: Advice
    fix: str


def held_plan(plan: ClusterPlan, file: str = "", *, force: bool) -> ClusterPlan:
    """The plan with its faults as advice, unless its values show them; fatal ones must be forced."""
    faults = tuple(_faults(plan))
    fatal = [fault for fault in faults if fault.advice.severity == Severity.MUST.value]
    if fatal and not force:
        raise _refusal(plan, fatal, file)
    cluster = plan.cluster
    broken_rules = {breach.rule for setting in plan.settings for breach in setting.breaks}
    broken_rules |= {advice.rule for advice in cluster.advice}
    printed = dict.fromkeys(fault.advice for fault in faults)
    fresh = (advice for advice in printed if advice.rule not in broken_rules)
    cluster = cluster.model_copy(update={"advice": (*fresh, *cluster.advice)})
    return plan.model_copy(update={"cluster": cluster})


def _faults(plan: ClusterPlan) -> Iterator[_Fault]:
    """What a check of the plan's files would find, then what only the plan's own values say."""
    printed: set[str] = set()
    for check in plan_faults(plan):
        printed.add(check.rule)
        severity = Severity.MUST if check.verdict is CheckVerdict.FAIL else Severity.SHOULD
        text = f"{check.about}: {check.found}; expected {check.expected}"
        advice = Advice(rule=check.rule, severity=severity.value, text=text, source=check.source)
        yield _Fault(check.about, advice, check.fix)
    for setting in plan.settings:
        for breach in setting.breaks:
            if breach.severity != Severity.MAY.value and breach.rule not in printed:
                text = f"{setting.key}: {value_text(setting.value)}; {breach.says}"
                advice = Advice(rule=breach.rule, severity=breach.severity, text=text, source=setting.source)
                yield _Fault(setting.key, advice, f"leave {setting.key} out")


def _refusal(plan: ClusterPlan, fatal: Sequence[_Fault], file: str) -> UserError:
    """One message for all that is fatal, each key once, in the words of a check."""
    by_key = {fault.key: fault for fault in reversed(fatal)}
    first, *more_faults = (by_key[key] for key in dict.fromkeys(fault.key for fault in fatal))
    problem = first.advice.text.removeprefix(f"{first.key}: ")
    if more_faults:
        named = "; ".join(fault.advice.text for fault in more_faults[: _SHOWN - 1])
        more = len(more_faults) - _SHOWN + 1
        problem += f". Also fatal: {named}{f'; and {more} more' if more > 0 else ''}"
    where = f"{file}: {first.key}" if file else _flag(plan, first.key)
    hint = f"{first.fix}; or give --force to write the plan anyway"
    return UserError(where, f"breaks {first.advice.rule}, which is fatal: {problem}", hint)


def _flag(plan: ClusterPlan, key: str) -> str:
    """What the user gave a key with, or else the only value they gave, which then is what breaks it."""
    request = plan.cluster.request
    flags = {override.key: f"--set {override.key}={override.value}" for override in request.overrides}
    if request.replication is not None:
        flags["dfs.replication"] = f"--replication {request.replication}"
    if key in flags:
        return flags[key]
    return f"{next(iter(flags.values()))}: {key}" if len(flags) == 1 else key


def counted(files: ConfigSet) -> list[tuple[str, str, int]]:
    """The files by the folder or the file at the top: its name, what it is for, and how many files it has."""
    return counted_contents(file.path for file in files.files)


def render_plan(path: Path, *, force: bool = False) -> ConfigSet:
    """Read a plan and render it; what is fatal in it is refused, or shown by its README if it is forced."""
    plan = read_plan(path)
    # Names and values that are none are told as such before what they would do is looked at.
    files = render(plan, source_text)
    held = held_plan(plan, str(path), force=force)
    return files if held == plan else render(held, source_text)
