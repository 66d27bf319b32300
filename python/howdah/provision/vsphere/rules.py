"""Rules and groups of the cluster: which machines belong to which host, and which stay apart.

Rules and groups have no metadata of their own, so howdah's are known by the beginning of their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from howdah.model.machines import PlannedMachine
from howdah.provision.differences import Facts
from howdah.provision.vsphere.session import VCenterPlace, vim

MACHINES, MACHINE_GROUP, HOST_GROUP, KIND = "machines", "machine group", "host group", "kind"
HA = "vSphere HA"
_ON_HOST, _APART = "must run on its host", "keep apart"
_DO = vim.option.ArrayUpdateSpec.Operation


def prefix(cluster: str) -> str:
    """How the names of a howdah cluster's rules and groups begin."""
    return f"howdah {cluster}: "


def is_own(entry: Any, cluster: str) -> bool:
    """Whether a rule or a group is howdah's; those of others may have no name."""
    return (entry.name or "").startswith(prefix(cluster))


def planned_groups(machines: Sequence[PlannedMachine]) -> dict[str, Facts]:
    """A group of machines and a group of one host, for each host; members by name."""
    groups: dict[str, Facts] = {}
    for host in dict.fromkeys(machine.host for machine in machines):
        here = [machine for machine in machines if machine.host == host]
        # What Fault Tolerance mirrors runs on two hosts and moves between them.
        held = [machine.name for machine in here if machine.shadow_host is None]
        if held:
            head = prefix(here[0].cluster)
            groups[f"{head}machines of {host}"] = {MACHINES: ", ".join(sorted(held))}
            groups[f"{head}host {host}"] = {"hosts": host}
    return groups


def planned_rules(machines: Sequence[PlannedMachine]) -> dict[str, Facts]:
    """Machines with their host's disks stay there; masters of one role stay on different hosts."""
    rules: dict[str, Facts] = {}
    for name in planned_groups(machines):
        head, _, host = name.partition("machines of ")
        if host:
            rules[f"{head}stay on {host}"] = {
                KIND: _ON_HOST, MACHINE_GROUP: name, HOST_GROUP: f"{head}host {host}",
            }  # fmt: skip
    masters = [machine for machine in machines if machine.master]
    for role in sorted({role for master in masters for role in master.roles}):
        holders = [master for master in masters if role in master.roles]
        if len({holder.host for holder in holders}) == len(holders) > 1:
            rules[f"{prefix(holders[0].cluster)}{role.value}s apart"] = {
                KIND: _APART, MACHINES: ", ".join(sorted(holder.name for holder in holders)),
            }  # fmt: skip
    return rules


def found_groups(place: VCenterPlace, cluster: str, names: Mapping[Any, str]) -> dict[str, Facts]:
    """howdah's groups as they are."""
    hosts = {host.reference: name for name, host in place.hosts.items()}
    groups: dict[str, Facts] = {}
    for group in place.cluster.configurationEx.group or ():
        if is_own(group, cluster):
            if isinstance(group, vim.cluster.VmGroup):
                groups[group.name] = {MACHINES: _spelt(group.vm, names)}
            else:
                groups[group.name] = {"hosts": _spelt(group.host, hosts)}
    return groups


def found_rules(place: VCenterPlace, cluster: str, names: Mapping[Any, str]) -> dict[str, Facts]:
    """howdah's rules as they are, with a note if one is switched off."""
    rules: dict[str, Facts] = {}
    for rule in place.cluster.configurationEx.rule or ():
        if not is_own(rule, cluster):
            continue
        off = "" if rule.enabled else "switched off, "
        if isinstance(rule, vim.cluster.VmHostRuleInfo):
            kind = _ON_HOST if rule.mandatory else "should run on its host"
            rules[rule.name] = {
                KIND: off + kind, MACHINE_GROUP: rule.vmGroupName, HOST_GROUP: rule.affineHostGroupName,
            }  # fmt: skip
        elif isinstance(rule, vim.cluster.AntiAffinityRuleSpec):
            rules[rule.name] = {KIND: off + _APART, MACHINES: _spelt(rule.vm, names)}
    return rules


def found_cluster(place: VCenterPlace) -> Facts:
    """Whether HA is on."""
    das = place.cluster.configurationEx.dasConfig
    return {HA: "on" if das is not None and das.enabled else "off"}


def drs_on(place: VCenterPlace) -> bool:
    drs = place.cluster.configurationEx.drsConfig
    return bool(drs is not None and drs.enabled)


def cluster_spec(
    place: VCenterPlace, machines: Sequence[PlannedMachine], references: Mapping[str, Any], *, ha: bool
) -> Any:
    """Groups, rules, restart priorities and HA, in one change; groups before the rules that name them."""
    configuration = place.cluster.configurationEx

    def doing(exists: bool) -> Any:
        return _DO.edit if exists else _DO.add

    def members(facts: Facts) -> list[Any]:
        return [references[name] for name in facts[MACHINES].split(", ")]

    existing_groups = {group.name for group in configuration.group or ()}
    groups = []
    for name, facts in planned_groups(machines).items():
        if MACHINES in facts:
            info = vim.cluster.VmGroup(name=name, vm=members(facts))
        else:
            info = vim.cluster.HostGroup(name=name, host=[place.hosts[facts["hosts"]].reference])
        groups.append(vim.cluster.GroupSpec(operation=doing(name in existing_groups), info=info))
    existing_rules = {rule.name: rule.key for rule in configuration.rule or ()}
    rules = []
    for name, facts in planned_rules(machines).items():
        if MACHINES in facts:
            info = vim.cluster.AntiAffinityRuleSpec(vm=members(facts))
        else:
            info = vim.cluster.VmHostRuleInfo(
                vmGroupName=facts[MACHINE_GROUP], affineHostGroupName=facts[HOST_GROUP]
            )
        # A machine that has its host's disks cannot run elsewhere; masters apart are a wish where hosts fail.
        info.name, info.enabled, info.mandatory = name, True, MACHINES not in facts
        if name in existing_rules:
            info.key = existing_rules[name]
        rules.append(vim.cluster.RuleSpec(operation=doing(name in existing_rules), info=info))
    listed = {entry.key for entry in configuration.dasVmConfig or ()}
    priorities = []
    for machine in machines:
        reference = references[machine.name]
        settings = vim.cluster.DasVmSettings(restartPriority="high" if machine.master else "disabled")
        info = vim.cluster.DasVmConfigInfo(key=reference, dasSettings=settings)
        priorities.append(vim.cluster.DasVmConfigSpec(operation=doing(reference in listed), info=info))
    spec = vim.cluster.ConfigSpecEx(groupSpec=groups, rulesSpec=rules, dasVmConfigSpec=priorities)
    if ha:
        spec.dasConfig = vim.cluster.DasConfigInfo(enabled=True)
    return spec


def removing_spec(place: VCenterPlace, cluster: str) -> Any | None:
    """What takes howdah's rules and groups away; None where there are none."""
    configuration = place.cluster.configurationEx
    rules = [rule for rule in configuration.rule or () if is_own(rule, cluster)]
    groups = [group for group in configuration.group or () if is_own(group, cluster)]
    if not rules and not groups:
        return None
    old_rules = [vim.cluster.RuleSpec(operation=_DO.remove, removeKey=rule.key) for rule in rules]
    old_groups = [vim.cluster.GroupSpec(operation=_DO.remove, removeKey=group.name) for group in groups]
    return vim.cluster.ConfigSpecEx(rulesSpec=old_rules, groupSpec=old_groups)


def _spelt(references: Iterable[Any] | None, names: Mapping[Any, str]) -> str:
    return ", ".join(sorted(names.get(reference, str(reference)) for reference in references or ()))
