"""What cloud-init is told stays what it is whatever names hold."""

from __future__ import annotations

import json

import pytest
import yaml

from howdah.provision.planned import guest_meta_data, meta_data, network_data, user_data
from support.wanted import KEY, first_boot, wanted_machine

HOSTILE = 'ssh-ed25519 AAAA x"]}, "runcmd": ["reboot"] #: {{ v1 }}'


@pytest.mark.parametrize("key", [KEY, HOSTILE])
def test_a_key_stays_one_text(key: str) -> None:
    text = user_data(wanted_machine(first_boot=first_boot(keys=(key,))))
    assert text.startswith("#cloud-config\n")
    read = yaml.safe_load(text)
    assert read["users"][0]["ssh_authorized_keys"] == [key]
    assert "runcmd" not in read
    assert read["ssh_pwauth"] is False


def test_the_card_is_found_by_its_address_where_there_is_one() -> None:
    by_mac = network_data(first_boot(), "00:50:56:00:00:01")["ethernets"]["howdah0"]
    assert by_mac["match"] == {"macaddress": "00:50:56:00:00:01"}
    assert by_mac["addresses"] == ["10.0.1.1/24"]
    assert by_mac["routes"] == [{"to": "0.0.0.0/0", "via": "10.0.0.1"}]
    alone = network_data(first_boot(gateway=None, name_servers=()), None)["ethernets"]["howdah0"]
    assert alone["match"] == {"name": "e*"}
    assert not {"routes", "nameservers"} & set(alone)
    sixth = network_data(first_boot(address="fd00::11", prefix=64, gateway="fd00::1"), None)
    assert sixth["ethernets"]["howdah0"]["routes"][0]["to"] == "::/0"


def test_a_machine_is_the_same_instance_whatever_else_changes() -> None:
    for address in ("10.0.1.1", "10.0.1.2"):
        machine = wanted_machine(first_boot=first_boot(address=address))
        assert json.loads(meta_data(machine))["instance-id"] == "w1-1.example.com"
        assert json.loads(guest_meta_data(machine))["network"]["version"] == 2
