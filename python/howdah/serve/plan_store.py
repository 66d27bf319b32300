"""Plans that were made in browsers, the newest ones: whoever has the link finds them."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from threading import Lock

from howdah.documents.files import write_plan
from howdah.model.plan import Plan

_MOST_PLANS = 30


def key_of(plan: Plan) -> str:
    """What a plan is kept under, which is the same for the same plan."""
    return hashlib.sha256(write_plan(plan).encode()).hexdigest()[:16]


class PlanStore:
    """Plans by what their files hold; in memory only, for the command line keeps plans."""

    def __init__(self) -> None:
        self._plans: OrderedDict[str, Plan] = OrderedDict()
        self._lock = Lock()

    def keep(self, key: str, plan: Plan) -> None:
        """Keep a plan under its key."""
        with self._lock:
            self._plans[key] = plan
            self._plans.move_to_end(key)
            while len(self._plans) > _MOST_PLANS:
                self._plans.popitem(last=False)

    def get(self, key: str) -> Plan | None:
        """The plan of that key; None where it was never made, or long ago."""
        with self._lock:
            return self._plans.get(key)
