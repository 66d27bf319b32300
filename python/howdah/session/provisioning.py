"""From a plan and a site to machines, by the hypervisor that the plan is for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from howdah.audit.drift import check_machines
from howdah.documents.files import read_plan, read_site
from howdah.errors import RunFailed, UserError
from howdah.model.existing import CheckReport
from howdah.model.hostname import host_and_port
from howdah.model.machines import PlannedMachine, Provisioning
from howdah.model.request import Hypervisor
from howdah.model.site import VCENTER_PORT, Endpoint, MachineSite
from howdah.provision.differences import Provisioner, ReportStep
from howdah.provision.planned import hypervisor_of, machines_of


class RequestedMachines(NamedTuple):
    """What a plan and a site ask for."""

    site: MachineSite
    site_file: Path
    hypervisor: Hypervisor
    cluster: str
    machines: tuple[PlannedMachine, ...]
    overcommit: bool


def requested_machines(plan_file: Path, site_file: Path, endpoint: Endpoint) -> RequestedMachines:
    """Everything that is asked for, held against the rules; raises UserError before anybody is asked."""
    plan = read_plan(plan_file)
    hypervisor = hypervisor_of(plan, str(plan_file))
    vsphere = hypervisor is Hypervisor.VSPHERE
    hint = "give --vcenter HOST" if vsphere else "give --libvirt qemu+ssh://root@{host}/system"
    for flag, address, made_by in (
        ("--vcenter", endpoint.vcenter, Hypervisor.VSPHERE),
        ("--libvirt", endpoint.libvirt, Hypervisor.KVM),
    ):
        if address is not None and hypervisor is not made_by:
            problem = f"does not fit {plan_file}, which plans machines for {hypervisor.value}"
            raise UserError(flag, problem, hint)
        if address is None and hypervisor is made_by:
            raise UserError(flag, "is missing", hint)
    if endpoint.vcenter is not None:
        host_and_port(endpoint.vcenter, "--vcenter", VCENTER_PORT)
    site = read_site(site_file)
    try:
        machines = machines_of(plan, site)
    except UserError as error:
        raise UserError(f"{site_file}: {error.where}", error.what, error.hint) from error
    cluster, overcommit = plan.cluster.inventory.cluster, plan.cluster.request.overcommit
    return RequestedMachines(site, site_file, hypervisor, cluster, machines, overcommit)


@contextmanager
def provisioner(requested: RequestedMachines, endpoint: Endpoint, password: str) -> Iterator[Provisioner]:
    """The hypervisor, asked on behalf of what is wanted; raises UserError, and RunFailed if it fails."""
    parts = requested.site, requested.machines, requested.cluster
    try:
        # Only one of the two is asked, and each brings a library that takes long to import or is not there.
        if endpoint.vcenter is not None and requested.site.vcenter is not None:
            from howdah.provision.vsphere.provisioner import VCenterProvisioner  # noqa: PLC0415
            from howdah.provision.vsphere.session import VCenterLogin, logged_in  # noqa: PLC0415

            site = requested.site.vcenter
            trust = None if site.ca_file is None else requested.site_file.parent / site.ca_file
            with logged_in(VCenterLogin(endpoint.vcenter, site.user, password, trust)) as content:
                yield VCenterProvisioner(content, *parts, overcommit=requested.overcommit)
        elif endpoint.libvirt is not None and requested.site.libvirt is not None:
            from howdah.provision.kvm.hosts import connected  # noqa: PLC0415
            from howdah.provision.kvm.provisioner import LibvirtProvisioner  # noqa: PLC0415

            hosts = tuple(dict.fromkeys(machine.host for machine in requested.machines))
            with connected(endpoint.libvirt, hosts) as connections:
                yield LibvirtProvisioner(connections, *parts, overcommit=requested.overcommit)
        else:
            hint = "add `vcenter:`" if endpoint.vcenter else "add `libvirt:`"
            raise UserError(
                str(requested.site_file), f"has no section for {requested.hypervisor.value}", hint
            )
    except UserError as error:
        if error.where.startswith(("vcenter.", "libvirt.")):
            raise UserError(f"{requested.site_file}: {error.where}", error.what, error.hint) from error
        raise


def apply(hypervisor: Provisioner, report: ReportStep) -> Provisioning:
    """Do what is pending, then read everything back; raises RunFailed where it is not as planned then."""
    hypervisor.apply(report)
    after = hypervisor.compare()
    if after.pending:
        first = after.pending[0]
        rows = ((part.what, part.found or "missing", part.planned) for part in first.differences[:3])
        differences = "; ".join(f"{name} is {value}, not {planned}" for name, value, planned in rows)
        more = f", and {len(after.pending) - 1} more" if len(after.pending) > 1 else ""
        problem = f"differs from the plan although it was {'made' if first.doing == 'make' else 'changed'}"
        hint = "see the hypervisor's log: another program may have changed it"
        result = f"{differences or 'it does not exist'}{more}"
        raise RunFailed(f"{first.what} {first.name}", f"{problem}: {result}", hint)
    return after


def with_machines(
    report: CheckReport, requested: RequestedMachines, endpoint: Endpoint, password: str
) -> CheckReport:
    """A report with what is not as planned of the machines, which are looked at and left alone."""
    with provisioner(requested, endpoint, password) as hypervisor:
        checks = tuple(check_machines(hypervisor.compare()))
    looked_at = (*report.looked_at, *(machine.name for machine in requested.machines))
    return report.model_copy(update={"checks": (*checks, *report.checks), "looked_at": looked_at})
