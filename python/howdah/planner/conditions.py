"""Conditions that rules of many subjects share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from howdah.errors import UserError
from howdah.model.plan import Role
from howdah.model.request import Hypervisor, Profile, Protection
from howdah.planner.facts import Facts
from howdah.planner.rule import always


class Condition(NamedTuple):
    """When a rule holds, in words and by the facts."""

    text: str
    applies: Callable[[Facts], bool]


def in_study(facts: Facts) -> bool:
    """Whether a study is to be reproduced as it ran."""
    return facts.request.profile is Profile.PAPER


def with_mapreduce(facts: Facts) -> bool:
    """Whether MapReduce runs on the cluster."""
    return facts.request.mapreduce


def with_hbase(facts: Facts) -> bool:
    """Whether HBase runs on the cluster."""
    return facts.request.hbase_used


def with_spark(facts: Facts) -> bool:
    """Whether Spark runs on the cluster."""
    return facts.request.spark_used


def shuffles_in_nodemanagers(facts: Facts) -> bool:
    """Whether NodeManagers serve shuffle files of Spark's executors, as they do for dynamic allocation."""
    dynamic, service = (
        str(facts.decided.get(f"spark.{key}.enabled")).lower() == "true"
        for key in ("dynamicAllocation", "shuffle.service")
    )
    return with_spark(facts) and (service or (dynamic and not tracks_shuffles(facts)))


def tracks_shuffles(facts: Facts) -> bool:
    """Whether Spark keeps the executors whose shuffle files jobs still need, its default since 3.4.

    A plan prefers the shuffle service, which lets these executors end.
    """
    tracked = facts.decided.get("spark.dynamicAllocation.shuffleTracking.enabled")
    return not facts.planned if tracked is None else str(tracked).lower() == "true"


def with_tez(facts: Facts) -> bool:
    """Whether Hive runs on the cluster, on Tez."""
    return facts.request.tez_used


def runs(role: Role, at_least: int = 1, at_most: int | None = None) -> Callable[[Facts], bool]:
    """Whether the cluster has so many of a daemon."""

    def applies(facts: Facts) -> bool:
        many = len(facts.cluster.addresses(role))
        return many >= at_least and (at_most is None or many <= at_most)

    return applies


def is_paired(role: Role) -> Callable[[Facts], bool]:
    """Whether the cluster has two of a daemon."""
    return runs(role, at_least=2)


def in_pair(role: Role) -> Callable[[Facts], bool]:
    """Whether there are two of a daemon; where no cluster is known, whether the configuration has pairs."""
    paired = is_paired(role)

    def applies(facts: Facts) -> bool:
        if facts.planned:
            return paired(facts)
        if role is Role.RESOURCEMANAGER:
            return facts.decided.get("yarn.resourcemanager.ha.enabled") is True
        return facts.request.protection is Protection.HA

    return applies


def several_ports(facts: Facts) -> bool:
    """Whether a host has more than one network port."""
    return sum(nic.count for nic in facts.group.nics) > 1


def under_vsphere(facts: Facts) -> bool:
    """Whether workers are virtual machines under vSphere."""
    return facts.request.dividing is Hypervisor.VSPHERE and facts.cluster.virtual


def under_kvm(facts: Facts) -> bool:
    """Whether workers are virtual machines under KVM."""
    return facts.request.hypervisor is Hypervisor.KVM and facts.cluster.virtual


def secured(facts: Facts) -> bool:
    """Whether the request is for a secure cluster."""
    return facts.request.secure


def secured_mapreduce(facts: Facts) -> bool:
    """Whether MapReduce runs on a secure cluster."""
    return secured(facts) and with_mapreduce(facts)


def secured_hbase(facts: Facts) -> bool:
    """Whether HBase runs on a secure cluster."""
    return secured(facts) and with_hbase(facts)


def secured_pair(facts: Facts) -> bool:
    """Whether masters are paired on a secure cluster."""
    return secured(facts) and facts.request.protection is Protection.HA


def realm(facts: Facts) -> str:
    """The Kerberos realm: the one asked for, or the hosts' domain in capitals; raises UserError."""
    if facts.request.realm:
        return facts.request.realm
    domain = facts.cluster.domain
    if not domain:
        raise UserError(
            "--realm",
            "the hosts share no domain that a Kerberos realm could be named after",
            "give the realm, for instance --realm EXAMPLE.COM",
        )
    return domain.upper()


CONDITIONS: Mapping[str, Condition] = {
    condition.text: condition
    for condition in (
        Condition("always", always),
        Condition("with MapReduce", with_mapreduce),
        Condition("with HBase", with_hbase),
        Condition("with Spark", with_spark),
        Condition("with Spark and dynamic allocation of executors", shuffles_in_nodemanagers),
        Condition("with Hive on Tez", with_tez),
        Condition("with --secure", secured),
        Condition("with --secure and MapReduce", secured_mapreduce),
        Condition("with --secure and HBase", secured_hbase),
        Condition("with --secure and ha", secured_pair),
        Condition("a host has more than one port", several_ports),
        Condition("workers are virtual machines under vSphere", under_vsphere),
        Condition("workers are virtual machines under KVM", under_kvm),
    )
}
"""Those that files of rules name; a module adds conditions of its own."""
