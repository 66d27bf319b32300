"""What ``howdah deploy`` is asked for by its flags, looked at before any host is asked."""

from __future__ import annotations

import getpass
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from howdah.errors import UserError
from howdah.session.passwords import read_password


def not_with(flags: Mapping[str, bool], instead: Mapping[str, bool]) -> None:
    """Raise UserError where one of ``flags`` is given with one of ``instead``, or two of those."""
    for flag, value in flags.items():
        given = [name for name, there in {flag: value, **instead}.items() if there]
        if len(given) > 1:
            raise UserError(
                given[1], f"cannot be given with {given[0]}", f"give one of {', '.join([flag, *instead])}"
            )


def ssh_config_file(path: Path | None) -> Path | None:
    """A configuration of ssh's that ssh can read; raises UserError with what it says of another one."""
    if path is None:
        return None
    fix = "give a file such as ~/.ssh/config"
    if not path.is_file():
        raise UserError(f"--ssh-config {path}", "is not a file", fix)
    # It says how it would log in, and does not.
    asked = ["ssh", "-G", "-F", str(path.absolute()), "host"]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, errors="replace", check=False)
    except FileNotFoundError:
        return path  # That there is no ssh is told for all who need it.
    if done.returncode:
        said = (done.stderr.strip() or f"ssh -G: exit {done.returncode}").splitlines()[0]
        raise UserError(f"--ssh-config {path}", f"ssh cannot read it: {said}", fix)
    return path


def secret(flag: str, path: str | None, prompt: str) -> str | None:
    """A password from a file, or from whoever sits there."""
    if path is None:
        return None
    if path == "-":
        if not sys.stdin.isatty():
            raise UserError(
                f"{flag} -",
                "needs a terminal to prompt at, and there is none",
                "give a file with the password",
            )
        return getpass.getpass(prompt)
    return read_password(flag, Path(path))


def mirror_address(text: str) -> str:
    """The address of a mirror; raises UserError for what is none. Hosts say whether they reach it."""
    if not text:
        return ""
    try:
        address = urlsplit(text)
        wrong = address.scheme not in ("http", "https") or not address.hostname or address.port == 0
    except ValueError:
        wrong = True
    if wrong or any(sign in text for sign in "?# "):
        raise UserError(
            f"--mirror {text}", "is not the address of a mirror", "write http://HOST[:PORT][/PATH]"
        )
    return text


def disks_of_hosts(texts: Sequence[str]) -> dict[str, Sequence[str]]:
    """The data disks by host; raises UserError for what names none, or one twice."""
    found: dict[str, Sequence[str]] = {}
    for text in texts:
        host, equals, devices = text.partition("=")
        named = [device for device in devices.split(",") if device]
        if not equals or not host or not named or not all(device.startswith("/dev/") for device in named):
            raise UserError(
                f"--disks {text}", "is not a list of a host's disks", "write HOST=/dev/sdb,/dev/sdc"
            )
        if host in found:
            raise UserError(
                f"--disks {text}",
                f"host {host} is in another --disks, too",
                "list all disks of a host in one --disks",
            )
        if twice := next((device for device in named if named.count(device) > 1), None):
            raise UserError(f"--disks {text}", f"lists {twice} twice", "list each disk once")
        found[host] = named
    return found
