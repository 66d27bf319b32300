"""Releases: one file each, fetched by the host, held against its digest, unpacked beside the others."""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
import urllib.request
from pathlib import Path

from howdah.render.modules.changes import HostChanges, HostRefusal, Json, read

OPT = "/opt"
DIGEST = ".howdah"
"""The file in a release's folder that says what it was unpacked from."""
BLOCK = 1 << 20


def install_releases(host: HostChanges, manifest: Json, args: Json) -> None:
    """Have every release of the manifest unpacked; raises HostRefusal if one cannot be had."""
    for name in manifest["trees"]:
        wanted = (args.get("trees") or {}).get(name)
        there = (read(f"{OPT}/{name}/{DIGEST}") or "").strip()
        if wanted is None:
            if Path(OPT, name).is_dir():
                continue
            host.changes.append(f"release {name}")
            if not host.check:
                raise HostRefusal(f"{OPT}/{name} is missing, and no file to unpack it from was named")
        elif there != wanted["sha256"]:
            host.change(
                f"release {name}",
                lambda name=name, wanted=wanted: fetch(name, wanted, args["mirror"]),  # type: ignore[misc]
            )


def fetch(name: str, wanted: Json, mirror: str) -> None:
    """Fetch a release, and put it in its place once it is whole and the right one."""
    url = f"{address_of(mirror)}/{wanted['file']}"
    staging = Path(OPT, f".howdah-{name}")
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(parents=True)
    digest = hashlib.sha256()
    try:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        answer = opener.open(url, timeout=30)
        with answer, (staging / "archive").open("wb") as file:
            for block in iter(lambda: answer.read(BLOCK), b""):
                digest.update(block)
                file.write(block)
        if digest.hexdigest() != wanted["sha256"]:
            raise HostRefusal(f"{url} is not the file that was named: its SHA-256 is {digest.hexdigest()}")
        with tarfile.open(staging / "archive") as archive:
            archive.extractall(staging)
        (staging / name / DIGEST).write_text(wanted["sha256"] + "\n")
        target = Path(OPT, name)
        if target.is_dir():
            target.replace(staging / "former")
        (staging / name).replace(target)
    except OSError as error:
        raise HostRefusal(f"release {name} from {url}: {error}") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def address_of(mirror: str) -> str:
    """The mirror's address; a port alone is that of whoever sent this."""
    if not mirror.startswith(":"):
        return mirror.rstrip("/")
    address = callers_address()
    return f"http://[{address}]{mirror}" if ":" in address else f"http://{address}{mirror}"


def callers_address() -> str:
    """Where whoever sent this is, as sshd has it; sudo hides it from the environment."""
    process = os.getpid()
    while process > 1:
        try:
            entries = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
            told = next((entry for entry in entries if entry.startswith(b"SSH_CONNECTION=")), b"")
            if told:
                return told.partition(b"=")[2].decode().split()[0]
            process = int((read(f"/proc/{process}/stat") or "").rpartition(")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            break
    raise HostRefusal("cannot tell where releases are fetched from: name a mirror")
