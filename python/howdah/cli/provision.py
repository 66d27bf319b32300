"""``howdah provision``: the virtual machines of a plan; the table and plain data of its changes."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console, RenderableType

from howdah.cli.arguments import AsJson, Libvirt, PasswordFile, PlanFile, SchemaFile, VCenter, Yes
from howdah.cli.help import App
from howdah.cli.output import agree, check_json, print_json, show, write_text
from howdah.errors import UserError
from howdah.files import read_password
from howdah.model.machines import DATA_DISK, Doing, ProvisionChange, Provisioning
from howdah.model.site import Endpoint
from howdah.report.document import Bullets, FactList, Paragraph, Table, present
from howdah.report.terminal import blocks
from howdah.session import provisioning as session
from howdah.session import schemas

if TYPE_CHECKING:
    from howdah.provision.differences import Provisioner

_ALIKE = 4  # As many groups or rules of one kind as are named one by one.
_SHOWN = 8
_FACTS = ("vCPUs", "memory", "network card")


def provision_table(provisioning: Provisioning) -> RenderableType:
    """One line for everything that is to be made or changed, and how many are left as they are."""
    rows = []
    shown = [change for change in provisioning.changes if change.doing is not Doing.LEAVE]
    for (doing, kind), alike in groupby(shown, key=attrgetter("doing", "what")):
        changes = list(alike)
        if len(changes) > _ALIKE and kind != "machine" and doing is Doing.MAKE:
            # They are made of what the machines' own lines say already.
            changes = [changes[0].model_copy(update={"name": f"{len(changes)} of them", "differences": ()})]
        for change in changes:
            rows.append((doing.value, kind, change.name, change.host, "\n".join(_how(change))))
    facts = (*(("note", note) for note in provisioning.notes), ("in all", counted(provisioning)))
    table = Table(("to do", "what", "name", "host", "how"), tuple(rows))
    return blocks(*present(table, FactList("", facts)))


def counted(provisioning: Provisioning) -> str:
    """``3 to make, 1 to change, 130 as planned``."""
    counts = Counter(change.doing for change in provisioning.changes)
    text = f"{counts[Doing.MAKE]} to make, {counts[Doing.CHANGE]} to change, {counts[Doing.LEAVE]} as planned"
    if counts[Doing.EXTRA]:
        text += f", {counts[Doing.EXTRA]} created by howdah but no longer planned, left alone"
    return text


def _how(change: ProvisionChange) -> Iterator[str]:
    if change.doing is Doing.MAKE:
        planned = {difference.what: difference.planned for difference in change.differences}
        facts = ((name, planned[name]) for name in _FACTS if name in planned)
        words = [f"{text} {name}" if name == "vCPUs" else text for name, text in facts]
        if disks := sum(name.startswith(DATA_DISK) for name in planned):
            words.append(f"{disks} data disks" if disks > 1 else "1 data disk")
        yield " · ".join(words or filter(None, planned.values()))
        return
    for difference in change.differences[:_SHOWN]:
        yield f"{difference.what}: {difference.found or 'none'} → {difference.planned or 'none'}"
    if len(change.differences) > _SHOWN:
        yield f"and {len(change.differences) - _SHOWN} more"
    if change.refused:
        yield f"not changed: {change.refused}"
    elif change.restarts:
        yield "will be shut down for the change and started again"


app = App()


@app.command("provision")
def provision(
    plan: PlanFile,
    *,
    site: Path = Path("site.yaml"),
    vcenter: VCenter = None,
    libvirt: Libvirt = None,
    password_file: PasswordFile = None,
    dry_run: bool = False,
    yes: Yes = False,
    destroy: bool = False,
    json: AsJson = False,
) -> None:
    """Create a plan's virtual machines in a vCenter or with libvirt, after showing each change.

    Machines that match the plan stay untouched. Differences are shown and changed once you agree, and every
    value is verified afterwards. You can repeat the command at any time, also after a failure.

    Options:
      --site FILE  Site file, see docs/provision.md.
      --dry-run  Show what would change without changing anything.
      --destroy  Remove the machines that howdah created, and nothing else.
    Examples:
      howdah provision plan.yaml --vcenter vc.example.com --dry-run  # shows what it would create and change
      howdah provision plan.yaml --vcenter vc.example.com
          # shows it, prompts, makes the changes and verifies them
      howdah provision plan.yaml --vcenter vc.example.com --password-file vc.txt --yes
          # skips the prompt, for CI
      howdah provision plan.yaml --libvirt 'qemu+ssh://root@{host}/system'  # creates them on each KVM host
      howdah provision plan.yaml --vcenter vc.example.com --destroy
          # removes only the machines that howdah created
      howdah check --vcenter vc.example.com --plan plan.yaml  # shows what has drifted since
    """
    check_json(json=json, yes=yes, shows=dry_run, preview="--dry-run")
    endpoint = Endpoint(vcenter, libvirt)
    requested = session.requested_machines(plan, site, endpoint)
    with session.provisioner(requested, endpoint, password(requested, endpoint, password_file)) as hypervisor:
        if destroy:
            _destroy(requested, hypervisor, dry_run=dry_run, yes=yes, json=json)
            return
        before = hypervisor.compare()
        if not json:
            show(provision_table(before))
        if not dry_run and before.pending:
            before.check()
            agree("Create and change these machines?", yes=yes)
            after = session.apply(hypervisor, _report_line)
            if not json:
                print(f"done    all machines were verified: {counted(after)}")
        if json:
            print_json(before.model_dump(mode="json") | {"done": not dry_run})


def password(requested: session.RequestedMachines, endpoint: Endpoint, file: Path | None) -> str:
    """vCenter's password, from a file or a terminal; libvirt's transports have their own ways to log in."""
    if endpoint.vcenter is None or requested.site.vcenter is None:
        if file is not None:
            raise UserError("--password-file", "is for --vcenter", "libvirt logs in by ssh's keys or TLS")
        return ""
    if file is not None:
        return read_password("--password-file", file)
    if not sys.stdin.isatty():
        hint = "give the password's file"
        raise UserError("--password-file", "is missing, and there is no terminal for a prompt", hint)
    return str(typer.prompt(f"Password of {requested.site.vcenter.user}", hide_input=True, err=True))


def _destroy(
    requested: session.RequestedMachines, hypervisor: Provisioner, *, dry_run: bool, yes: bool, json: bool
) -> None:
    made = list(hypervisor.made())
    if not json:
        show(blocks(Bullets(tuple(made)), Paragraph(f"{len(made) or 'nothing'} to remove")))
    if made and not dry_run:
        agree(f"Remove these machines of cluster {requested.cluster} and all their data?", yes=yes)
        hypervisor.destroy(_report_line)
    if json:
        print_json({"removed": [] if dry_run else made, "to_remove": made if dry_run else []})


def _report_line(line: str) -> None:
    Console(stderr=True, highlight=False, markup=False).print(line, soft_wrap=True)


@app.command(
    "provision schema", epilog="howdah provision schema -o site.schema.json  # writes it for an editor"
)
def schema(output: SchemaFile = None) -> None:
    """Print the JSON schema of sites (draft 2020-12), for editors that complete and check them."""
    write_text(schemas.schema("site"), output)
