"""What tests of machines by libvirt share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.libvirt_hosts import libvirt_hosts


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[dict[str, Any]]:
    with libvirt_hosts(tmp_path) as connections:
        yield connections
