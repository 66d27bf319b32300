"""Whether a probed machine's file systems hold what a job of the local engine would write."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from howdah.engines.local.memory import USUAL_PROCESS_BYTES
from howdah.engines.local.room import needed_bytes, too_little_room
from howdah.engines.local.workspace import FREE_SHARE, Shortage
from howdah.model.job import Job
from howdah.model.storage import FileSystem


def check_room(job: Job) -> None:
    """Raise UserError if a data directory had too little room when the machine was probed.

    Directories on one file system share its room; of one on an unknown file system nothing is known.
    """
    data_dirs = job.plan.workers[0].data_dirs
    mounts = {name: job.host.mount_of(Path(name)) for name in data_dirs}
    known = {name: mount for name, mount in mounts.items() if isinstance(mount, FileSystem)}
    sharing = Counter(mount.mount for mount in known.values())
    needed = needed_bytes(job, USUAL_PROCESS_BYTES)
    for name, mount in known.items():
        wanted = -(-needed // len(data_dirs)) * sharing[mount.mount]
        room = mount.free_bytes * FREE_SHARE
        if wanted > room:
            raise too_little_room(job, needed, Shortage(Path(name), mount.free_bytes, room / wanted))
