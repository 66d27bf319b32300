"""Which hypervisor, if any, divides the hosts."""

from __future__ import annotations

from howdah.model.request import Hypervisor
from howdah.planner.facts import Facts


def under_vsphere(facts: Facts) -> bool:
    """Whether workers are virtual machines under vSphere."""
    return facts.request.hypervisor is Hypervisor.VSPHERE and facts.cluster.virtual


def under_kvm(facts: Facts) -> bool:
    """Whether workers are virtual machines under KVM."""
    return facts.request.hypervisor is Hypervisor.KVM and facts.cluster.virtual
