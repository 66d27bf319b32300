"""A host described from what a program read there: the same as if it were described on itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.probe import recorder
from howdah.probe.host import probe_host
from howdah.probe.remote import RemoteInquiry, lay_out, probe_remote

CHANGES = {"memory": {"available_bytes"}, "virtualisation": {"steal_share"}}
"""What is another number at every moment."""


def test_this_machine_is_the_same_read_over_a_pipe(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, recorder.__file__], capture_output=True, check=True)
    told = json.loads(done.stdout)
    lay_out(told, tmp_path)
    there, here = probe_host(tmp_path, RemoteInquiry(told)), probe_host()
    for part in ("cpu", "memory", "disks", "nics", "virtualisation", "software"):
        left, right = (getattr(host, part) for host in (there, here))
        if part in CHANGES:
            left, right = (one.model_dump(exclude=CHANGES[part]) for one in (left, right))
        assert left == right


def test_no_path_leads_out_of_the_folder(tmp_path: Path) -> None:
    root = tmp_path / "root"
    told = {"folders": ["/../../a"], "files": {"/../../b": "text"}, "links": {"/c": "/etc/passwd"}}
    lay_out(told, root)
    assert {path.name for path in tmp_path.iterdir()} == {"root"}
    assert not (root / "c").exists()


@pytest.mark.parametrize("name", ["-oProxyCommand=id", "h1;id", ""])
def test_what_is_no_host_name_reaches_no_command(name: str) -> None:
    with pytest.raises(UserError, match="is not a host name"):
        probe_remote(name, None)
