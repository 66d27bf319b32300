"""``howdah deploy``: hosts made the planned cluster over ssh."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from typer.exceptions import Exit

from howdah.cli.asking import agree, check_json
from howdah.cli.deploy_flags import disks_of_hosts, mirror_address, not_with, secret, ssh_config_file
from howdah.cli.deploy_table import deployed_text, diff_text, pending_text, status_text, wrong_table
from howdah.cli.help import App, Details
from howdah.cli.output import print_json, show
from howdah.errors import UserError
from howdah.session.deploy import deploying as session
from howdah.session.deploy.deploying import SshLogin
from howdah.session.deploy.order import switch
from howdah.session.deploy.project import read_target
from howdah.session.deploy.states import Deployed, DeployOptions
from howdah.units import format_counted

EXAMPLES = """
howdah deploy plan.yaml --diff  # shows what would change on each host, and changes nothing
howdah deploy plan.yaml  # shows the changes, prompts, then deploys the plan's cluster
howdah deploy plan.yaml --status  # shows what runs on each host, and with which configuration
howdah deploy plan.yaml --yes  # skips the prompt, for CI; repeated, it changes only differences
howdah deploy larger.yaml --add w17  # deploys a plan with one more host
howdah deploy smaller.yaml --remove w17  # decommissions a host that is no longer in the plan, then stops it
howdah deploy plan.yaml --rollback  # restores the former configuration
howdah deploy newer.yaml  # upgrades to the release of a newer plan while HDFS works
howdah deploy newer.yaml --finalize  # ends that upgrade: no rollback afterwards
howdah deploy plan.yaml --stop --host h1  # stops the daemons of a host, to service it
howdah deploy plan.yaml --start --host h1  # starts them again
howdah deploy plan.yaml --secrets secrets  # copies keytabs and key stores, for a secure plan
howdah deploy plan.yaml --mirror http://mirror.example.com/howdah  # lets hosts fetch releases from there
"""
REACHING = Details("Reaching hosts")
INSTEAD = "Instead of deploying"

app = App()


@app.command("deploy", epilog=EXAMPLES)
def deploy(
    plan: Annotated[Path, typer.Argument(help="Plan that `howdah plan` wrote.", metavar="PLAN")],
    *,
    diff: Annotated[
        bool,
        typer.Option(
            "--diff", help="Show what would change without changing anything.", rich_help_panel=INSTEAD
        ),
    ] = False,
    status: Annotated[
        bool,
        typer.Option(
            "--status",
            help="Show the state of every host. Exit with code 1 unless all is well.",
            rich_help_panel=INSTEAD,
        ),
    ] = False,
    stop: Annotated[bool, typer.Option("--stop", help="Stop all daemons.", rich_help_panel=INSTEAD)] = False,
    start: Annotated[
        bool,
        typer.Option(
            "--start", help="Start all daemons with the installed configuration.", rich_help_panel=INSTEAD
        ),
    ] = False,
    rollback: Annotated[
        bool,
        typer.Option(
            "--rollback", help="Restore the previous configuration and release.", rich_help_panel=INSTEAD
        ),
    ] = False,
    finalize: Annotated[
        bool,
        typer.Option(
            "--finalize",
            help="Finalize an upgrade of HDFS; it cannot be rolled back afterwards.",
            rich_help_panel=INSTEAD,
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Skip the confirmation prompt.")] = False,
    host: Annotated[
        list[str] | None,
        typer.Option(
            "--host",
            metavar="HOST",
            help="With --stop or --start: only this host, whose masters fail over first; repeatable.",
            rich_help_panel=INSTEAD,
        ),
    ] = None,
    downtime: Annotated[
        bool,
        typer.Option(
            "--downtime",
            help="Restart daemons together for values that cannot change while they run, and let "
            "HDFS stop while its only NameNode is upgraded.",
        ),
    ] = False,
    add: Annotated[
        list[str] | None,
        typer.Option(
            "--add",
            metavar="HOST",
            help="Host to add; hosts that you do not name must already belong to the cluster. Repeatable.",
        ),
    ] = None,
    remove: Annotated[
        list[str] | None,
        typer.Option(
            "--remove",
            metavar="HOST",
            help="Host to decommission and stop because the plan no longer lists it. Repeatable.",
        ),
    ] = None,
    disks: Annotated[
        list[str] | None,
        typer.Option(
            "--disks",
            metavar="HOST=DEVICE,…",
            help="Data disks of a host that has more empty disks than it needs. Repeatable.",
        ),
    ] = None,
    mirror: Annotated[
        str,
        typer.Option(
            "--mirror",
            metavar="URL",
            help="Mirror that hosts fetch releases from. Default: this machine serves them.",
        ),
    ] = "",
    secrets: Annotated[
        Path | None,
        typer.Option(
            "--secrets",
            metavar="DIR",
            help="Directory of keytabs and key stores for a plan with Kerberos:  DIR/HOST/FILE, or DIR/FILE "
            "for all hosts.",
        ),
    ] = None,
    ssh_config: Annotated[
        Path | None,
        typer.Option(
            "--ssh-config",
            metavar="FILE",
            help="ssh configuration with users, keys and jump hosts. Default: ssh's own files.",
            rich_help_panel=REACHING,
        ),
    ] = None,
    ssh_password_file: Annotated[
        str | None,
        typer.Option(
            "--ssh-password-file",
            metavar="FILE",
            help="File with the login password, or - for a prompt.",
            rich_help_panel=REACHING,
        ),
    ] = None,
    sudo_password_file: Annotated[
        str | None,
        typer.Option(
            "--sudo-password-file",
            metavar="FILE",
            help="File with the password for sudo, or - for a prompt.",
            rich_help_panel=REACHING,
        ),
    ] = None,
    forks: Annotated[
        int,
        typer.Option(help="Number of hosts to work on at the same time.", min=1, rich_help_panel=REACHING),
    ] = 50,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Deploy the planned cluster over ssh: users, disks, releases, configuration, daemons in order.

    Inspects all hosts first. If it finds any problem, it lists all problems and changes nothing.
    Otherwise it shows every change and makes the changes once you agree.
    Hosts record what was done, so the command continues where an interrupted one stopped. Uses Ansible.
    """
    instead = {"--status": status, "--stop": stop, "--start": start, "--finalize": finalize}
    changing = {"--rollback": rollback, "--secrets": secrets is not None, "--downtime": downtime}
    changing |= {"--add": bool(add), "--remove": bool(remove), "--mirror": bool(mirror)}
    not_with({"--diff": diff, **changing}, instead)
    if host and not (stop or start):
        raise UserError("--host", "names the host to stop or start", "give it with --stop or --start")
    check_json(json=json, yes=yes, shows=diff or status, look="" if stop or start or finalize else "--diff")
    login = SshLogin(
        ssh_config=ssh_config_file(ssh_config),
        ssh_password=secret("--ssh-password-file", ssh_password_file, "password for ssh: "),
        sudo_password=secret("--sudo-password-file", sudo_password_file, "password for sudo: "),
        forks=forks,
    )
    asked = DeployOptions(
        login=login,
        mirror=mirror_address(mirror),
        disks=disks_of_hosts(disks or ()),
        secrets=secrets,
        add=add or (),
        remove=remove or (),
        only_look=diff,
        diff=diff,
        rollback=rollback,
        downtime=downtime,
    )
    target = read_target(plan)
    with _telling() as (tell, paused):

        def agree_to(change: Deployed) -> None:
            if not yes:
                with paused():
                    show(pending_text(change))
                    agree(f"Apply these changes to cluster {change.cluster}?", yes=yes)

        if status:
            states = session.status(target, asked, tell)
        elif stop or start:
            playbook = "stop" if stop else "start"
            done = switch(target, asked, tell, agree_to, playbook=playbook, hosts=host or ())
        elif finalize:
            done = session.finalize(target, asked, tell, agree_to)
        else:
            done = session.deploy(target, asked, tell, agree_to)
    if status:
        print_json(states.for_programs()) if json else show(status_text(states))
        raise Exit(0 if states.well else 1)
    if json:
        print_json(_for_programs(done))
    elif done.refused:
        show(wrong_table(done.refused))
    elif diff:
        show(diff_text(done))
    else:
        show(deployed_text(done))
    if done.refused:
        hosts = len({wrong.host for wrong in done.refused})
        raise UserError(
            str(plan),
            f"cannot be deployed: {format_counted(hosts, 'host')} not ready, and nothing was changed",
            "fix what the table shows, then run it again",
        )
    if done.failures:
        raise Exit(1)


def _for_programs(done: Deployed) -> dict[str, object]:
    return {
        "cluster": done.cluster,
        "changed": done.changed,
        "hosts": {name: list(changes) for name, changes in done.hosts.items()},
        "pending": {
            name: {"changes": list(state.changes), "start": state.to_start, "restart": state.to_restart}
            for name, state in done.states.items()
        },
        "steps": list(done.steps),
        "notes": {name: list(notes) for name, notes in done.notes.items()},
        "refused": [wrong._asdict() for wrong in done.refused],
        "failures": [failure._asdict() for failure in done.failures],
        "elapsed_s": round(done.elapsed_s, 1),
    }


@contextmanager
def _telling() -> Iterator[tuple[session.Tell, Callable[[], AbstractContextManager[None]]]]:
    """Shows the step under way; what shows it, and what hides it while a question is asked."""
    console = Console(stderr=True, highlight=False)
    with console.status("reading the plan") as moving:

        @contextmanager
        def paused() -> Iterator[None]:
            moving.stop()
            yield
            moving.start()

        yield lambda what: moving.update(what[:1].lower() + what[1:]), paused
