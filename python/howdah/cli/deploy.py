"""``howdah deploy``: hosts made the planned cluster over ssh, and what it shows of that."""

from __future__ import annotations

import difflib
import getpass
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn
from urllib.parse import urlsplit

import typer
from rich.console import Console, RenderableType
from typer.exceptions import Exit

from howdah.cli.arguments import AsJson, PlanFile, Yes
from howdah.cli.help import App
from howdah.cli.output import agree, answer, check_json, print_json, show
from howdah.errors import UserError
from howdah.files import read_password
from howdah.report.document import FactList, Paragraph, Table, present
from howdah.report.terminal import blocks
from howdah.session import deploy_order, deploy_project
from howdah.session import deploying as session
from howdah.units import format_counted

if TYPE_CHECKING:
    from howdah.deploy.ansible import HostProblem

_SHOWN = 6


def not_with(flags: Mapping[str, bool], instead: Mapping[str, bool]) -> None:
    """Raise UserError where one of ``flags`` is given with one of ``instead``, or two of those."""
    for flag, value in flags.items():
        conflicting = [name for name, used in {flag: value, **instead}.items() if used]
        if len(conflicting) > 1:
            hint = f"give one of {', '.join([flag, *instead])}"
            raise UserError(conflicting[1], f"conflicts with {conflicting[0]}", hint)


def secret(flag: str, path: str | None, prompt: str) -> str | None:
    """A password from a file, or from whoever sits there."""
    if path is None:
        return None
    if path == "-":
        if not sys.stdin.isatty():
            hint = "give a file with the password"
            raise UserError(f"{flag} -", "needs a terminal to prompt at, and there is none", hint)
        return getpass.getpass(prompt)
    return read_password(flag, Path(path))


def mirror_address(text: str) -> str:
    """The address of a mirror; raises UserError for what is none. Hosts say whether they reach it."""
    try:
        address = urlsplit(text)
        wrong = address.scheme not in ("http", "https") or not address.hostname or address.port == 0
    except ValueError:
        wrong = True
    if text and (wrong or any(sign in text for sign in "?# ")):
        hint = "write http://HOST[:PORT][/PATH]"
        raise UserError(f"--mirror {text}", "is not the address of a mirror", hint)
    return text


def disks_of_hosts(texts: Sequence[str]) -> dict[str, Sequence[str]]:
    """The data disks by host; raises UserError for what names none, or one twice."""
    by_host: dict[str, Sequence[str]] = {}
    for text in texts:
        where = f"--disks {text}"
        host, equals, devices = text.partition("=")
        named = [device for device in devices.split(",") if device]
        if not equals or not host or not named or not all(device.startswith("/dev/") for device in named):
            raise UserError(where, "is not a list of a host's disks", "write HOST=/dev/sdb,/dev/sdc")
        if host in by_host:
            problem = f"host {host} is in another --disks, too"
            raise UserError(where, problem, "list all disks of a host in one --disks")
        if twice := next((device for device in named if named.count(device) > 1), None):
            raise UserError(where, f"lists {twice} twice", "list each disk once")
        by_host[host] = named
    return by_host


app = App()


@app.command("deploy")
def deploy(
    plan: PlanFile,
    *,
    diff: bool = False,
    status: bool = False,
    stop: bool = False,
    start: bool = False,
    rollback: bool = False,
    finalize: bool = False,
    yes: Yes = False,
    host: list[str] | None = None,
    downtime: bool = False,
    add: list[str] | None = None,
    remove: list[str] | None = None,
    disks: list[str] | None = None,
    mirror: str = "",
    secrets: Path | None = None,
    ssh_config: Path | None = None,
    ssh_password_file: str | None = None,
    sudo_password_file: str | None = None,
    forks: Annotated[int, typer.Option(min=1)] = 50,
    json: AsJson = False,
) -> None:
    """Deploy the planned cluster over ssh: users, disks, releases, configuration, daemons in order.

    Inspects all hosts first. If it finds any problem, it lists all problems and changes nothing.
    Otherwise it shows every change and makes the changes once you agree.
    Hosts record what was done, so the command continues where an interrupted one stopped. Uses Ansible.

    Options:
      --downtime  Restart daemons together for values that cannot change while they run, and let HDFS stop
          while its only NameNode is upgraded.
      --add HOST  Host to add; hosts that you do not name must already belong to the cluster. Repeatable.
      --remove HOST  Host to decommission and stop because the plan no longer lists it. Repeatable.
      --disks HOST=DEVICE,…  Data disks of a host that has more empty disks than it needs. Repeatable.
      --mirror URL  Mirror that hosts fetch releases from. Default: this machine serves them.
      --secrets DIR  Directory of keytabs and key stores for a plan with Kerberos: DIR/HOST/FILE, or DIR/FILE
          for all hosts.
    Instead of deploying:
      --diff  Show what would change without changing anything.
      --status  Show the state of every host. Exit with code 1 unless all is well.
      --stop  Stop all daemons.
      --start  Start all daemons with the installed configuration.
      --rollback  Restore the previous configuration and release.
      --finalize  Finalize an upgrade of HDFS; it cannot be rolled back afterwards.
      --host HOST  With --stop or --start: only this host, whose masters fail over first; repeatable.
    Reaching hosts:
      --ssh-config FILE  ssh configuration with users, keys and jump hosts. Default: ssh's own files.
      --ssh-password-file FILE  File with the login password, or - for a prompt.
      --sudo-password-file FILE  File with the password for sudo, or - for a prompt.
      --forks  Number of hosts to work on at the same time.
    Examples:
      howdah deploy plan.yaml --diff  # shows what would change on each host, and changes nothing
      howdah deploy plan.yaml  # shows the changes, prompts, then deploys the plan's cluster
      howdah deploy plan.yaml --status  # shows what runs on each host, and with which configuration
      howdah deploy plan.yaml --yes  # skips the prompt, for CI; repeated, it changes only differences
      howdah deploy larger.yaml --add w17  # deploys a plan with one more host
      howdah deploy smaller.yaml --remove w17
          # decommissions a host that is no longer in the plan, then stops it
      howdah deploy plan.yaml --rollback  # restores the former configuration
      howdah deploy newer.yaml  # upgrades to the release of a newer plan while HDFS works
      howdah deploy newer.yaml --finalize  # ends that upgrade: no rollback afterwards
      howdah deploy plan.yaml --stop --host h1  # stops the daemons of a host, to service it
      howdah deploy plan.yaml --start --host h1  # starts them again
      howdah deploy plan.yaml --secrets secrets  # copies keytabs and key stores, for a secure plan
      howdah deploy plan.yaml --mirror http://mirror.example.com/howdah
          # lets hosts fetch releases from there
    """
    instead = {"--status": status, "--stop": stop, "--start": start, "--finalize": finalize}
    changing = {"--rollback": rollback, "--secrets": secrets is not None, "--downtime": downtime}
    changing |= {"--add": bool(add), "--remove": bool(remove), "--mirror": bool(mirror)}
    not_with({"--diff": diff, **changing}, instead)
    if host and not (stop or start):
        raise UserError("--host", "names the host to stop or start", "give it with --stop or --start")
    preview = "" if stop or start or finalize else "--diff"
    check_json(json=json, yes=yes, shows=diff or status, preview=preview)
    deploy_project.check_ssh_config(ssh_config)
    options = deploy_project.DeployOptions(
        ssh_config=ssh_config,
        ssh_password=secret("--ssh-password-file", ssh_password_file, "password for ssh: "),
        sudo_password=secret("--sudo-password-file", sudo_password_file, "password for sudo: "),
        forks=forks,
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
    target = deploy_project.read_target(plan)
    if status:
        _show_status(target, options, json=json)
    with _telling() as (report, paused):
        agree_to = partial(_agree, paused, yes=yes)
        if stop or start:
            playbook = "stop" if stop else "start"
            done = deploy_order.switch(target, options, report, agree_to, playbook=playbook, hosts=host or ())
        elif finalize:
            done = deploy_order.finalize(target, options, report, agree_to)
        else:
            done = session.deploy(target, options, report, agree_to)
    _show_deployed(done, str(plan), diff=diff, json=json)


def _agree(
    paused: Callable[[], AbstractContextManager[None]], change: deploy_project.Deployed, *, yes: bool
) -> None:
    """Show what would be done, and return once the user agrees."""
    if not yes:
        with paused():
            show(pending_text(change))
            agree(f"Apply these changes to cluster {change.cluster}?", yes=yes)


def _show_status(
    target: deploy_project.Target, options: deploy_project.DeployOptions, *, json: bool
) -> NoReturn:
    with _telling() as (report, _):
        states = session.status(target, options, report)
    answer(states.for_programs(), status_text(states), json=json)
    raise Exit(0 if states.well else 1)


def _show_deployed(done: deploy_project.Deployed, plan: str, *, diff: bool, json: bool) -> None:
    """Show what was done or would be; raises UserError for hosts that are not ready."""
    if json:
        print_json(_for_programs(done))
    elif done.refused:
        show(blocks(wrong_table(done.refused)))
    elif diff:
        show(diff_text(done))
    else:
        show(deployed_text(done))
    if done.refused:
        hosts = len({wrong.host for wrong in done.refused})
        problem = f"cannot be deployed: {format_counted(hosts, 'host')} not ready, and nothing was changed"
        raise UserError(plan, problem, "fix what the table shows, then run it again")
    if done.failures:
        raise Exit(1)


def _for_programs(done: deploy_project.Deployed) -> dict[str, object]:
    pending = {}
    for name, state in done.states.items():
        pending[name] = {"changes": state.changes, "start": state.to_start, "restart": state.to_restart}
    return {
        "cluster": done.cluster,
        "changed": done.changed,
        "hosts": done.hosts,
        "pending": pending,
        "steps": done.steps,
        "notes": done.notes,
        "refused": [wrong._asdict() for wrong in done.refused],
        "failures": [failure._asdict() for failure in done.failures],
        "elapsed_s": round(done.elapsed_s, 1),
    }


@contextmanager
def _telling() -> Iterator[tuple[Callable[[str], None], Callable[[], AbstractContextManager[None]]]]:
    """Shows the step under way; what shows it, and what hides it while a question is asked."""
    console = Console(stderr=True, highlight=False)
    with console.status("reading the plan") as moving:

        @contextmanager
        def paused() -> Iterator[None]:
            moving.stop()
            yield
            moving.start()

        yield lambda step: moving.update(step[:1].lower() + step[1:]), paused


def wrong_table(problems: Iterable[HostProblem]) -> Table:
    """All that is wrong, host by host."""
    rows = tuple((wrong.host, wrong.what, wrong.fix) for wrong in sorted(problems))
    return Table(("host", "what is wrong", "what to do"), rows)


def pending_text(done: deploy_project.Deployed) -> RenderableType:
    """What would be done: on each host in short, then to the cluster in order."""
    rows = []
    for host, state in done.states.items():
        if not state.settled:
            actions = (("start", state.to_start), ("restart", state.to_restart))
            daemons = "; ".join(f"{verb} {', '.join(names)}" for verb, names in actions if names)
            rows.append((host, str(len(state.changes)), _in_short(state.changes), daemons))
    if not rows:
        return blocks(Paragraph("\n".join(done.steps)))
    return blocks(*present(Table(("host", "changes", "what", "daemons"), tuple(rows)), _order_facts(done)))


def _order_facts(done: deploy_project.Deployed) -> FactList:
    return FactList("", tuple(("order", f"{at}. {step}") for at, step in enumerate(done.steps, start=1)))


def _in_short(changes: Sequence[str]) -> str:
    more = f" and {len(changes) - _SHOWN} more" if len(changes) > _SHOWN else ""
    return ", ".join(changes[-_SHOWN:]) + more


def deployed_text(done: deploy_project.Deployed) -> RenderableType:
    """What was changed on each host, what failed, and the sum of it."""
    rows = tuple((host, str(len(made)), _in_short(made)) for host, made in done.hosts.items() if made)
    notes = (f"{host}: {note}" for host, notes in done.notes.items() for note in dict.fromkeys(notes))
    summary = f"{done.cluster}: {format_counted(len(done.hosts), 'host')}, {done.changed} changed"
    if failed := len({failure.host for failure in done.failures}):
        summary += f", {format_counted(failed, 'host')} failed; fix that, then run it again"
    facts = (*(("note", note) for note in notes), ("cluster", f"{summary} ({done.elapsed_s:.1f} s)"))
    changed = Table(("host", "changed", "what"), rows if done.changed else ())
    return blocks(*present(changed, wrong_table(done.failures), FactList("", facts)))


def diff_text(done: deploy_project.Deployed) -> RenderableType:
    """What would change on each host, line by line, and in which order daemons would be restarted."""
    lines = [line for state in done.states.values() for line in _differences(state)]
    return blocks(*present(Paragraph("\n".join(lines)), _order_facts(done)))


def _differences(state: deploy_project.DeployedHost) -> Iterator[str]:
    diffs = {str(diff["after_header"]): diff for diff in state.diffs}
    if state.settled:
        return
    yield f"{state.host}:"
    for change in state.changes:
        yield f"  {change}"
        if change in diffs:
            before, after = (str(diffs[change][key]).splitlines() for key in ("before", "after"))
            lines = list(difflib.unified_diff(before, after, lineterm="", n=0))[2:]
            # A new file is shown by its name alone.
            yield from (f"    {line}" for line in lines if before and not line.startswith("@@"))
    yield from (f"  start {name}" for name in state.to_start)
    yield from (f"  restart {name}" for name in state.to_restart)


def status_text(status: session.ClusterStatus) -> RenderableType:
    """Every daemon of every host."""
    rows = []
    for host, state in status.states.items():
        for daemon in state.daemons:
            is_now = daemon["lacks"] or ("well" if daemon["active"] == "active" else daemon["active"])
            since = []
            if daemon["active"] == "active" and not daemon["fresh"]:
                since.append("its configuration has changed")
            if daemon["restarts"]:
                since.append(f"systemd has restarted it {format_counted(daemon['restarts'], 'time')}")
            rows.append((host, daemon["name"], is_now, "; ".join(since)))
    differing = [(host, state.changes[:_SHOWN]) for host, state in status.states.items() if state.changes]
    facts = [("differs", f"{host}: {', '.join(changes)}") for host, changes in differing]
    if upgrade := status.upgrade:
        text = f"HDFS is being upgraded from {upgrade.origin or 'the release before'}"
        if upgrade.began_s is not None:
            text += f" since {datetime.fromtimestamp(upgrade.began_s, UTC):%Y-%m-%d %H:%M} UTC"
        facts.append(("upgrade", f"{text}: not finalized; --finalize ends it, --rollback reverts it"))
    well = "all is well" if status.well else "not all daemons are healthy"
    facts.append(("cluster", f"{status.cluster}: {well}"))
    daemons = Table(("host", "daemon", "is", "since its start"), tuple(rows))
    return blocks(*present(daemons, wrong_table(status.silent), FactList("", tuple(facts))))
