"""``howdah inventory import``: the hosts of a cluster that runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from howdah.units import format_bytes, format_counted, parse_bits_per_s

EXAMPLES = """
howdah inventory import --conf /etc/hadoop/conf -o hosts.yaml
howdah inventory import -o hosts.yaml --nic 10Gb/s --disk-kind hdd  # adds what daemons do not report
howdah inventory import -o hosts.yaml --workload-output work.yaml --days 30  # reads last month's jobs too
howdah plan hosts.yaml --workload @work.yaml  # then plans for these jobs
"""


def import_cluster(  # noqa: PLR0917 - typer makes options of parameters
    conf: Annotated[
        Path,
        typer.Option(help="Client's configuration directory.", metavar="DIR", envvar="HADOOP_CONF_DIR"),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File for the inventory. Default: print it."),
    ] = None,
    workload_output: Annotated[
        Path | None,
        typer.Option(help="File for a summary of finished jobs, for `howdah plan --workload @FILE`."),
    ] = None,
    days: Annotated[int, typer.Option(help="Number of days of finished jobs to read.", min=1, max=366)] = 7,
    nic: Annotated[
        str | None, typer.Option(help="Speed of each host's network port, such as 10Gb/s.")
    ] = None,
    disk_kind: Annotated[str | None, typer.Option(help="Kind of the data disks: hdd, ssd or nvme.")] = None,
    probe: Annotated[
        list[Path] | None,
        typer.Option(help="File that `howdah probe` wrote on one host; describes all identical hosts."),
    ] = None,
) -> None:
    """Create an inventory from a running cluster.

    Queries the NameNode, the ResourceManager, each DataNode and the history server, and changes nothing.
    Facts they do not report (sockets, kinds of disks, network speed) are assumed, and marked in the
    terminal and in the file.
    """
    # Asking daemons takes more modules than the other commands of this group need.
    from howdah.session.plan import importing as session  # noqa: PLC0415
    from howdah.session.plan.inventories import save  # noqa: PLC0415

    given = session.Given(
        disk_kind=None if disk_kind is None else session.kind_of_disk(disk_kind),
        nic_bits_per_s=None if nic is None else parse_bits_per_s(nic, "--nic"),
    )
    imported = session.import_cluster(
        conf, given=given, probe_files=probe or (), days=days, with_work=workload_output is not None
    )
    if output is None:
        sys.stdout.write(imported.text)
    else:
        save(output, imported.text)
    for group in imported.groups:
        print(f"{group.group.name}: {format_counted(group.hosts, 'host')}", file=sys.stderr)
        for path, text in group.asked.items():
            assumed = text.startswith(session.ASSUMED)
            said = text.removeprefix(session.ASSUMED).strip()
            _say("assumed" if assumed else "notice", "yellow", f"{group.group.name}: {path[0]}: {said}")
    for host in imported.dead:
        _say("down", "red", f"{host}: not listed")
    for missing in imported.unread:
        _say("missing", "red", f"{missing.what}: {missing.why}")
    if workload_output is not None and imported.work is not None:
        save(workload_output, session.work_text(imported.work))
        largest = format_bytes(imported.work.largest_input_bytes)
        jobs = format_counted(imported.work.finished_jobs, "finished job")
        print(f"{workload_output}: {jobs}, the largest read {largest}", file=sys.stderr)


def _say(word: str, style: str, text: str) -> None:
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(Text.assemble((f"{word}  ", style), text))
