"""Groups of hosts for tests of the planner."""

from __future__ import annotations

from howdah.model.inventory import HostGroup


def host_group(
    *,
    count: int = 32,
    sockets: int = 2,
    cores: int = 10,
    threads: int = 2,
    numa: int = 1,
    memory: str = "256GiB",
    disks: int = 20,
    kind: str = "hdd",
    size: str = "600GB",
    name: str = "workers",
) -> HostGroup:
    """The vSphere 6 paper's hosts unless told otherwise; ``cores`` and ``numa`` are of one socket."""
    return HostGroup.model_validate(
        {
            "name": name,
            "count": count,
            "cpu": {
                "sockets": sockets,
                "cores_per_socket": cores,
                "threads_per_core": threads,
                "numa_nodes_per_socket": numa,
            },
            "memory": memory,
            "disks": [
                {"count": 2, "kind": "ssd", "size": "240GB", "role": "system"},
                *([{"count": disks, "kind": kind, "size": size}] if disks else []),
            ],
            "nics": [{"count": 2, "speed": "10Gb/s"}],
        }
    )
