"""A host and perhaps a port; all else is refused before anybody is asked."""

from __future__ import annotations

import pytest

from howdah.errors import UserError
from howdah.model.hostname import host_and_port


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("w02", "w02", 443),
        ("w02.example.com:81", "w02.example.com", 81),
        ("10.0.0.2", "10.0.0.2", 443),
        ("10.0.0.2:81", "10.0.0.2", 81),
        ("fe80::1", "fe80::1", 443),
        ("[fe80::1]", "fe80::1", 443),
        ("[fe80::1]:81", "fe80::1", 81),
    ],
)
def test_addresses_are_written_with_a_port_or_without(text: str, host: str, port: int) -> None:
    assert host_and_port(text, "--peer", 443) == (host, port)


@pytest.mark.parametrize(
    "text",
    [
        "", ":81", "w02:", "w02:http", "w02:1x", "w02:0", "w02:65536", "w02:-1", "w02:²", "a b", "https://w02",
        "w02/sdk", "root@w02",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="is not a host and a port") as refused:
        host_and_port(text, "--peer", 443)
    assert refused.value.where == f"--peer {text}"
