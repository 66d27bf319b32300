"""Who is asked for machines."""

from __future__ import annotations

from typing import NamedTuple


class Endpoint(NamedTuple):
    """A vCenter, or each host's libvirt."""

    vcenter: str | None
    libvirt: str | None
