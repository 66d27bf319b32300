"""What a site's values may be: names, addresses, keys, and no secret."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, WithJsonSchema

from howdah.model.base import Model
from howdah.model.hostname import expand_all
from howdah.model.inventory import HostPattern
from howdah.model.wrong import WrongValue

_MAC = re.compile(r"[0-9a-f]{2}(?::[0-9a-f]{2}){5}")
_KEY = re.compile(r"(?:ssh|ecdsa|sk)-[a-z0-9@.-]+ [A-Za-z0-9+/]+=*(?: [^\x00-\x1f\x7f]*)?")
_LOGIN = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
_SECRETS = ("password", "pass", "secret", "token")


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:37]}...")


def _name(text: str) -> str:
    if not text.strip() or len(text) > 200 or not text.isprintable():
        raise WrongValue(f"{_shown(text)} is not a name", "write a line of at most 200 printable characters")
    return text


def _address(text: str) -> str:
    try:
        return str(ip_address(text))
    except ValueError:
        raise WrongValue(f"{_shown(text)} is not an address", "write, for example, 10.0.0.11") from None


def _mac(text: str) -> str:
    lowered = text.lower().replace("-", ":")
    if not _MAC.fullmatch(lowered):
        raise WrongValue(f"{_shown(text)} is not a MAC address", "write, for example, 00:50:56:00:00:11")
    if int(lowered[:2], 16) & 1:
        raise WrongValue(f"{text} is a multicast address", "its first byte must be even")
    return lowered


def _key(text: str) -> str:
    if "PRIVATE KEY" in text:
        # It must not be repeated on a terminal.
        raise WrongValue("is a private key", "give the public key, the line of a file that ends in .pub")
    if not _KEY.fullmatch(text):
        raise WrongValue(
            f"{_shown(text)} is not a public ssh key", "one line, for instance ssh-ed25519 AAAA…"
        )
    return text


def _login(text: str) -> str:
    if not _LOGIN.fullmatch(text):
        raise WrongValue(f"{_shown(text)} is not a user's name", "small letters, digits, _ and -")
    return text


def no_secret(data: Any) -> Any:
    """The same; raises WrongValue for a key that would hold a password."""
    for key in data if isinstance(data, dict) else ():
        if str(key).lower() in _SECRETS:
            raise WrongValue(
                "a site contains no secrets",
                "leave it out: howdah prompts for it, or give --password-file",
                (key,),
            )
    return data


def some(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same; raises WrongValue for an empty list."""
    if not values:
        raise WrongValue("is an empty list", "list at least one")
    return values


def _patterns(patterns: tuple[str, ...]) -> tuple[str, ...]:
    expand_all(patterns)
    return some(patterns)


Named = Annotated[str, AfterValidator(_name)]
"""The name of something of the site's own."""
Address = Annotated[str, AfterValidator(_address)]
"""An IPv4 or IPv6 address."""
MacAddress = Annotated[str, AfterValidator(_mac)]
"""A network card's address, ``00:50:56:00:00:11``."""
PublicKey = Annotated[str, AfterValidator(_key)]
"""A public ssh key on one line."""
Login = Annotated[str, AfterValidator(_login)]
"""A user of the machines' operating system."""
Hosts = Annotated[
    tuple[HostPattern, ...], AfterValidator(_patterns), WithJsonSchema({"type": "array", "minItems": 1})
]
"""Names of machines or hosts, ``w[01-32].example.com`` for a range."""


class SitePart(Model):
    """Written back under the names it was read by."""

    model_config = ConfigDict(serialize_by_alias=True)
