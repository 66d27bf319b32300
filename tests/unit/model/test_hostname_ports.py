"""A host and perhaps a port; all else is refused before anybody is asked."""

from __future__ import annotations

import pytest

from howdah.errors import UserError
from howdah.model.hostname import host_and_port, host_of, port_number, split_address


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
        ("fe80::", "fe80::", 443),
        ("::", "::", 443),
    ],
)
def test_addresses_are_written_with_a_port_or_without(text: str, host: str, port: int) -> None:
    assert host_and_port(text, "--peer", 443) == (host, port)


@pytest.mark.parametrize(
    "text",
    [
        "", ":81", "w02:", "w02:http", "w02:1x", "w02:0", "w02:65536", "w02:-1", "w02:²", "a b", "https://w02",
        "w02/sdk", "root@w02", "[w02]:80", "[::1]80", "w02: 80",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="is not a host and a port") as refused:
        host_and_port(text, "--peer", 443)
    assert refused.value.where == f"--peer {text}"


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("w1:9866", "w1", "9866"),
        ("w1", "w1", ""),
        ("", "", ""),
        (":8088", "", "8088"),
        ("w1:2888:3888", "w1", "2888:3888"),
        ("[fe80::1]:9866", "fe80::1", "9866"),
        ("[fe80::1]", "fe80::1", ""),
        ("fe80::1", "fe80::1", ""),
        ("0:0:0:0:0:0:0:1:9866", "0:0:0:0:0:0:0:1", "9866"),
    ],
)
def test_an_address_is_a_host_and_a_port(text: str, host: str, port: str) -> None:
    assert split_address(text) == (host, port)


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("hdfs://NN1:8020/hbase", "nn1"),
        ("hdfs://[::1]:8020", "::1"),
        ("w1", "w1"),
        (" w1 ", "w1"),
        ("nn1:8020/hbase", "nn1"),
        ("file:///data", ""),
        ("hdfs:/prod", ""),
    ],
)
def test_the_host_of_an_address_with_its_scheme(text: str, host: str) -> None:
    assert host_of(text) == host


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.0.0.0:9870", 9870),
        ("16010", 16010),
        ("w1:0", None),
        ("w1:65536", None),
        ("w1", None),
        ("w1:²", None),
    ],
)
def test_the_port_of_an_address(text: str, number: int | None) -> None:
    assert port_number(text) == number
