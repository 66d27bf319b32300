"""``howdah check``: the planner's rules compared with what exists."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path, PurePath
from typing import Annotated, Any

import typer
from rich.console import RenderableType

from howdah.cli.arguments import AsJson, Libvirt, PasswordFile, VCenter
from howdah.cli.help import App
from howdah.cli.output import show
from howdah.errors import UserError
from howdah.model.existing import Check, CheckReport, CheckVerdict, HostRole
from howdah.model.site import Endpoint
from howdah.report.document import Block, Entries, Heading, Paragraph, TextEntry
from howdah.report.terminal import blocks
from howdah.session import plan_checks as session
from howdah.session import provisioning
from howdah.units import format_counted

_ORDER = (CheckVerdict.FAIL, CheckVerdict.WARN, CheckVerdict.ADVICE, CheckVerdict.UNKNOWN, CheckVerdict.PASS)


def check_table(report: CheckReport, *, everything: bool, advice: bool = False) -> RenderableType:
    """The findings, most damaging first; ``advice`` adds better defaults, ``everything`` also what passes."""
    counts = Counter(check.verdict for check in report.checks)
    advice = advice or everything
    shown = [CheckVerdict.FAIL, CheckVerdict.WARN, *([CheckVerdict.ADVICE] if advice else [])]
    shown += [CheckVerdict.PASS] if everything else []
    parts: list[Block] = []
    for damage, checks in report.groups(*shown).items():
        parts += [Heading(damage), Entries(tuple(map(_finding, checks)))]
    if (better := counts[CheckVerdict.ADVICE]) and not advice:
        values = format_counted(better, "default")
        parts.append(Paragraph(f"howdah would set {values} differently: --advice lists them"))
    if report.ignored:
        names = ", ".join(report.ignored)
        parts.append(Paragraph(f"ignored, because no program reads files with these names: {names}"))
    if unknown := [check for check in report.checks if check.verdict is CheckVerdict.UNKNOWN]:
        parts += [Heading(CheckVerdict.UNKNOWN.value), _unknowns(unknown, everything=everything)]
    sums = " · ".join(f"{counts[verdict]} {verdict.value}" for verdict in _ORDER)
    return blocks(*parts, Paragraph(f"{sums} · {_inspected(report)}"))


def _finding(check: Check) -> TextEntry:
    place = f" in {check.where}" if check.where else ""
    expected = f"; expected {check.expected}" if check.verdict is not CheckVerdict.PASS or check.fix else ""
    lines = [f"{check.found}{expected}", check.why, *([f"fix: {check.fix}"] if check.fix else [])]
    source = f"{check.rule} ({check.source})"
    return TextEntry(check.verdict.value, "\n".join(lines), source, f"{check.about}{place}:")


def _unknowns(checks: Sequence[Check], *, everything: bool) -> Entries:
    """What is missing, and how many rules wait for it: one line for each thing, for the cure is one."""
    rules: dict[str, list[str]] = {}
    for check in checks:
        rules.setdefault(check.expected, []).append(check.rule)
    entries = []
    for missing, waiting in sorted(rules.items(), key=lambda item: -len(item[1])):
        names = list(dict.fromkeys(waiting))
        few = everything or len(names) <= 3
        shown = ", ".join(names if few else [*names[:3], "…"])
        entries.append(TextEntry(format_counted(len(names), "rule"), missing, shown))
    return Entries(tuple(entries))


def _inspected(report: CheckReport) -> str:
    assumed = "assumed: no file names a release; give --hadoop VERSION"
    source = assumed if report.hadoop_from == "default" else report.hadoop_from
    inspected = "" if source == "command line" else f" ({source})"
    files = sum("/" in subject for subject in report.looked_at)
    counts = ((files, "file"), (len(report.looked_at) - files, "host"))
    counted = ", ".join(format_counted(count, noun) for count, noun in counts if count)
    role = f" · as a {report.role.value}'s" if report.role is not None else ""
    reads_hbase = any(PurePath(subject).name == "hbase-site.xml" for subject in report.looked_at)
    hbase = f", HBase {report.hbase}" if reads_hbase else ""
    return f"Hadoop {report.hadoop}{inspected}{hbase} · {counted} read{role}"


app = App()


class Least(StrEnum):
    """The verdict from which on the exit code is 1."""

    FAIL = "fail"
    WARN = "warn"


@app.command("check")
def check(
    *,
    conf: list[Path] | None = None,
    host: bool = False,
    probe: list[Path] | None = None,
    plan: Path | None = None,
    hadoop: str | None = None,
    hbase: str | None = None,
    role: HostRole | None = None,
    vcenter: VCenter = None,
    libvirt: Libvirt = None,
    site: Path = Path("site.yaml"),
    password_file: PasswordFile = None,
    severity: Least = Least.FAIL,
    to: str | None = None,
    java: int | None = None,
    advice: bool = False,
    everything: Annotated[bool, typer.Option("--all")] = False,
    json: AsJson = False,
    sarif: Path | None = None,
) -> None:
    """Check a configuration, this machine and saved probes against the rules.

    Every finding has its rule, evidence and fix. The exit code is 1 if a rule fails (with
    --severity warn also for warnings), 2 if the input cannot be read, and otherwise 0.

    Options:
      --conf, -c DIR  Configuration directory of Hadoop or HBase; repeatable.
      --host  Check this machine. This is the default.
      --probe FILE  Machine to check, as a file that `howdah probe` wrote; repeatable.
      --plan FILE  Plan to compare with: shows what has drifted from it.
      --hadoop VERSION  Hadoop release, 2.7 to 3.5. Default: from the plan, HADOOP_HOME or the files.
      --hbase VERSION  HBase release. Default: the plan's.
      --role  Role of the machine these files are for: leaves out keys that only other machines read. Default:
          detected for clients, otherwise the whole cluster.
      --site FILE  Site file that the machines were created with.
      --severity  Exit with code 1 for findings of this severity or worse.
      --to VERSION  List what an upgrade to this Hadoop release requires you to change.
      --java MAJOR  Java version after the upgrade, with --to.
      --advice  Also list defaults that howdah would replace.
      --all  Also list checks that pass.
      --sarif FILE  Also write SARIF 2.1.0 to this file.
    Examples:
      howdah check  # checks this machine
      howdah check --conf /etc/hadoop/conf --host  # checks a worker: its configuration and the machine
      howdah check --conf /etc/hadoop/conf --plan plan.yaml  # shows what differs from a plan
      howdah check --probe worker-7.yaml --all  # checks another machine, and lists what passes too
      howdah check --conf conf --to 3.5.0 --java 17  # lists what an upgrade requires
      howdah check --conf client-conf --role client  # leaves out what only daemons read
      howdah check --conf conf --sarif check.sarif --severity warn  # writes SARIF for a CI system
      howdah check --vcenter vc.example.com --plan plan.yaml  # checks the plan's virtual machines
    """
    folders, probes, endpoint = conf or [], probe or [], Endpoint(vcenter, libvirt)
    machines = vcenter is not None or libvirt is not None
    this_host = host or not (folders or probes or machines)
    releases: dict[str, Any] = {"hadoop": hadoop, "hbase": hbase, "to": to, "java": java}
    hosts: dict[str, Any] = {"this_host": this_host, "probes": probes}
    report = session.check(folders=folders, plan_path=plan, role=role, **hosts, **releases)
    if machines:
        # pyVmomi takes long to import, and few checks need it.
        from howdah.cli.provision import password  # noqa: PLC0415

        if plan is None:
            hint = "give the plan that the machines were made for"
            raise UserError("--plan", "is missing: howdah cannot know which machines to compare", hint)
        requested = provisioning.requested_machines(plan, site, endpoint)
        secret = password(requested, endpoint, password_file)
        report = provisioning.with_machines(report, requested, endpoint, secret)
    if sarif is not None:
        session.write_sarif(report, folders, sarif)
    if json:
        sys.stdout.write(report.model_dump_json(indent=2) + "\n")
    else:
        show(check_table(report, everything=everything, advice=advice))
    worst = {CheckVerdict.FAIL} if severity is Least.FAIL else {CheckVerdict.FAIL, CheckVerdict.WARN}
    if any(entry.verdict in worst for entry in report.checks):
        raise typer.Exit(1)
