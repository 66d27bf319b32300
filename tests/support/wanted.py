"""Machines as plan and site want them, made by hand."""

from __future__ import annotations

from typing import Any

from howdah.model.machines import ExistingMachine, FirstBoot, HostNode, HostState, PlannedMachine
from howdah.model.plan import Role
from howdah.units import GIB

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBp admin@example.com"


def first_boot(name: str = "w1-1.example.com", **more: Any) -> FirstBoot:
    """What a machine is told."""
    given: dict[str, Any] = {
        "host_name": name,
        "address": "10.0.1.1",
        "prefix": 24,
        "gateway": "10.0.0.1",
        "name_servers": ("10.0.0.2",),
        "user": "hadoop",
        "keys": (KEY,),
    }
    return FirstBoot.model_validate({**given, **more})


def wanted_machine(name: str = "w1-1.example.com", **more: Any) -> PlannedMachine:
    """A worker of 20 virtual CPUs and 120 GiB on w1.example.com unless told otherwise."""
    given: dict[str, Any] = {
        "name": name,
        "cluster": "sample",
        "host": "w1.example.com",
        "kind": "worker",
        "roles": (Role.DATANODE, Role.NODEMANAGER),
        "master": False,
        "vcpus": 20,
        "memory_bytes": 120 * GIB,
        "numa_nodes": 1,
        "settings": (),
        "first_boot": first_boot(name),
    }
    return PlannedMachine.model_validate({**given, **more})


def host_state(name: str = "w1.example.com", **more: Any) -> HostState:
    """A host of 40 threads and 256 GiB on two NUMA nodes."""
    half = tuple(HostNode(memory_bytes=128 * GIB, cpus=tuple(range(at, at + 20))) for at in (0, 20))
    given: dict[str, Any] = {
        "name": name,
        "memory_bytes": 256 * GIB,
        "threads": 40,
        "cores": 20,
        "clock_mhz": 2600,
        "nodes": half,
        "devices": {"naa.1": 600 * 10**9},
        "datastores": {"data": 10**12},
        "networks": frozenset({"hadoop"}),
    }
    return HostState.model_validate({**given, **more})


def found_machine(name: str = "w1-1.example.com", **more: Any) -> ExistingMachine:
    """A running machine of howdah's."""
    given: dict[str, Any] = {
        "name": name,
        "ours": "sample",
        "running": True,
        "host": "w1.example.com",
        "facts": {},
    }
    return ExistingMachine.model_validate({**given, **more})
