"""``howdah inventory``: the hosts one has."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from howdah.cli.arguments import AsJson, SchemaFile
from howdah.cli.help import App
from howdah.cli.output import print_json, show, show_notice, write_text
from howdah.errors import UserError
from howdah.model.inventory import DiskRole, HostGroup, Inventory, Serves
from howdah.report.document import Table
from howdah.report.terminal import blocks
from howdah.session import inventories as session
from howdah.session import schemas
from howdah.units import exact_bits_per_s, format_bytes, format_counted, format_memory

EXAMPLES = """
howdah probe -o w001.yaml  # on each host: describes it
howdah inventory add w*.yaml -o hosts.yaml  # makes one inventory of these files
howdah inventory check hosts.yaml  # reports errors line by line, or a summary
howdah inventory import --conf /etc/hadoop/conf -o hosts.yaml  # reads hosts from a running cluster
howdah inventory schema -o inventory.schema.json  # lets an editor complete and check it
"""
_SERVES: tuple[Serves, ...] = ("any", "workers", "masters")


def groups_table(inventory: Inventory) -> Table:
    """One line for each group, and their sum; data disks count where workers may be placed."""
    groups = inventory.groups
    hosts, threads, memory_bytes, disks, data_bytes = _totals(inventory).values()
    racks = str(len({rack for group in groups for rack in group.racks}) or "–")
    sums = (f"{hosts:,}", f"{threads:,} threads", format_memory(memory_bytes), f"{disks:,}")
    total = ("in all", *sums, format_bytes(data_bytes), "", racks, "")
    columns = ("group", "hosts", "cpus", "memory", "data disks", "raw", "network", "racks", "serves")
    return Table(columns, (*map(_row, groups), total), strong=frozenset({len(groups)}))


def _row(group: HostGroup) -> tuple[str, ...]:
    cpu = group.cpu
    disks = [disk for disk in group.disks if disk.role is DiskRole.DATA]
    cpus = f"{cpu.sockets} × {cpu.cores_per_socket} × {cpu.threads_per_core}"
    data = " + ".join(f"{disk.count} × {format_bytes(disk.size_bytes)} {disk.kind}" for disk in disks) or "–"
    network = " + ".join(f"{nic.count} × {exact_bits_per_s(nic.speed_bits_per_s)}" for nic in group.nics)
    memory, raw = format_memory(group.memory_bytes), format_bytes(group.data_bytes)
    racks = str(len(group.racks) or "–")
    return (group.name, f"{group.count:,}", cpus, memory, data, raw, network, racks, group.serves)


app = App(
    help="Create and check the list of hosts that `howdah plan` reads.", epilog=EXAMPLES, no_args_is_help=True
)


@app.command()
def check(file: Path, json: AsJson = False) -> None:
    """Check an inventory: list every error with its line and column, or show its groups and warnings.

    Arguments:
      HOSTS.YAML  Inventory to check.
    Examples:
      howdah inventory check hosts.yaml  # reports every error with its line, or a summary
      howdah inventory check hosts.yaml --json  # prints groups and totals for programs
    """
    inventory, notices = session.check(file)
    if json:
        content = inventory.model_dump(mode="json", exclude_none=True)
        warnings = [notice.model_dump() for notice in notices]
        print_json({"inventory": content, "totals": _totals(inventory), "notices": warnings})
        return
    show(blocks(groups_table(inventory)))
    for notice in notices:
        source = f" ({notice.source})" if notice.source else ""
        show_notice("notice", f"{notice.group}: {notice.text}{source}", stderr=False)


def _totals(inventory: Inventory) -> dict[str, int]:
    return {
        "hosts": inventory.host_count,
        "threads": sum(group.count * group.cpu.threads for group in inventory.groups),
        "memory_bytes": sum(group.count * group.memory_bytes for group in inventory.groups),
        "data_disks": sum(group.count * group.data_disks for group in inventory.worker_groups),
        "data_bytes": sum(group.count * group.data_bytes for group in inventory.worker_groups),
    }


@app.command(complete={"serves": lambda: list(_SERVES)})
def add(
    probes: list[Path], output: Path | None = None, group: str | None = None, serves: str | None = None
) -> None:
    """Add probed hosts to an inventory, with identical hosts in one group; keep comments and order.

    Arguments:
      PROBE  Files that `howdah probe` wrote, YAML or JSON.
    Options:
      --output, -o  Inventory to extend or create. Default: print it.
      --group  Group for these hosts, if they are identical.
      --serves  Roles these hosts may have: any, workers, masters.
    Examples:
      howdah inventory add w*.yaml -o hosts.yaml  # adds the files that howdah probe wrote on each host
      howdah inventory add m1.yaml --group masters --serves masters -o hosts.yaml
          # adds a host for masters only
    """
    chosen = next((service for service in _SERVES if service == serves), None)
    if serves is not None and chosen is None:
        raise UserError("--serves", f"unknown value {serves!r}", f"one of {', '.join(_SERVES)}")
    text, additions = session.add_probes(probes, output, group=group, serves=chosen)
    _write(text, output)
    for addition in additions:
        name, count = addition.group.name, format_counted(addition.hosts, "host")
        print(f"{name}: {count} {'more' if addition.existing else 'in a new group'}", file=sys.stderr)
        if addition.existing:
            continue  # What there is to ask was asked when the group was new.
        notes = [f"{path[0]}: {note}" for path, note in addition.comments.items()]
        for note in (*notes, *(f"left out: {note}" for note in addition.left_out)):
            show_notice("notice", f"{name}: {note}")


def _write(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
    else:
        session.save(output, text)


@app.command("import")
def import_cluster(  # noqa: PLR0917 - typer makes options of parameters
    conf: Annotated[Path, typer.Option(envvar="HADOOP_CONF_DIR")],
    output: Path | None = None,
    workload_output: Path | None = None,
    days: Annotated[int, typer.Option(min=1, max=366)] = 7,
    nic: str | None = None,
    disk_kind: str | None = None,
    probe: list[Path] | None = None,
) -> None:
    """Create an inventory from a running cluster.

    Queries the NameNode, the ResourceManager, each DataNode and the history server, and changes nothing.
    Facts they do not report (sockets, kinds of disks, network speed) are assumed, and marked in the
    terminal and in the file.

    Options:
      --conf DIR  Client's configuration directory.
      --output, -o  File for the inventory. Default: print it.
      --workload-output  File for a summary of finished jobs, for `howdah plan --workload @FILE`.
      --days  Number of days of finished jobs to read.
      --nic SPEED  Speed of each host's network port, such as 10Gb/s.
      --disk-kind KIND  Kind of the data disks: hdd, ssd or nvme.
      --probe  File that `howdah probe` wrote on one host; describes all identical hosts.
    Examples:
      howdah inventory import --conf /etc/hadoop/conf -o hosts.yaml
      howdah inventory import -o hosts.yaml --nic 10Gb/s --disk-kind hdd  # adds what daemons do not report
      howdah inventory import -o hosts.yaml --workload-output work.yaml --days 30
          # reads last month's jobs too
      howdah plan hosts.yaml --workload @work.yaml  # then plans for these jobs
    """
    imported = session.import_cluster(
        conf,
        disk_kind=disk_kind,
        nic=nic,
        probe_files=probe or (),
        days=days,
        with_work=workload_output is not None,
    )
    _write(imported.text, output)
    for group, count in imported.hosts.items():
        print(f"{group}: {format_counted(count, 'host')}", file=sys.stderr)
        for note in imported.notes:
            if note.group == group:
                show_notice("assumed" if note.assumed else "notice", f"{group}: {note.text}")
    for host in imported.dead:
        show_notice("down", f"{host}: not listed")
    for missing in imported.unread:
        show_notice("missing", f"{missing.what}: {missing.why}")
    if workload_output is not None and imported.work is not None:
        session.save_work(workload_output, imported.work)
        largest = format_bytes(imported.work.largest_input_bytes)
        jobs = format_counted(imported.work.finished_jobs, "finished job")
        print(f"{workload_output}: {jobs}, the largest read {largest}", file=sys.stderr)


@app.command(epilog="howdah inventory schema -o inventory.schema.json  # writes it for an editor")
def schema(output: SchemaFile = None) -> None:
    """Print the JSON schema of inventories (draft 2020-12), for editors that complete and check them."""
    write_text(schemas.schema("inventory"), output)
