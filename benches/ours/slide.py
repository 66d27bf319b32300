"""Answers to a slider of the Plan page, as ``howdah serve`` gives them, in this process.

``python -m benches.ours.slide INVENTORY WORKERS DATASET SIMULATOR`` moves the slider of links, and prints as
JSON the seconds of every answer with its interval of three simulations, from the question's text on.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from howdah.model.request import Hypervisor
from howdah.session.interactive_plans import WhatIfAsked, what_if

_LINKS = ("10Gb/s", "25Gb/s", "40Gb/s")
_REPLICATIONS = 3


def _answers(inventory: str, workers: int, dataset: str, simulator: str) -> list[float]:
    took_s = []
    for link in _LINKS:
        asked = WhatIfAsked.model_validate(
            {
                "inventory": inventory,
                "workload": f"terasuite:{dataset}",
                "hypervisor": Hypervisor.VSPHERE,
                "workers_per_host": workers,
                "changes": {"nic-speed": link},
                "replications": _REPLICATIONS,
                "simulator": simulator,
            }
        )
        began_s = time.perf_counter()
        what_if(asked, "published")
        took_s.append(time.perf_counter() - began_s)
    return took_s


if __name__ == "__main__":
    print(json.dumps(_answers(Path(sys.argv[1]).read_text(), int(sys.argv[2]), *sys.argv[3:5])))
