"""The raw disk limit as fio measures it, where fio is installed."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from howdah.engines.local.devices import device_of
from howdah.model.host import Host
from howdah.model.run import DeviceLimit

_TIMEOUT_S = 600


def raw_limit(folder: Path, file_bytes: int, host: Host) -> DeviceLimit | None:
    """Sequential direct writes and reads of one file in 4 MiB blocks, four in flight.

    None where fio is not installed or fails.
    """
    fio = shutil.which("fio")
    if fio is None:
        return None
    scratch = folder / "fio.scratch"
    try:
        written = _rate(fio, scratch, file_bytes, "write")
        read = _rate(fio, scratch, file_bytes, "read")
    except (subprocess.SubprocessError, ValueError, KeyError, IndexError):
        return None
    finally:
        scratch.unlink(missing_ok=True)
    return DeviceLimit(
        data_dir=str(folder.parent.parent),
        device=device_of(folder, host),
        read_bytes_per_s=read,
        write_bytes_per_s=written,
        copy_bytes_per_s=None,
        tool="fio",
    )


def _rate(fio: str, scratch: Path, size: int, direction: str) -> float:
    command = [
        fio,
        "--name=limit",
        # A colon would separate several file names for fio.
        "--filename=" + str(scratch).replace(":", r"\:"),
        f"--rw={direction}",
        f"--size={size}",
        "--bs=4M",
        "--direct=1",
        "--ioengine=libaio",
        "--iodepth=4",
        "--end_fsync=1",
        "--output-format=json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=True)
    return float(json.loads(done.stdout)["jobs"][0][direction]["bw_bytes"])
