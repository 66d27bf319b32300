"""A site is read whole, and what is wrong with it is told at its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from howdah.documents.files import read_site, site_schema
from howdah.documents.read import DocumentKind
from howdah.errors import UserError
from howdah.model.site import MachineSite
from support.vcenter import site_text

TEXT = site_text(Path("ca.pem"))


def _read(text: str) -> MachineSite:
    return DocumentKind("a site", "give a site", MachineSite).parse(text, "site.yaml")


def test_a_range_counts_addresses_up() -> None:
    addresses = _read(TEXT).addresses
    assert addresses["w1-1.example.com"] == ("10.0.1.1", "00:50:56:00:01:01", None)
    assert addresses["w3-1.example.com"] == ("10.0.1.3", "00:50:56:00:01:03", None)
    assert addresses["w3-2.example.com"] == ("10.0.2.3", None, None)


def test_names_of_devices_stand_for_many() -> None:
    entry = _read(TEXT).by_host["w2.example.com"]
    assert entry.names("datastores", "w2.example.com")[:2] == ("w2-data-01", "w2-data-02")
    assert len(entry.names("datastores", "w2.example.com")) == 20
    assert entry.names("devices", "w2.example.com") == ()
    assert entry.names("system_datastore", "w2.example.com") == ("LocalDS_0",)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("AAAAC3NzaC", "-----BEGIN OPENSSH PRIVATE KEY", "ssh.keys[0]: is a private key"),
        ("ssh-ed25519 A", "rot13 A", "is not a public ssh key"),
        ("admin@example.com", "admin\\nroot", "is not a public ssh key"),
        ("10.0.1.1", "10.0.1.256", "machines[0].address: '10.0.1.256' is not an address"),
        ("10.0.2.1", "10.0.1.3", "w1-2.example.com would have 10.0.1.3, which belongs to w3-1.example.com"),
        ("10.0.2.1", "255.255.255.254", "leaves too few addresses above it"),
        ("00:50:56:00:01:01", "01:50:56:00:01:01", "is a multicast address"),
        ("00:50:56:00:01:01", "00:50:56", "is not a MAC address"),
        ("w[1-3]-2", "w[1-3]-1", "w1-1.example.com is listed twice"),
        ("user: howdah", "user: howdah\n  Password: x", "a site contains no secrets"),
        ("port_group", "portgroup", "vcenter.portgroup: is an unknown key"),
        ("datastores:", "devices: [a]\n    datastores:", "data disks are given twice"),
        ("datastores:", "devices: [a, b, a] #", "hosts[0].devices: a is listed twice"),
        ("prefix: 16", "prefix: 129", "network.prefix: 129 is too large"),
        ("prefix: 16", "prefix: 64", "network.prefix: is 64, and w1-1.example.com's address 10.0.1.1 has 32"),
        ("cluster: DC0_C0", 'cluster: "a\\u0007b"', "is not a name"),
    ],
)
def test_what_is_wrong_is_told_at_its_place(old: str, new: str, said: str) -> None:
    assert old in TEXT
    with pytest.raises(UserError) as caught:
        _read(TEXT.replace(old, new, 1))
    assert said in str(caught.value)
    assert str(caught.value).startswith("site.yaml:")
    assert "OPENSSH" not in str(caught.value) + caught.value.hint


def test_a_site_needs_a_hypervisor() -> None:
    head, _, tail = TEXT.partition("vcenter:")
    without = head + tail[tail.index("network:") :]
    with pytest.raises(UserError, match="has no section for a hypervisor"):
        _read(without)


def test_the_schema_describes_every_key() -> None:
    schema = json.loads(site_schema())
    for name, part in schema["$defs"].items():
        for key, described in part.get("properties", {}).items():
            assert "description" in described, f"{name}.{key}"
    assert json.loads((Path(__file__).parents[3] / "schemas" / "site.schema.json").read_text()) == schema


@pytest.mark.parametrize("example", ["vsphere", "kvm"])
def test_the_examples_are_sites(example: str) -> None:
    file = Path(__file__).parents[3] / "examples" / "sites" / f"{example}.yaml"
    assert read_site(file).addresses
