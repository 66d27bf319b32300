"""What the unit tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def _store_does_not_wait_for_the_disk(request: pytest.FixtureRequest) -> Iterator[None]:
    """Spare the store's tests thousands of fsyncs; one test looks at what is synced, and when."""
    with pytest.MonkeyPatch.context() as patch:
        if request.module.__name__.startswith("test_store"):
            patch.setattr(os, "fsync", lambda _descriptor: None)
        yield
