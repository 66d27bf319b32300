"""Rules about hosts that several clusters share: what is whose, and masters of different clusters apart."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.model.hostname import expand_all
from howdah.model.plan import value_text
from howdah.planner.facts import Facts
from howdah.planner.rules.declare import read_rules
from howdah.units import format_counted

rules = read_rules("sharing.toml")

_TOLD_HOSTS = 3
_DIGEST_LETTERS = 12


@rules.when("other clusters have virtual machines on the same hosts")
@rules.when("other clusters have masters on the same hosts")
@rules.when("other clusters are on the same hosts")
def _shares(facts: Facts) -> bool:
    return facts.request.sharing is not None


@rules.advises("sharing.hosts")
def _neighbours(facts: Facts) -> str | None:
    sharing = facts.request.sharing
    if sharing is None:
        return None
    part = "what others leave" if sharing.percent is None else f"{sharing.percent} %"
    clusters = [
        f"{neighbour.cluster} (its plan's SHA-256 {neighbour.digest[:_DIGEST_LETTERS]})"
        for neighbour in sharing.beside
    ]
    texts = [
        f"This cluster was planned for {part} of hosts that it shares"
        + (f" with {' and '.join(clusters)}" if clusters else "")
        + ": no thread, byte of memory or data disk of a host is assigned twice"
    ]
    texts += [
        f"of each host of group {group} it has the data disks {_ranges(numbers)}"
        for group, numbers in sharing.disks.items()
    ]
    if left_out := expand_all(sharing.left_out):
        named = ", ".join(left_out[:_TOLD_HOSTS]) + (", …" if len(left_out) > _TOLD_HOSTS else "")
        texts.append(f"{format_counted(len(left_out), 'host')} had nothing left for it ({named})")
    texts.append(
        "network ports are shared without limits: set each cluster's part in the hypervisor or the switch"
    )
    return "; ".join(texts) + "."


def _ranges(numbers: Sequence[int]) -> str:
    """``1-6, 13-20``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


@rules.advises("sharing.masters-apart")
def _together(facts: Facts) -> str | None:
    sharing = facts.request.sharing
    if sharing is None:
        return None
    of_host: dict[str, list[str]] = {}
    for neighbour in sharing.beside:
        for host in expand_all(neighbour.masters_on):
            of_host.setdefault(host.lower(), []).append(neighbour.cluster)
    both = [
        f"{master.name} on {host} together with those of {' and '.join(neighbours)}"
        for master in facts.cluster.masters
        for host in (master.host, master.shadow_host)
        if host is not None and (neighbours := of_host.get(host.lower()))
    ]
    if not both:
        return None
    return (
        f"Too few hosts are left for masters of different clusters to be apart: {', '.join(both)}. The loss "
        "of such a host takes down masters of several clusters at once."
    )


@rules.advises("sharing.host-settings")
def _differently(facts: Facts) -> str | None:
    sharing = facts.request.sharing
    if sharing is None:
        return None
    differ = [
        f"{key} is {value_text(own)} here and {value} for {neighbour.cluster}"
        for neighbour in sharing.beside
        for key, value in neighbour.host_settings.items()
        if (own := facts.decided.get(key)) is not None and value_text(own) != value
    ]
    if not differ:
        return None
    return (
        "A host has one firmware and one hypervisor, but clusters on it need different "
        f"settings: {'; '.join(differ)}. Choose one value, and set it in the other plan with --set."
    )
