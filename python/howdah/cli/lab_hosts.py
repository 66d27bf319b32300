"""``howdah lab add`` and ``howdah lab remove``: hosts that come and go while a laboratory works."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from howdah.cli.lab_options import Json, Name, progress
from howdah.cli.output import print_json
from howdah.lab.registry import DEFAULT_NAME
from howdah.session.lab.laboratories import host_names, machine_names
from howdah.units import format_counted, format_seconds

ADD_EXAMPLES = """
howdah lab add h3  # builds a host like the others and starts its daemons
howdah lab add h3 h4 --like h2  # builds two, each like h2
howdah lab ssh client -- hdfs balancer -threshold 5  # then moves data there
"""
REMOVE_EXAMPLES = """
howdah lab remove h1  # waits for its tasks, moves its data, removes the host
howdah lab add h3 && howdah lab remove h1  # replaces a host while a job runs
"""


def _hosts(context: typer.Context, incomplete: str) -> list[str]:
    lab = context.params.get("name") or DEFAULT_NAME
    return [name for name in (*host_names(lab), *machine_names(lab)) if name.startswith(incomplete)]


def add(
    hosts: Annotated[list[str], typer.Argument(help="Names of the new hosts.", metavar="HOST")],
    *,
    like: Annotated[
        str | None,
        typer.Option(
            help="Host to copy. Default: any host, if all are identical.",
            metavar="HOST",
            autocompletion=_hosts,
        ),
    ] = None,
    name: Name = DEFAULT_NAME,
    json: Json = False,
) -> None:
    """Add hosts with workers to a running lab, with its existing settings.

    Adds their names to the lists of hosts, which the masters reload. If interrupted, `howdah lab up`
    continues.
    """
    from howdah.session.lab import hosts as session  # noqa: PLC0415

    began = time.monotonic()
    with progress(silent=json) as tell:
        added = session.add(name, hosts, like, tell)
    took_s = time.monotonic() - began
    machines = [machine.name for machine in added.state.machines if machine.host in added.hosts]
    if json:
        print_json({"name": name, "added": list(added.hosts), "workers": machines, "took_s": took_s})
        return
    print(
        f"{', '.join(added.hosts)}: {format_counted(len(machines), 'worker')} more, "
        f"{format_counted(len(added.started), 'daemon')} started, in {format_seconds(took_s)}"
    )
    for behind in added.behind:
        print(f"not yet: {behind.what}; {behind.remedy}")


def remove(
    hosts: Annotated[
        list[str],
        typer.Argument(help="Hosts to remove.", metavar="HOST", autocompletion=_hosts),
    ],
    name: Name = DEFAULT_NAME,
    json: Json = False,
) -> None:
    """Remove hosts from a running lab, after their data and tasks have moved.

    NodeManagers get no more tasks and DataNodes are decommissioned; nothing stops before every block has its
    replicas elsewhere. Repeat an interrupted command to continue. Hosts with masters cannot be removed.
    """
    from howdah.session.lab import hosts as session  # noqa: PLC0415

    began = time.monotonic()
    with progress(silent=json) as tell:
        removed = session.remove(name, hosts, tell)
    took_s = time.monotonic() - began
    left = sum(machine.kind == "worker" for machine in removed.state.machines)
    if json:
        print_json({"name": name, "removed": list(removed.hosts), "workers": left, "took_s": took_s})
        return
    print(
        f"{', '.join(removed.hosts)}: emptied and removed in {format_seconds(took_s)}; "
        f"{format_counted(left, 'worker')} left"
    )
