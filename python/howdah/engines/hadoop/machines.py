"""The plan's workers, by what Hadoop calls its nodes."""

from __future__ import annotations

from collections.abc import Mapping

from howdah.model.placement import PlacedWorker, placed_workers
from howdah.model.plan import Plan


class Machines:
    """Finds the worker that a node of Hadoop's is, its host and its rack.

    ``machine_of`` gives the worker for a host name or an address. A node that the plan does not know is
    a worker of its own name on a host of its own.
    """

    def __init__(self, machine_of: Mapping[str, str], plan: Plan) -> None:
        self._machine_of = machine_of
        placed = placed_workers(plan.cluster) if plan.cluster else ()
        self._placed: dict[str, PlacedWorker] = {one.name: one for one in placed}

    @property
    def workers(self) -> tuple[str, ...]:
        """Every worker of the plan, in its order."""
        return tuple(self._placed)

    def worker(self, node: str) -> str:
        """The worker that a host name or an address stands for."""
        return self._machine_of.get(node, node)

    def host(self, worker: str) -> str:
        """The host that a worker is on."""
        placed = self._placed.get(worker)
        return placed.host if placed else worker

    def rack(self, worker: str) -> str | None:
        """The rack that a worker is in; None where the plan does not know it."""
        placed = self._placed.get(worker)
        return placed.rack if placed else None
