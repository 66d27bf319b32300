"""What only vSphere asks of a plan, and what it makes of it where it offers less."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from howdah.errors import UserError
from howdah.model.machines import FoundMachine, WantedMachine
from howdah.model.site import SiteHosts, VCenterSite
from howdah.provision.differences import HOST, Facts
from howdah.provision.vsphere.found import Seen
from howdah.provision.vsphere.place import VCenterPlace
from howdah.provision.vsphere.rules import HA, drs_on, found_cluster
from howdah.provision.vsphere.shape import (
    PAIRED_HARDWARE,
    TOLERANCE,
    latency,
    set_value,
    spelt_mib,
    wanted_hardware,
)
from howdah.provision.vsphere.spec import card_kind, known_card
from howdah.units import MIB

_MEMORY_STEP = 4
"""vSphere gives memory in steps of so many MiB."""
_LATENCIES = ("normal", "high")
"""The levels that vSphere still keeps apart."""


def check_limits(
    place: VCenterPlace,
    site: VCenterSite,
    entries: Mapping[str, SiteHosts],
    machines: Sequence[WantedMachine],
    offered: int,
) -> None:
    """What only vSphere asks for; raises UserError."""
    for name, host in place.hosts.items():
        asked = sum(one.vcpus for one in machines if one.host == name and latency(one) == "high")
        most = host.state.cores * (2 if offered >= PAIRED_HARDWARE else 1)
        if asked > most:
            raise UserError(
                f"host {name}",
                f"has {host.state.cores} cores, but high latency sensitivity reserves {asked} for its "
                f"machines (virtual hardware {offered} is the newest here)",
                "plan with --set sched.cpu.latencySensitivity=normal, or with fewer virtual CPUs",
            )
    for machine in machines:
        _check_values(machine)
        entry = entries.get(machine.host)
        if entry is None or not (system := entry.names("system_datastore", machine.host)):
            raise UserError(
                f"host {machine.host}", "has no system_datastore in the site", "add it to `hosts:`"
            )
        if system[0] not in place.hosts[machine.host].state.datastores:
            raise UserError(
                f"host {machine.host}", f"has no access to {system[0]}", "correct `system_datastore:`"
            )
    mirrored = any(machine.shadow_host for machine in machines)
    if mirrored and found_cluster(place)[HA] == "off" and not site.high_availability:
        raise UserError(
            f"cluster {site.cluster}",
            "has vSphere HA off, which Fault Tolerance needs",
            "write `high_availability: true` in the site, or switch HA on",
        )


def _check_values(machine: WantedMachine) -> None:
    """Values that a plan may have and vSphere does not take; it would say so half-way, machine by machine."""
    for key in ("cpuid.coresPerSocket", "sched.mem.min"):
        if not set_value(machine, key, "0").isdigit():
            raise UserError(f"the plan: {key}", f"{set_value(machine, key, '')!r} is not a whole number", "")
    cores = int(set_value(machine, "cpuid.coresPerSocket", "0")) or machine.vcpus
    if machine.vcpus % cores and not machine.master:
        raise UserError(
            "the plan: cpuid.coresPerSocket",
            f"{machine.vcpus} virtual CPUs do not divide into sockets of {cores} cores",
            "leave the value out of the plan's options",
        )
    if machine.memory_bytes % (_MEMORY_STEP * MIB):
        raise UserError(
            f"machine {machine.name}",
            f"has {spelt_mib(machine.memory_bytes // MIB)}, not a multiple of {_MEMORY_STEP} MiB",
            "plan with another memSize: vSphere accepts only multiples",
        )
    if latency(machine) not in _LATENCIES:
        raise UserError(
            "the plan: sched.cpu.latencySensitivity", f"{latency(machine)!r} is not a level", "normal or high"
        )
    if not known_card(card_kind(machine)):
        raise UserError("ethernet0.virtualDev", f"{card_kind(machine)!r} is not a network card", "vmxnet3")


def notes(
    place: VCenterPlace, site: VCenterSite, machines: Sequence[WantedMachine], offered: int
) -> Iterator[str]:
    """What an administrator should know beside."""
    if not drs_on(place):
        yield f"DRS is off in {site.cluster}: rules are stored but not enforced"
    if found_cluster(place)[HA] == "off" and not site.high_availability:
        yield f"vSphere HA is off in {site.cluster}: restart priorities take effect when it is on"
    asked = {wanted_hardware(machine, 10**6) for machine in machines}
    newest = max((one for one in asked if one is not None), default=0)
    if newest > offered:
        yield f"this vCenter offers virtual hardware {offered} at most, but the plan has {newest}"


def as_mirrored(facts: Facts, there: FoundMachine | None) -> Facts:
    """A master and its shadow that changed places, as they do when a host is lost, are where they belong."""
    if there is None or TOLERANCE not in facts:
        return facts
    turned = {HOST: facts[TOLERANCE], TOLERANCE: facts[HOST]}
    return {**facts, **turned} if turned.items() <= there.facts.items() else facts


def hardware_of(machine: WantedMachine, offered: int, seen: Seen) -> int | None:
    """What is newer than planned stays: virtual hardware is never made older."""
    wanted = wanted_hardware(machine, offered)
    there = seen.machines.get(machine.name)
    if wanted is None or there is None:
        return wanted
    version = there.config.version.removeprefix("vmx-")
    return max(wanted, int(version)) if version.isdigit() else wanted


def newest_hardware(place: VCenterPlace) -> int:
    """The newest virtual hardware that every host has."""
    known = place.cluster.environmentBrowser.QueryConfigOptionDescriptor()
    versions = [
        one.key.removeprefix("vmx-") for one in known if one.key.startswith("vmx-") and one.createSupported
    ]
    return max((int(one) for one in versions if one.isdigit()), default=0)
