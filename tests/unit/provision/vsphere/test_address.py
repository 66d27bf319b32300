"""A vCenter's address is a host and perhaps a port, and all else is refused before anybody is asked."""

from __future__ import annotations

import pytest

from howdah.errors import UserError
from howdah.provision.vsphere.address import vcenter_address


@pytest.mark.parametrize(
    ("endpoint", "host", "port"),
    [
        ("vc.example.com", "vc.example.com", 443),
        ("vc:8443", "vc", 8443),
        ("127.0.0.1:9", "127.0.0.1", 9),
        ("[::1]:9", "::1", 9),
        ("[fd00::5]", "fd00::5", 443),
        ("fd00::5", "fd00::5", 443),
    ],
)
def test_a_host_and_perhaps_a_port(endpoint: str, host: str, port: int) -> None:
    assert vcenter_address(endpoint) == (host, port)


@pytest.mark.parametrize(
    "endpoint",
    ["", "a b", "https://vc", "vc/sdk", "root@vc", ":443", "vc:", "vc:1x", "vc:0", "vc:99999", "vc:²"],
)
def test_what_is_none_is_named(endpoint: str) -> None:
    with pytest.raises(UserError, match="is no host") as refused:
        vcenter_address(endpoint)
    assert refused.value.where.startswith("--vcenter ")
