"""How everything that belongs to a laboratory is found again: by its name.

``howdah-<lab>`` is the laboratory's control group, ``howdah-<lab>_…`` its namespaces and disk images, and
``HOWDAH_LAB=<lab>`` stands in the environment of its processes. Neither a laboratory's name nor a host's
has an underscore, so ``howdah-a_…`` is never the laboratory ``a-b``'s.
"""

from __future__ import annotations

import re

from howdah.errors import UserError

VARIABLE = "HOWDAH_LAB"
"""The environment variable that holds a laboratory's name in each of its processes."""

MACHINE = "HOWDAH_MACHINE"
"""The environment variable that holds the name of the machine that a process runs on."""

SWITCH = "switch"
"""The last part of the name of the namespace with the bridge that joins the hosts."""

CLIENT = "client"
"""The last part of the name of the namespace where jobs are submitted."""

CLIENT_GROUP = "_client"
"""The control group of what is started where jobs are submitted; no host has such a name."""

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?")


def check_lab_name(name: str) -> str:
    """The name, if a laboratory can have it; raises UserError if not."""
    if _NAME.fullmatch(name):
        return name
    raise UserError(
        "--name",
        f"{name!r} is not a laboratory's name",
        "small letters, digits and hyphens between them, 32 at most: lab, ten-gigabit",
    )


def group_name(lab: str) -> str:
    """The laboratory's own control group, above those of its hosts."""
    return f"howdah-{lab}"


def prefix(lab: str) -> str:
    """What the names of its namespaces and disk images begin with."""
    return f"howdah-{lab}_"


def host_space(lab: str, host: str) -> str:
    """The network namespace of a physical host; also that of the machine which is this host."""
    return f"{prefix(lab)}host_{host}"


def machine_space(lab: str, machine: str) -> str:
    """The network namespace of a virtual machine."""
    return f"{prefix(lab)}machine_{machine}"


def image_name(lab: str, machine: str, number: int) -> str:
    """The file that holds a machine's disk, counted from 1."""
    return f"{prefix(lab)}{machine}_{number}.img"
