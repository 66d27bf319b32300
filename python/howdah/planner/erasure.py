"""What erasure coding would hold on the planned hosts, and which losses it survives: a plan's advice."""

from __future__ import annotations

import math
from collections.abc import Iterator
from urllib.parse import urlsplit

from howdah.errors import UserError
from howdah.model.plan import Advice, Placement
from howdah.model.storage_policy import POLICIES, ErasurePolicy
from howdah.planner.block import BLOCK_BYTES, file_bytes
from howdah.planner.facts import Facts
from howdah.planner.rules.capacity import CODED_FITS, CODED_SAFE, ERASURE_CODING, ERASURE_DOMAINS
from howdah.planner.storage_costs import judge_policy
from howdah.planner.topology import MASTERS_RACK
from howdah.units import format_bytes

_REPLICATED = ("hbase.rootdir", "hbase.wal.dir", "yarn.nodemanager.remote-app-log-dir")
"""Keys of directories whose files are synced or appended to, which coded files cannot be."""
CODES = tuple(POLICIES[name] for name in ("RS-3-2-1024k", "RS-6-3-1024k", "RS-10-4-1024k"))
"""The policies that advice compares: XOR-2-1 survives the loss of one unit only."""


def least_hosts(code: ErasurePolicy) -> int:
    """Hosts that a policy needs: one for each unit, and one on which a lost unit is rebuilt."""
    return code.units + 1


def check_coded(facts: Facts) -> None:
    """Raise UserError for coded directories that this cluster cannot write, or that must have replicas."""
    kept = [str(facts.decided[key]) for key in _REPLICATED if key in facts.decided]
    for directory in facts.request.coded:
        where = f"--erasure-coding {directory.path}={directory.policy}"
        for path in (urlsplit(text).path for text in kept):
            if _overlap(path, directory.path):
                raise UserError(
                    where, f"{path} needs replicas: its files are synced", "code another directory"
                )
        verdict = judge_policy(directory.policy, facts, file_bytes(facts.request))
        if verdict.impossible:
            fitting = [name for name, code in POLICIES.items() if code.units <= facts.cluster.workers]
            hint = f"one of {', '.join(fitting)}" if fitting else "keep replicas"
            raise UserError(where, "; ".join(verdict.impossible), hint)


def coded_advice(facts: Facts) -> Iterator[Advice]:
    """What coded directories cannot survive here, and what else speaks against their policy."""
    for directory in facts.request.coded:
        verdict = judge_policy(directory.policy, facts, file_bytes(facts.request))
        where = f"{directory.path} ({directory.policy})"
        for reason in verdict.unsafe:
            yield CODED_SAFE.advice(f"{where}: {reason}.")
        for reason in verdict.remarks:
            yield CODED_FITS.advice(f"{where}: {reason}.")


def _overlap(first: str, second: str) -> bool:
    return f"{first}/".startswith(f"{second}/") or f"{second}/".startswith(f"{first}/")


def weigh_erasure(facts: Facts, usable_bytes: int) -> tuple[Advice, ...]:
    """What erasure coding would hold where replication holds ``usable_bytes``, and where units would land."""
    hosts = facts.cluster.worker_hosts
    possible = [code for code in CODES if hosts >= least_hosts(code)]
    if not possible:
        return (
            ERASURE_CODING.advice(
                f"Erasure coding needs at least {least_hosts(CODES[0])} hosts with workers ({CODES[0].name}, "
                f"and one to rebuild on), and there are {hosts}: keep replication."
            ),
        )
    return (
        ERASURE_CODING.advice(_gain(facts, usable_bytes, possible)),
        ERASURE_DOMAINS.advice(_domains(facts, possible)),
    )


def _gain(facts: Facts, usable_bytes: int, possible: list[ErasurePolicy]) -> str:
    copies = facts.number("dfs.replication")
    offers = ", ".join(
        f"{code.name} {format_bytes(usable_bytes * copies / code.overhead)} "
        f"({code.overhead:.3g} bytes for each, {code.parity} losses survived)"
        for code in possible
    )
    hosts = facts.cluster.worker_hosts
    refused = "; ".join(
        f"{code.name} needs {least_hosts(code)} hosts with workers, and there are {hosts}"
        for code in CODES
        if code not in possible
    )
    least = min(possible, key=lambda code: code.data)
    return (
        f"Cold data could be erasure-coded. Replication {copies:g} holds "
        f"{format_bytes(usable_bytes)} here; with cold data only, the same disks would hold: {offers}. "
        f"{refused + '. ' if refused else ''}"
        f"It suits files of at least {format_bytes(least.data * BLOCK_BYTES)} that are written once. No task "
        "reads its data locally, a lost disk is rebuilt from many others over the network, and coding takes "
        "processor time; files cannot be appended to or flushed, so that HBase needs replication."
    )


def _domains(facts: Facts, possible: list[ErasurePolicy]) -> str:
    topology = facts.cluster.topology
    racks = sum(rack.name != MASTERS_RACK for rack in topology.racks)
    shared = topology.placement is not Placement.DEFAULT
    sentences = " ".join(f"{code.name} {_survives(code, racks, shared=shared)}." for code in possible)
    if racks == 1:
        return f"If you erasure-code: {sentences} No racks are known, so the loss of one may lose data."
    return (
        f"If you erasure-code: {sentences} HDFS spreads units over the {racks} racks, but not over "
        "hosts within them (dfs.block.placement.ec.classname)."
    )


def _survives(code: ErasurePolicy, racks: int, *, shared: bool) -> str:
    on_a_rack = math.ceil(code.units / racks)
    if shared and on_a_rack > 1:
        return (
            f"may lose data with one host, so do not use it here: up to {on_a_rack} of its {code.units} "
            "units are in one rack, perhaps on workers of one host"
        )
    if shared:
        return f"survives the loss of {code.parity} hosts, each of its {code.units} units being on another"
    if racks == 1:
        return f"survives the loss of {code.parity} hosts"
    if on_a_rack > code.parity:
        return f"loses data with a rack: it has {on_a_rack} units in one and survives {code.parity} losses"
    return f"survives the loss of a rack, which holds at most {on_a_rack} of its units"
