"""Check whether a host's manifest can be applied; change nothing, and report all problems at once.

howdah_look:
  host: "{{ inventory_hostname }}"
  manifest: "{{ lookup('file', 'manifests/worker.json') }}"
  names: [m1, h1, h2]     # hosts that it must resolve by name and by address
  mirror: http://…        # where releases are fetched from, and which; without it this is not checked
  trees: {hadoop-3.5.0: {file: hadoop-3.5.0.tar, bytes: 98000000}}
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import time
from contextlib import suppress
from glob import glob
from pathlib import Path
from typing import Dict, Iterator, List, Tuple

from howdah.render.modules.changes import HostChanges, HostRefusal, Json, read, reported, run
from howdah.render.modules.disks import mount_point, prepare_disks, script
from howdah.render.modules.releases import DIGEST, OPT, download_problem
from howdah.render.modules.units import listening_sockets, show

ROOM = {"/var/log": 1 << 30, "/var/lib": 1 << 30}  # Free bytes for logs and for what masters keep.
ROOM_OF_A_RELEASE = 700 << 20  # The assumed size of a release without one.
Wrong = Tuple[str, str]  # A problem and its remedy.


def problems(manifest: Json, args: Json) -> Iterator[Wrong]:
    """Yield all problems that prevent the manifest from being applied."""
    name, called = str(args["host"]), socket.gethostname()
    if called.lower() not in (name.lower(), name.lower().partition(".")[0]):
        yield f"its own name is {called}", f"hostnamectl set-hostname {name}, or plan for the existing hosts"
    yield from software(manifest)
    yield from processors(manifest, args)
    yield from hardware(manifest, args)
    yield from ports_in_use(manifest)
    yield from names(args)
    yield from room(manifest, args)
    yield from fetching(manifest, args)


def software(manifest: Json) -> Iterator[Wrong]:
    """Problems of its software."""
    if not Path("/run/systemd/system").is_dir():
        yield "systemd is not its first process", "use a distribution with systemd"
    java = shutil.which("java")
    least = manifest["java"]
    install = f"install Java {least}: apt-get install openjdk-{least}-jre-headless"
    output = java_output(java) if java else ""
    version = re.search(r'version "(?:1\.)?(\d+)', output)
    if not java:
        yield "it has no java on the path", install
    elif not version:
        yield f"its java ({java}) does not run: {output or 'it prints nothing'}", install
    elif int(version.group(1)) < least:
        yield f"its java is {version.group(1)}", f"install Java {least} and put it first on the path"
    tools = ["runuser", "blkid"]
    count = (manifest.get("disks") or {}).get("count", 0)
    if not all(os.path.ismount(mount_point(number)) for number in range(1, count + 1)):
        tools += ["parted", "lsblk", "wipefs", "mkfs.xfs" if "mkfs.xfs" in script(manifest) else "mkfs.ext4"]
    if any(daemon["name"] == "zkfc" for daemon in manifest["daemons"]):
        tools += ["ssh-keygen", "fuser"]
    if "kerberos" in manifest:
        # What gets a ticket, and what shows it to pages.
        if lacking := [tool for tool in ("kinit", "curl") if shutil.which(tool) is None]:
            yield f"it has no {', '.join(lacking)}", "install krb5-user (or krb5-workstation) and curl"
        elif "SPNEGO" not in run("curl", "--version"):
            problem = "its curl cannot show tickets: it was built without SPNEGO"
            yield problem, "install the distribution's own curl"
        if not Path("/etc/krb5.conf").is_file():
            yield "it has no /etc/krb5.conf", "create one with the realm and its KDC"
    if lacking := [tool for tool in tools if shutil.which(tool) is None]:
        packages = "util-linux, parted, xfsprogs or e2fsprogs, openssh-client, psmisc"
        yield f"it has no {', '.join(lacking)}", f"install them: {packages}"


def java_output(java: str) -> str:
    """Return the output of `java -version`, or why it failed: a Java for other processors, for instance."""
    command = [java, "-version"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        return f"{error.strerror}, and this is {os.uname().machine}"
    output = (done.stderr + done.stdout).strip()
    return output if done.returncode == 0 else output[-200:]


def processors(manifest: Json, args: Json) -> Iterator[Wrong]:
    """Whether a release's native library, which its DataNode needs, is for processors like these."""
    own = os.uname().machine
    for name, tree in (args.get("trees") or {}).items():
        if manifest.get("native") and tree.get("machine") not in (None, "", own):
            problem = f"its processors are {own}, and {name} has libhadoop for {tree['machine']}"
            plan = "plan with --set dfs.client.read.shortcircuit=false"
            yield problem, f"set HADOOP_HOME to a release for {own}, or {plan}"


def hardware(manifest: Json, args: Json) -> Iterator[Wrong]:
    """Differences from the planned memory and disks."""
    total = re.search(r"^MemTotal:\s+(\d+)", read("/proc/meminfo") or "", re.MULTILINE)
    have, planned = int(total.group(1)) * 1024 if total else 0, manifest["memory_bytes"]
    if have < 0.9 * planned:
        sizes = f"{have / 2**30:.1f} GiB of memory, but was planned with {planned / 2**30:.1f}"
        yield f"it has {sizes}", "probe the hosts again, then plan again"
    try:
        prepare_disks(HostChanges(check=True), manifest, args.get("disks"))
    except HostRefusal as error:
        yield error.what, error.fix


def ports_in_use(manifest: Json) -> Iterator[Wrong]:
    """Ports of its daemons that other processes use."""
    used = {port: inode for _, port, inode in listening_sockets()}
    for daemon in manifest["daemons"]:
        if show(daemon["unit"])["ActiveState"] in ("active", "activating"):
            continue
        for port in daemon["ports"]:
            if port in used:
                problem = f"listens at port {port}, which the {daemon['name']} needs"
                yield f"{holder(used[port]) or 'somebody'} {problem}", "stop it, or plan another port"


def holder(number: str) -> str:
    """The process that holds a socket, by its name and number."""
    for link in glob("/proc/[0-9]*/fd/*"):
        with suppress(OSError):
            if os.readlink(link) == f"socket:[{number}]":
                process = link.split("/")[2]
                return f"{(read(f'/proc/{process}/comm') or '').strip()} ({process})"
    return ""


def names(args: Json) -> Iterator[Wrong]:
    """Hosts, including itself, that it cannot resolve by name and by address."""
    unknown: List[str] = []
    wrong_names: List[str] = []
    for name in args.get("names") or []:
        try:
            address = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)[0][4][0]
            back = socket.gethostbyaddr(str(address))
        except OSError:
            unknown.append(name)
            continue
        names_back = {name_back.lower() for name_back in (back[0], *back[1])}
        if name.lower() not in names_back:
            wrong_names.append(f"{name} resolves backwards to {back[0]}")
        elif name == args["host"] and str(address).startswith("127."):
            wrong_names.append(f"{name} is {address}, which other hosts cannot reach")
    if unknown:
        unresolved = ", ".join(unknown[:3]) + (f" and {len(unknown) - 3} more" if unknown[3:] else "")
        fix = "add all hosts to DNS or /etc/hosts, forwards and backwards"
        yield f"it cannot resolve {unresolved} by name and address", fix
    if wrong_names:
        yield "; ".join(wrong_names[:3]), "correct DNS or /etc/hosts"


def lacking_trees(manifest: Json) -> List[str]:
    """The releases that are not here yet."""
    return [name for name in manifest["trees"] if not Path(OPT, name, DIGEST).exists()]


def room(manifest: Json, args: Json) -> Iterator[Wrong]:
    """File systems without enough space for the deployment; directories may share one."""
    needed = dict(ROOM)
    for name in lacking_trees(manifest):
        # The file and its unpacked contents exist at the same time.
        size = 2 * ((args.get("trees") or {}).get(name) or {}).get("bytes", 0) or ROOM_OF_A_RELEASE
        needed[OPT] = needed.get(OPT, 0) + size
    shared: Dict[int, List[str]] = {}
    for path in needed:
        shared.setdefault(os.stat(existing_parent(path)).st_dev, []).append(path)
    for paths in shared.values():
        place, size = os.statvfs(existing_parent(paths[0])), sum(needed[path] for path in paths)
        if place.f_bavail * place.f_frsize < size:
            free = f"{place.f_bavail * place.f_frsize / 2**20:.0f} MiB free, and {size >> 20} MiB are needed"
            fix = "free some space, or mount a larger file system there"
            yield f"{', '.join(sorted(paths))} has {free}", fix


def existing_parent(path: str) -> str:
    """A directory, or what it will be made in."""
    return next(str(place) for place in (Path(path), *Path(path).parents) if place.is_dir())


def fetching(manifest: Json, args: Json) -> Iterator[Wrong]:
    """Yield a problem if it cannot fetch missing releases from the mirror."""
    mirror, trees = str(args.get("mirror") or ""), args.get("trees") or {}
    for name in lacking_trees(manifest) if mirror else []:
        if name in trees and (why := download_problem(name, trees[name]["file"], mirror)):
            yield why, "make that address reachable, or give a mirror that it can reach: --mirror URL"


@reported()
def main(args: Json, host: HostChanges, result: Json) -> None:
    """Look for every problem."""
    result["changed"] = False
    wrong = [{"what": problem, "fix": fix} for problem, fix in problems(json.loads(args["manifest"]), args)]
    result.update(wrong=wrong, clock_s=time.time())
    if wrong:
        result.update(failed=True, msg="; ".join(f"{entry['what']}: {entry['fix']}" for entry in wrong))
