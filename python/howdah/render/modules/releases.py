"""Releases: one file each, fetched by the host, compared with its digest, and unpacked."""

from __future__ import annotations

import errno
import hashlib
import http.client
import os
import shutil
import tarfile
import urllib.request
from functools import partial
from pathlib import Path

from howdah.render.modules.changes import HostChanges, HostRefusal, Json, read

OPT = "/opt"
DIGEST = ".howdah"  # The file in a release's folder with the digest of its archive.
BLOCK = 1 << 20


def install_releases(host: HostChanges, manifest: Json, args: Json) -> None:
    """Unpack every release of the manifest; raise HostRefusal if one cannot be fetched."""
    for name in manifest["trees"]:
        tree = (args.get("trees") or {}).get(name)
        installed_digest = (read(f"{OPT}/{name}/{DIGEST}") or "").strip()
        if tree is None:
            if Path(OPT, name).is_dir():
                continue
            host.changes.append(f"release {name}")
            if not host.check:
                fix = "give one: -e @releases.json, which howdah hadoop pack writes"
                raise HostRefusal(f"{OPT}/{name} is missing, and no archive of it was given", fix)
        elif installed_digest != tree["sha256"]:
            host.change(f"release {name}", partial(fetch, name, tree, args["mirror"]))


def fetch(name: str, tree: Json, mirror: str) -> None:
    """Fetch a release, and put it in its place once it is whole and the right one."""
    url = f"{address_of(mirror)}/{tree['file']}"
    staging = Path(OPT, f".howdah-{name}")
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(parents=True)
    digest = hashlib.sha256()
    try:
        answer = opener().open(url, timeout=30)
        with answer, (staging / "archive").open("wb") as file:
            for block in iter(lambda: answer.read(BLOCK), b""):
                digest.update(block)
                file.write(block)
        if digest.hexdigest() != tree["sha256"]:
            problem = f"{url} differs from the expected file: its SHA-256 is {digest.hexdigest()}"
            fix = "fill the mirror again (howdah hadoop pack), or check why downloads are truncated"
            raise HostRefusal(problem, fix)
        with tarfile.open(staging / "archive") as archive:
            archive.extractall(staging)
        (staging / name / DIGEST).write_text(tree["sha256"] + "\n")
        target = Path(OPT, name)
        if target.is_dir():
            target.replace(staging / "former")
        (staging / name).replace(target)
    except (OSError, http.client.HTTPException, tarfile.TarError) as error:
        full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        fix = f"free space below {OPT}" if full else "check that the mirror is up and reachable from here"
        raise HostRefusal(f"release {name} from {url}: {error}", f"{fix}, then deploy again") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def download_problem(name: str, file: str, mirror: str) -> str:
    """Why a release cannot be fetched; empty if it can. Nothing of it is fetched."""
    url = file
    try:
        url = f"{address_of(mirror)}/{file}"
        request = urllib.request.Request(url, method="HEAD")
        with opener().open(request, timeout=10):
            return ""
    except HostRefusal as error:
        return error.what
    except (OSError, http.client.HTTPException, ValueError) as error:
        return f"{name} cannot be fetched from {url}: {getattr(error, 'reason', error)}"


def opener() -> urllib.request.OpenerDirector:
    """A client that connects to the given address without any proxy."""
    return urllib.request.build_opener(urllib.request.ProxyHandler({}))


def address_of(mirror: str) -> str:
    """The mirror's address; a port alone belongs to the SSH client's address."""
    if not mirror.startswith(":"):
        return mirror.rstrip("/")
    # It is in sshd's environment; sudo removes it from this process's.
    process = os.getpid()
    while process > 1:
        try:
            entries = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
            variable = next((entry for entry in entries if entry.startswith(b"SSH_CONNECTION=")), b"")
            if variable:
                address = variable.partition(b"=")[2].decode().split()[0]
                return f"http://[{address}]{mirror}" if ":" in address else f"http://{address}{mirror}"
            process = int((read(f"/proc/{process}/stat") or "").rpartition(")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            break
    fix = "give a mirror: --mirror URL"
    raise HostRefusal("cannot determine the address that releases are fetched from", fix)
