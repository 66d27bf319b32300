"""The speed of Hadoop's own erasure coders on one core, which `howdah plan storage` computes with.

``python -m benches.coder_speed`` compiles a small Java program against the fetched jars, and prints for each
policy the bytes of data coded and the bytes of a lost unit rebuilt per second of CPU time. Each rebuilt cell
is compared with the lost one.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from howdah.installation.installation import find_installation, java_home
from howdah.model.storage_policy import POLICIES

_SOURCE = Path(__file__).with_name("CoderSpeed.java")


def measured(policies: tuple[str, ...]) -> dict[str, tuple[float, float]]:
    """Bytes of data encoded and bytes of a lost unit rebuilt per second of CPU time, by policy."""
    jars = ":".join(find_installation().class_path)
    with tempfile.TemporaryDirectory() as classes:
        java = java_home() / "bin"
        subprocess.run([java / "javac", "-cp", jars, "-d", classes, _SOURCE], check=True)
        done = subprocess.run(
            [java / "java", "-cp", f"{classes}:{jars}", "CoderSpeed", *policies],
            check=True,
            capture_output=True,
            text=True,
        )
    lines = (line.split() for line in done.stdout.splitlines() if line.startswith(policies))
    return {name: (float(encoded), float(rebuilt)) for name, encoded, rebuilt in lines}


def main() -> None:
    """Print a line for each policy."""
    for name, (encoded, rebuilt) in measured(tuple(POLICIES)).items():
        sys.stdout.write(f"{name}: {encoded / 1e6:.0f} MB/s encoded, {rebuilt / 1e6:.0f} MB/s rebuilt\n")


if __name__ == "__main__":
    main()
