"""``howdah lab``: a small data centre on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from typer.exceptions import Exit

from howdah.cli.arguments import AsJson, PlanFile
from howdah.cli.help import App
from howdah.cli.lab_table import back_text, brought_text, lost_text, status_text
from howdah.cli.output import answer, print_json, show
from howdah.errors import RunFailed
from howdah.model.cluster import DEFAULT_LAB, LAB_CLIENT, KillMode
from howdah.model.plan_options import parse_choice
from howdah.session import laboratories as session
from howdah.units import format_counted, format_seconds, parse_bits_per_s, parse_count

if TYPE_CHECKING:
    from howdah.faults.revert import Reverted
    from howdah.lab.faults import ActiveFault

_MACHINE = "Host name of a worker or master, or a host with all its machines."


EXAMPLES = """
howdah plan examples/hosts-lab.yaml --hypervisor kvm --workers-per-host 2 --replication 2 \
--workload terasuite:1GB
howdah lab up plan.yaml  # builds its hosts and workers on this machine and starts Hadoop on them
howdah lab status  # shows what runs where, and what a lab cannot reproduce of the plan
howdah lab down  # ends the lab and removes everything it created
howdah lab up plan.yaml --link 100Mb/s  # gives each host a slower uplink
howdah lab ssh h1-1 -- hdfs dfs -ls /  # runs a command on a worker; without one it opens a shell
howdah lab kill h1-2  # stops a worker as a power cut would
howdah lab kill h1-2 datanode  # ends one daemon
howdah lab start h1-2  # starts again what is missing
howdah lab fault "pause regionserver@h1-1 for 20s"  # pauses a daemon, then resumes it
howdah lab add h3  # adds a host
howdah lab remove h1  # decommissions a host and removes it
"""
app = App(
    help="Build a small data centre on this machine from a plan, with Hadoop and HBase running in it.",
    epilog=EXAMPLES,
    no_args_is_help=True,
)


def _lab(context: typer.Context) -> str:
    return context.params.get("name") or DEFAULT_LAB


def _machines_and_hosts(context: typer.Context) -> list[str]:
    return [*session.machine_names(_lab(context)), *session.host_names(_lab(context))]


def _daemons(context: typer.Context) -> list[str]:
    return session.daemon_names(_lab(context), context.params.get("machine") or "")


Name = Annotated[
    str, typer.Option("--name", help="Name of the lab.", autocompletion=lambda: list(session.names()))
]
Machine = Annotated[str, typer.Argument(help=_MACHINE, autocompletion=_machines_and_hosts)]


@app.command(complete={"beside": lambda: list(session.names())})
def up(
    plan: PlanFile,
    *,
    name: Name = DEFAULT_LAB,
    directory: Annotated[Path | None, typer.Option("--dir")] = None,
    hosts: str | None = None,
    link: str | None = None,
    beside: str | None = None,
    json: AsJson = False,
) -> None:
    """Build a plan's hosts, workers and masters here, scaled to fit, and start Hadoop and HBase on them.

    As root, each machine gets its own network, limits and disks; otherwise, loopback addresses. Lists all
    differences from the plan. Run it again to restore missing parts.

    Options:
      --dir DIR  New or empty directory for the lab's files. Default: build/NAME.
      --hosts N  Number of hosts with workers, if fewer than the plan's.
      --link SPEED  Speed of each host's uplink, such as 1Gb/s.
      --beside NAME  Lab that shares its hosts with this one, as in the plans.
    Examples:
      howdah lab up plan.yaml  # builds it and starts Hadoop; repeated, it restores lost parts
      howdah lab up plan.yaml --hosts 2 --link 100Mb/s  # builds two of its hosts, with slow uplinks
      howdah lab up plan.yaml --name other --dir /data/other  # builds a second one
      howdah lab up b.yaml --name b --beside lab  # builds another lab on the same hosts
    """
    count = parse_count(hosts, "--hosts") if hosts is not None else None
    link_bits_per_s = parse_bits_per_s(link, "--link") if link is not None else None
    requested = session.LabOptions(name, directory, count, link_bits_per_s, neighbour=beside)
    with progress(silent=json) as report:
        brought = session.up(plan, requested, report)
    if json:
        print_json(session.status(name).model_dump(mode="json"))
    else:
        show(brought_text(brought))


@app.command()
def status(name: Name = DEFAULT_LAB, json: AsJson = False) -> None:
    """Show what runs where, the state of Hadoop and HBase, and which limits match the plan.

    Exits with code 1 if anything is missing or not yet redundant.

    Examples:
      howdah lab status  # shows what runs where, and what a lab cannot reproduce of the plan
      howdah lab status --name small --json  # prints that of another lab, for programs
    """
    lab_status = session.status(name)
    answer(lab_status.model_dump(mode="json"), status_text(lab_status), json=json)
    if lab_status.state != "up":
        raise Exit(1)


@app.command(complete={"machine": lambda ctx: [*session.machine_names(_lab(ctx)), LAB_CLIENT]})
def ssh(machine: str, command: list[str] | None = None, name: Name = DEFAULT_LAB) -> None:
    """Run a command or a shell on a machine, in its network and limits, with hdfs, yarn and hbase.

    Arguments:
      MACHINE  Host name of a worker or master, or `client`, which submits jobs.
      COMMAND  Command to run, after `--`. Default: a shell.
    Examples:
      howdah lab ssh h1-1  # opens a shell on a worker
      howdah lab ssh client -- yarn node -list  # runs a command where jobs are submitted
      howdah lab ssh h1-1 -- sh -c 'ls /proc/net; df'  # runs several
    """
    session.shell(name, machine, command or [])


@app.command(complete={"daemon": _daemons, "how": lambda: list(KillMode)})
def kill(
    machine: Machine, daemon: str | None = None, how: str | None = None, name: Name = DEFAULT_LAB
) -> None:
    """Kill a machine or one of its daemons; `start` starts it again.

    Arguments:
      DAEMON  Daemon to kill, such as datanode. Default: all daemons and tasks.
    Options:
      --how process|host  `host`: cuts its link first, so it stops answering; the default for a machine.
          `process`: ends only processes, so callers are refused at once; the default for a daemon.
    Examples:
      howdah lab kill h1-2  # stops a worker as a power cut would: it stops answering
      howdah lab kill h1  # stops a host with all its workers and masters
      howdah lab kill h1-2 datanode  # ends a daemon: the kernel refuses its callers at once
      howdah lab kill m1 hmaster  # ends the HMaster
      howdah lab kill h1-2 --how process  # ends all processes of a worker, and its link stays up
    """
    mode = parse_choice("--how", how, KillMode) if how else None
    print(lost_text(machine, session.kill(name, machine, daemon, mode)))


@app.command()
def fault(text: str, name: Name = DEFAULT_LAB) -> None:
    """Inject a fault: kill or pause a process, cut or slow a link, slow, fill or fail a disk.

    With `for` the command waits that long, then reverts the fault; otherwise the fault stays until `heal`.
    Each fault is recorded before it is injected, so `heal`, `down` and `howdah run` can revert it even if
    howdah was killed.

    Arguments:
      FAULT  Fault to inject: action, target and duration.
    Examples:
      howdah lab fault "pause regionserver@h1-1 for 20s"  # pauses a daemon, then resumes it
      howdah lab fault "kill namenode:active"  # kills the active NameNode; howdah lab heal starts it again
      howdah lab fault "cut-link-out worker:h1-1 for 1min"  # drops everything a worker sends
      howdah lab fault "slow-disk worker:h1-1 to 5MB/s"  # limits its data disks to a speed
      howdah lab fault "lose host:h1 for 30s"  # cuts a host's power
    """

    def report(active: ActiveFault) -> None:
        print(f"{active.fault}: {', '.join(active.hit)}", flush=True)

    back = session.inject(name, text, report)
    if back is not None:
        _report_reverted(name, [back])


@app.command(epilog="howdah lab heal  # reverts every active fault")
def heal(name: Name = DEFAULT_LAB) -> None:
    """Revert every active fault, and wait until the cluster has recovered; safe to repeat."""
    with progress(silent=False) as report:
        reverted_faults = session.heal(name, report)
    if not reverted_faults:
        print("no fault is active")
    _report_reverted(name, reverted_faults)


def _report_reverted(name: str, faults: Sequence[Reverted]) -> None:
    for reverted in faults:
        if not reverted.remaining:
            print(f"{reverted.fault.fault}: undone")
    remaining = [f"{reverted.fault.fault}: {text}" for reverted in faults for text in reverted.remaining]
    if remaining:
        hint = "\n".join([*remaining, "howdah lab heal tries again"])
        raise RunFailed(f'lab "{name}"', "is not whole again", hint)


@app.command(complete={"like": _machines_and_hosts})
def add(hosts: list[str], *, like: str | None = None, name: Name = DEFAULT_LAB, json: AsJson = False) -> None:
    """Add hosts with workers to a running lab, with its existing settings.

    Adds their names to the lists of hosts, which the masters reload. If interrupted, `howdah lab up`
    continues.

    Arguments:
      HOST  Names of the new hosts.
    Options:
      --like HOST  Host to copy. Default: any host, if all are identical.
    Examples:
      howdah lab add h3  # builds a host like the others and starts its daemons
      howdah lab add h3 h4 --like h2  # builds two, each like h2
      howdah lab ssh client -- hdfs balancer -threshold 5  # then moves data there
    """
    began = time.monotonic()
    with progress(silent=json) as report:
        added = session.add(name, hosts, like, report)
    took_s = time.monotonic() - began
    machines = [machine.name for machine in added.state.machines if machine.host in hosts]
    if json:
        print_json({"name": name, "added": hosts, "workers": machines, "took_s": took_s})
        return
    workers, daemons = format_counted(len(machines), "worker"), format_counted(len(added.started), "daemon")
    print(f"{', '.join(hosts)}: {workers} more, {daemons} started, in {format_seconds(took_s)}")
    for behind in added.behind:
        print(f"not yet: {behind.what}; {behind.remedy}")


@app.command(complete={"hosts": _machines_and_hosts})
def remove(hosts: list[str], name: Name = DEFAULT_LAB, json: AsJson = False) -> None:
    """Remove hosts from a running lab, after their data and tasks have moved.

    NodeManagers get no more tasks and DataNodes are decommissioned; nothing stops before every block has its
    replicas elsewhere. Repeat an interrupted command to continue. Hosts with masters cannot be removed.

    Arguments:
      HOST  Hosts to remove.
    Examples:
      howdah lab remove h1  # waits for its tasks, moves its data, removes the host
      howdah lab add h3 && howdah lab remove h1  # replaces a host while a job runs
    """
    began = time.monotonic()
    with progress(silent=json) as report:
        state = session.remove(name, hosts, report)
    took_s = time.monotonic() - began
    workers = sum(machine.kind == "worker" for machine in state.machines)
    if json:
        print_json({"name": name, "removed": hosts, "workers": workers, "took_s": took_s})
        return
    remaining, took = format_counted(workers, "worker"), format_seconds(took_s)
    print(f"{', '.join(hosts)}: emptied and removed in {took}; {remaining} left")


@app.command(epilog="howdah lab start h1-2  # starts what howdah lab kill h1-2 ended")
def start(machine: Machine, name: Name = DEFAULT_LAB) -> None:
    """Start the missing parts of a machine, its link first, and wait until it has rejoined the cluster."""
    with progress(silent=False) as report:
        back = session.start(name, machine, report)
    show(back_text(machine, back))


@app.command()
def down(
    name: Name = DEFAULT_LAB,
    directory: Annotated[Path | None, typer.Option("--dir")] = None,
    json: AsJson = False,
) -> None:
    """Stop the lab's processes and remove everything it created on this machine; safe to repeat.

    Options:
      --dir DIR  Directory of the lab's files; needed after a restart of this machine.
    Examples:
      howdah lab down  # ends the lab and removes everything it created
      howdah lab down --name small --dir /srv/small  # removes one after a restart of the machine
    """
    taken = session.down(name, directory)
    if json:
        leftovers = [leftover._asdict() for leftover in taken.leftovers]
        print_json({"name": name, "found": taken.existed, "left": leftovers})
    elif not taken.leftovers:
        print(f'lab "{name}": nothing is left' if taken.existed else f'there is no lab "{name}"')
    if taken.leftovers:
        listed = "\n".join(f"{leftover.kind} {leftover.name}: {leftover.why}" for leftover in taken.leftovers)
        raise RunFailed(f'lab "{name}"', "could not be removed completely", listed)


@contextmanager
def progress(*, silent: bool) -> Iterator[Callable[[str], None]]:
    """A moving line in a terminal, one for each step in a pipe."""
    console = Console(stderr=True, highlight=False, quiet=silent)
    if console.is_terminal:
        with console.status("") as moving:
            yield moving.update
        return
    last = ""

    def report(text: str) -> None:
        nonlocal last
        if text != last:
            console.print(text, soft_wrap=True)
        last = text

    yield report
