"""howdah's telemetry of the machine it runs on, by itself.

``python -m benches.ours.telemetry INTERVAL_S SECONDS FOLDER`` prints the CPU time it took as JSON: what
the sampler says of itself, and what the kernel says of the whole process meanwhile.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benches.ours.sampling import sample
from howdah.telemetry.source import this_machine

if __name__ == "__main__":
    interval_s, seconds, folder = float(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3])
    print(json.dumps(sample(this_machine("this"), interval_s, seconds, folder)))
