"""Checks and changes of the whole HDFS, on a NameNode's host: ready, complete, directories, proof.

howdah_hdfs:
  namenodes: [m1:9870]
  datanodes: [h1, h2]       # wait until all of these are live
  directories: [{path: /tmp, owner: hdfs, mode: "1777"}]   # with an erasure coding policy, if it has one
  homes: [me]               # users that get a directory below /user, unless there is one
  refresh: true             # read the lists of members again
  whole: true               # wait until nothing that one more loss would end is left to replicate
  proof: true               # write a file, read it back, remove it
  left: [h3]                # wait until these are decommissioned
  roll: true                # begin another segment of edits, which every JournalNode is written
  upgrade: prepare          # have a rolling upgrade under way, with an image to go back to; finalize ends it
"""

from __future__ import annotations

import http.client
import json
import os
import time
from glob import glob
from typing import Callable, List, Tuple

from howdah.render.modules.changes import HostChanges, HostRefusal, Json, reported
from howdah.render.modules.masters import INFO, hadoop, hadoop_of, upgrade_under_way
from howdah.render.modules.pages import ACCESS, WebFileSystem, bean, set_login
from howdah.render.modules.releases import OPT
from howdah.render.modules.units import applied

PATIENCE_S = 300.0
POLL_S = 0.5
NAMENODE = "Hadoop:service=NameNode,name="
PROOF = "/tmp/.howdah-proof"


def wait_for(awaited: str, lacks: Callable[[], str], patience_s: float) -> None:
    """Wait until nothing is lacking; raises HostRefusal with what is."""
    deadline = time.monotonic() + patience_s
    while True:
        try:
            lacking = lacks()
        except (OSError, ValueError, http.client.HTTPException, HostRefusal) as error:
            lacking = str(error)
        if not lacking:
            return
        if time.monotonic() > deadline:
            fix = "fix what is missing (--status shows every daemon), then deploy again"
            raise HostRefusal(f"waited {patience_s:.0f} s for {awaited}: {lacking}", fix)
        time.sleep(POLL_S)


def active(namenodes: List[str]) -> Tuple[str, int]:
    """The NameNode that serves; raises HostRefusal if none does."""
    states = []
    for address in namenodes:
        name, _, port = address.rpartition(":")
        try:
            state = str(bean(name, int(port), f"{NAMENODE}NameNodeStatus").get("State"))
        except (OSError, ValueError, http.client.HTTPException) as error:
            state = str(error)
        if state == "active":
            return name, int(port)
        states.append(f"{address} is {state}")
    raise HostRefusal(f"no NameNode is active: {', '.join(states)}")


def not_live(namenodes: List[str], names: List[str]) -> str:
    """DataNodes that the active NameNode lacks, or its safe mode; empty if it accepts files."""
    info = bean(*active(namenodes), f"{NAMENODE}NameNodeInfo")
    live = {key.rpartition(":")[0].lower() for key in json.loads(info.get("LiveNodes") or "{}")}
    lacking = [name for name in names if name.lower() not in live]
    if lacking:
        further = f" and {len(lacking) - 5} more" if lacking[5:] else ""
        return f"not live: {', '.join(lacking[:5])}{further}"
    return str(info.get("Safemode") or "")


def not_whole(namenodes: List[str]) -> str:
    """Blocks that are missing or would be lost with one more host; empty without any."""
    state = bean(*active(namenodes), f"{NAMENODE}FSNamesystem")
    missing = state.get("MissingBlocks", 0)
    urgent = state.get("HighestPriorityLowRedundancyReplicatedBlocks", 0)
    return f"{missing} blocks missing, {urgent} with one replica left" if missing or urgent else ""


def not_drained(namenodes: List[str], leaving: List[str]) -> str:
    """DataNodes that still hold blocks without enough replicas elsewhere; empty without any."""
    info = bean(*active(namenodes), f"{NAMENODE}NameNodeInfo")
    states = {
        key.rpartition(":")[0].lower(): str(node.get("adminState"))
        for part in ("LiveNodes", "DeadNodes")
        for key, node in json.loads(info.get(part) or "{}").items()
    }
    remaining = (name for name in leaving if states.get(name.lower(), "Decommissioned") != "Decommissioned")
    return ", ".join(f"{name} is {states[name.lower()]}" for name in remaining)


def have_directories(host: HostChanges, files: WebFileSystem, entries: List[Json]) -> None:
    """Make the directories of HDFS that are not there, with their owners and modes."""
    for entry in entries:
        path, mode = entry["path"], entry["mode"].lstrip("0") or "0"
        try:
            status = files.request("GET", path, "GETFILESTATUS")["FileStatus"]
        except HostRefusal:
            status = {}
        policy = entry.get("policy") or ""
        if status.get("owner") != entry["owner"] or status.get("permission") != mode:
            host.changes.append(f"directory hdfs:{path}")
            if not host.check:
                files.request("PUT", path, "MKDIRS")
                files.request("PUT", path, "SETOWNER", owner=entry["owner"], group="hadoop")
                files.request("PUT", path, "SETPERMISSION", permission=mode)
        if policy and status.get("ecPolicy") != policy:
            # Existing files are not changed.
            host.changes.append(f"erasure coding hdfs:{path}: {policy}")
            if not host.check:
                files.request("PUT", "/", "ENABLEECPOLICY", ecpolicy=policy)
                files.request("PUT", path, "SETECPOLICY", ecpolicy=policy)


def have_homes(host: HostChanges, files: WebFileSystem, users: List[str]) -> None:
    """Create users' home directories, which their jobs need; existing ones stay as they are."""
    for user in users:
        path = f"/user/{user}"
        try:
            files.request("GET", path, "GETFILESTATUS")
        except HostRefusal:
            host.changes.append(f"directory hdfs:{path}")
            if not host.check:
                files.request("PUT", path, "MKDIRS")
                files.request("PUT", path, "SETOWNER", owner=user)


def prove(namenodes: List[str]) -> None:
    """Write a file, read it back and remove it; raises HostRefusal where it is not the same."""
    content = os.urandom(1 << 20)
    try:
        files = WebFileSystem(*active(namenodes))
        files.write(PROOF, content)
        same = files.read(PROOF) == content
        files.request("DELETE", PROOF, "DELETE")
    except (OSError, http.client.HTTPException) as error:
        fix = "see which DataNode does not answer (--status), and deploy again"
        raise HostRefusal(f"HDFS failed to store and return a file of 1 MiB: {error}", fix) from error
    if not same:
        raise HostRefusal(f"the contents read from {PROOF} differ from what was written")


def prepare_upgrade(host: HostChanges, namenodes: List[str], patience_s: float) -> None:
    """Have HDFS keep an image of its names to go back to, and wait until it does."""
    if upgrade_under_way(*active(namenodes)) is None:
        host.changes.append("prepare HDFS's rolling upgrade")
        single = len(namenodes) == 1
        if single:
            # Without a standby to write the image, nothing may change in the meantime.
            dfsadmin("-safemode", "enter")
        try:
            dfsadmin("-rollingUpgrade", "prepare")
        except HostRefusal:
            if single:
                dfsadmin("-safemode", "leave")
            raise

    def lacks() -> str:
        upgrade = upgrade_under_way(*active(namenodes)) or {}
        return "" if upgrade.get("createdRollbackImages") else "no NameNode has written it yet"

    wait_for("the image to go back to", lacks, patience_s)


def finalize_upgrade(host: HostChanges, namenodes: List[str], patience_s: float) -> None:
    """End a rolling upgrade: the image, and blocks that were deleted since, are kept no longer."""
    where = active(namenodes)
    if upgrade_under_way(*where) is None:
        return
    releases = sorted(entry["key"] for entry in bean(*where, INFO).get("DistinctVersions") or [])
    if len(releases) > 1:
        fix = "deploy one release to all of them, then finalize"
        raise HostRefusal(f"DataNodes run {' and '.join(releases)}", fix)
    dfsadmin("-rollingUpgrade", "finalize")
    host.changes.append("finalize HDFS's rolling upgrade")

    def lacks() -> str:
        return "it is under way" if upgrade_under_way(*active(namenodes)) else ""

    wait_for("HDFS to end the upgrade", lacks, patience_s)


UPGRADE = {"prepare": prepare_upgrade, "finalize": finalize_upgrade}


def dfsadmin(*words: str) -> None:
    """Give an order to the NameNodes as their superuser."""
    hadoop(applied(), "hdfs", "hdfs", "dfsadmin", *words)


def administrator() -> str:
    """Return the administrator of YARN: with Kerberos its own user, if its keytab is on this host."""
    return "yarn" if "yarn" in ACCESS.get("users", {}) else "hdfs"


def run_job() -> None:
    """Compute pi in two tasks; raise HostRefusal with the end of the client's output if it fails."""
    manifest = applied()
    home = f"{OPT}/{hadoop_of(manifest)}"
    jars = sorted(glob(f"{home}/share/hadoop/mapreduce/hadoop-mapreduce-examples-*.jar"))
    if not jars:
        raise HostRefusal(f"{home} has no hadoop-mapreduce-examples, which a small job is of")
    output = hadoop(manifest, administrator(), "hadoop", "jar", jars[-1], "pi", "1", "10")
    if "Estimated value of Pi" not in output:
        raise HostRefusal(f"a small job failed: {output[-300:]}")


@reported(http.client.HTTPException)
def main(args: Json, host: HostChanges, result: Json) -> None:
    """Make the requested changes and checks, in this order."""
    names, patience_s = list(args["namenodes"]), float(args.get("patience_s") or PATIENCE_S)
    set_login(applied())
    if args.get("refresh") and not host.check:
        dfsadmin("-refreshNodes")
        if args.get("yarn"):
            hadoop(applied(), administrator(), "yarn", "rmadmin", "-refreshNodes")
    if args.get("roll") and not host.check:
        dfsadmin("-rollEdits")
    if args.get("datanodes"):
        wait_for("HDFS", lambda: not_live(names, args["datanodes"]), patience_s)
    if args.get("left"):
        wait_for("hosts to be emptied", lambda: not_drained(names, args["left"]), patience_s)
    if args.get("whole"):
        wait_for("HDFS to be whole", lambda: not_whole(names), patience_s)
    if args.get("directories"):
        have_directories(host, WebFileSystem(*active(names)), args["directories"])
    if args.get("homes"):
        have_homes(host, WebFileSystem(*active(names)), args["homes"])
    if args.get("proof") and not host.check:
        prove(names)
    if args.get("upgrade") and not host.check:
        UPGRADE[args["upgrade"]](host, names, patience_s)
    if args.get("job") and not host.check:
        run_job()
