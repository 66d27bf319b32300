"""``howdah lab``: a small data centre on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.exceptions import Exit

from howdah.cli import lab_hosts
from howdah.cli.help import App
from howdah.cli.lab_options import Json, Machine, Name, OfALab, daemons_there, labs, places, progress
from howdah.cli.lab_table import back_text, brought_text, lost_text, status_text
from howdah.cli.output import print_json, show
from howdah.errors import RunFailed
from howdah.lab.commands import KillMode
from howdah.lab.registry import DEFAULT_NAME
from howdah.model.plan_options import parse_choice
from howdah.session.lab import laboratories as session
from howdah.units import parse_bits_per_s, parse_count

if TYPE_CHECKING:
    from howdah.faults.revert import Reverted
    from howdah.lab.active_faults import ActiveFault

EXAMPLES = """
howdah plan examples/hosts-lab.yaml --hypervisor kvm --workers-per-host 2 --replication 2
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
STATUS_EXAMPLES = """
howdah lab status  # shows what runs where, and what a lab cannot reproduce of the plan
howdah lab status --name small --json  # prints that of another lab, for programs
"""
HEAL_EXAMPLES = """
howdah lab heal  # reverts every active fault
"""
START_EXAMPLES = """
howdah lab start h1-2  # starts what howdah lab kill h1-2 ended
"""
DOWN_EXAMPLES = """
howdah lab down  # ends the lab and removes everything it created
howdah lab down --name small --dir /srv/small  # removes one after a restart of the machine
"""
UP_EXAMPLES = """
howdah lab up plan.yaml  # builds it and starts Hadoop; repeated, it restores lost parts
howdah lab up plan.yaml --hosts 2 --link 100Mb/s  # builds two of its hosts, with slow uplinks
howdah lab up plan.yaml --name other --dir /data/other  # builds a second one
howdah lab up b.yaml --name b --beside lab  # builds another lab on the same hosts
"""
KILL_EXAMPLES = """
howdah lab kill h1-2  # stops a worker as a power cut would: it stops answering
howdah lab kill h1  # stops a host with all its workers and masters
howdah lab kill h1-2 datanode  # ends a daemon: the kernel refuses its callers at once
howdah lab kill m1 hmaster  # ends the HMaster
howdah lab kill h1-2 --how process  # ends all processes of a worker, and its link stays up
"""
FAULT_EXAMPLES = """
howdah lab fault "pause regionserver@h1-1 for 20s"  # pauses a daemon, then resumes it
howdah lab fault "kill namenode:active"  # kills the active NameNode; howdah lab heal starts it again
howdah lab fault "cut-link-out worker:h1-1 for 1min"  # drops everything a worker sends
howdah lab fault "slow-disk worker:h1-1 to 5MB/s"  # limits its data disks to a speed
howdah lab fault "lose host:h1 for 30s"  # cuts a host's power
"""
SSH_EXAMPLES = """
howdah lab ssh h1-1  # opens a shell on a worker
howdah lab ssh client -- yarn node -list  # runs a command where jobs are submitted
howdah lab ssh h1-1 -- sh -c 'ls /proc/net; df'  # runs several
"""

app = App(
    help="Build a small data centre on this machine from a plan, with Hadoop and HBase running in it.",
    epilog=EXAMPLES,
    no_args_is_help=True,
)


@app.command(cls=OfALab, epilog=UP_EXAMPLES)
def up(
    plan: Annotated[Path, typer.Argument(help="Plan that `howdah plan` wrote.", metavar="PLAN")],
    *,
    name: Name = DEFAULT_NAME,
    directory: Annotated[
        Path | None,
        typer.Option(
            "--dir", help="New or empty directory for the lab's files. Default: build/NAME.", metavar="DIR"
        ),
    ] = None,
    hosts: Annotated[
        str | None,
        typer.Option(help="Number of hosts with workers, if fewer than the plan's.", metavar="N"),
    ] = None,
    link: Annotated[
        str | None, typer.Option(help="Speed of each host's uplink, such as 1Gb/s.", metavar="SPEED")
    ] = None,
    beside: Annotated[
        str | None,
        typer.Option(
            help="Lab that shares its hosts with this one, as in the plans.",
            metavar="NAME",
            autocompletion=labs,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Build a plan's hosts, workers and masters here, scaled to fit, and start Hadoop and HBase on them.

    As root, each machine gets its own network, limits and disks; otherwise, loopback addresses. Lists all
    differences from the plan. Run it again to restore missing parts.
    """
    # What plans and renders is left to those who build: asking for a status does not wait for it.
    from howdah.session.lab import building  # noqa: PLC0415

    wanted = building.Wanted(
        name=name,
        directory=directory,
        hosts=parse_count(hosts, "--hosts") if hosts is not None else None,
        link_bits_per_s=parse_bits_per_s(link, "--link") if link is not None else None,
        beside=beside,
    )
    with progress(silent=json) as tell:
        brought = building.up(plan, wanted, tell)
    if json:
        print_json(session.status(name).model_dump(mode="json"))
    else:
        show(brought_text(brought))


@app.command(cls=OfALab, epilog=STATUS_EXAMPLES)
def status(name: Name = DEFAULT_NAME, json: Json = False) -> None:
    """Show what runs where, the state of Hadoop and HBase, and which limits match the plan.

    Exits with code 1 if anything is missing or not yet redundant.
    """
    lab_status = session.status(name)
    if json:
        print_json(lab_status.model_dump(mode="json"))
    else:
        show(status_text(lab_status))
    if lab_status.state != "up":
        raise Exit(1)


@app.command(cls=OfALab, epilog=SSH_EXAMPLES)
def ssh(
    machine: Annotated[
        str,
        typer.Argument(
            help="Host name of a worker or master, or `client`, which submits jobs.",
            autocompletion=places,
        ),
    ],
    command: Annotated[
        list[str] | None, typer.Argument(help="Command to run, after `--`. Default: a shell.")
    ] = None,
    name: Name = DEFAULT_NAME,
) -> None:
    """Run a command or a shell on a machine, in its network and limits, with hdfs, yarn and hbase."""
    session.shell(name, machine, command or [])


@app.command(cls=OfALab, epilog=KILL_EXAMPLES)
def kill(
    machine: Machine,
    daemon: Annotated[
        str | None,
        typer.Argument(
            help="Daemon to kill, such as datanode. Default: all daemons and tasks.",
            autocompletion=daemons_there,
        ),
    ] = None,
    how: Annotated[
        str | None,
        typer.Option(
            help="`host`: cuts its link first, so it stops answering; the default for a machine. "
            "`process`: ends only processes, so callers are refused at once; the default for a daemon.",
            autocompletion=lambda: list(KillMode),
            metavar="process|host",
        ),
    ] = None,
    name: Name = DEFAULT_NAME,
) -> None:
    """Kill a machine or one of its daemons; `start` starts it again."""
    lost = session.kill(name, machine, daemon, parse_choice("--how", how, KillMode) if how else None)
    print(lost_text(machine, lost))


@app.command(cls=OfALab, epilog=FAULT_EXAMPLES)
def fault(
    text: Annotated[
        str, typer.Argument(help="Fault to inject: action, target and duration.", metavar="FAULT")
    ],
    name: Name = DEFAULT_NAME,
) -> None:
    """Inject a fault: kill or pause a process, cut or slow a link, slow, fill or fail a disk.

    With `for` the command waits that long, then reverts the fault; otherwise the fault stays until `heal`.
    Each fault is recorded before it is injected, so `heal`, `down` and `howdah run` can revert it even if
    howdah was killed.
    """

    from howdah.faults.lab import inject_from_text  # noqa: PLC0415

    def tell(active: ActiveFault) -> None:
        print(f"{active.fault}: {', '.join(active.hit)}", flush=True)

    undone = inject_from_text(session.state_of(name), text, tell)
    if undone is not None:
        _tell_undone(name, [undone])


@app.command(cls=OfALab, epilog=HEAL_EXAMPLES)
def heal(name: Name = DEFAULT_NAME) -> None:
    """Revert every active fault, and wait until the cluster has recovered; safe to repeat."""
    from howdah.faults.lab import heal_all  # noqa: PLC0415

    with progress(silent=False) as tell:
        undone = heal_all(session.state_of(name), tell)
    if not undone:
        print("no fault is active")
    _tell_undone(name, undone)


def _tell_undone(name: str, undone: Sequence[Reverted]) -> None:
    for one in undone:
        if not one.remaining:
            print(f"{one.fault.fault}: undone")
    left = [f"{one.fault.fault}: {text}" for one in undone for text in one.remaining]
    if left:
        raise RunFailed(
            f'lab "{name}"', "is not whole again", "\n".join([*left, "howdah lab heal tries again"])
        )


app.command(cls=OfALab, epilog=lab_hosts.ADD_EXAMPLES)(lab_hosts.add)
app.command(cls=OfALab, epilog=lab_hosts.REMOVE_EXAMPLES)(lab_hosts.remove)


@app.command(cls=OfALab, epilog=START_EXAMPLES)
def start(machine: Machine, name: Name = DEFAULT_NAME) -> None:
    """Start the missing parts of a machine, its link first, and wait until it has rejoined the cluster."""
    with progress(silent=False) as tell:
        back = session.start(name, machine, tell)
    show(back_text(machine, back))


@app.command(cls=OfALab, epilog=DOWN_EXAMPLES)
def down(
    name: Name = DEFAULT_NAME,
    directory: Annotated[
        Path | None,
        typer.Option(
            "--dir",
            help="Directory of the lab's files; needed after a restart of this machine.",
            metavar="DIR",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Stop the lab's processes and remove everything it created on this machine; safe to repeat."""
    taken = session.down(name, directory)
    if json:
        print_json(
            {"name": name, "found": taken.found, "left": [leftover._asdict() for leftover in taken.left]}
        )
    elif not taken.left:
        print(f'lab "{name}": nothing is left' if taken.found else f'there is no lab "{name}"')
    if taken.left:
        listed = "\n".join(f"{leftover.kind} {leftover.name}: {leftover.why}" for leftover in taken.left)
        raise RunFailed(f'lab "{name}"', "could not be removed completely", listed)
