"""A machine that others used while a laboratory was on it: it may be why something there was slow.

It holds back every worker of the laboratory, some more than others by chance, so it is a cause only
where nothing of a worker's own is one; what else is found is less sure beside it.
"""

from __future__ import annotations

from howdah.analysis.evidence import OthersUse, Sign

# What any machine does beside a run.
WANDERS = 0.03


def contention(use: OthersUse) -> Sign:
    """What others used in a workload, as a sign: a quiet machine has hardly any of it."""
    quantity = f"CPU time of {use.machine} that others used"
    return Sign("contended machine", use.others, quantity, "1", use.others, 0.0, "quiet", WANDERS)
