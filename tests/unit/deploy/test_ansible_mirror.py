"""Hosts fetch what they are named, and nothing else of this machine."""

from __future__ import annotations

import socket
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from howdah.deploy.ansible import mirror


def test_only_what_is_named_is_served(tmp_path: Path) -> None:
    (tmp_path / "release.tar").write_bytes(b"jars")
    (tmp_path / "secret").write_bytes(b"no")
    with mirror({"release.tar": tmp_path / "release.tar"}) as port:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/release.tar") as answer:
            assert answer.read() == b"jars"
        if socket.has_dualstack_ipv6():
            with urllib.request.urlopen(f"http://[::1]:{port}/release.tar") as answer:
                assert answer.read() == b"jars"
        asked = urllib.request.Request(f"http://127.0.0.1:{port}/release.tar", method="HEAD")
        with urllib.request.urlopen(asked) as answer:
            assert (answer.headers["Content-Length"], answer.read()) == ("4", b"")
        for path in ("secret", "../secret", "release.tar/../secret", ""):
            with pytest.raises(urllib.error.HTTPError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}")
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/release.tar")
