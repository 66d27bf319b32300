"""What the benches ran on."""

from __future__ import annotations

import platform
from typing import Any

import howdah
from howdah.probe import probe_host


def machine() -> dict[str, Any]:
    """The host as ``howdah probe`` sees it, without its name."""
    return probe_host().model_dump(mode="json", exclude={"name"})


def versions() -> dict[str, str]:
    """What everything runs on, besides the contestants, whose versions are with their turns."""
    return {
        "howdah": howdah.__version__,
        "python": platform.python_version(),
        "kernel": platform.release(),
    }
