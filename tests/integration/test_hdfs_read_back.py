"""The client that reads back what the ledger's clients wrote, on Hadoop's own file system of this machine."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from howdah.installation.installation import find_installation
from howdah.installation.java_programs import compiled, java_command
from support.hadoop_cluster import needs_hadoop

pytestmark = [needs_hadoop, pytest.mark.xdist_group("read-back")]


def test_a_file_that_is_readable_later_is_not_lost(tmp_path: Path) -> None:
    """DataNodes that a fault had stopped may report their blocks after the first attempt."""
    found = find_installation()
    classes = compiled("hdfs", found.class_path, "")
    installation = found._replace(class_path=(str(classes), *found.class_path))
    late = tmp_path / "ledger/clients/9/f0"
    # A directory cannot be read as a file.
    late.mkdir(parents=True)
    command = java_command(installation, tmp_path, "HdfsBeside", str(tmp_path / "ledger"), "1", "1000")
    lines = []
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            if lines.count("file\t9/f0") == 2 and late.is_dir():
                late.rmdir()
                late.write_bytes(b"%015d\n" % 7)
    assert lines[-1] == "end"
    assert "record\t9/f0\t000000000000007" in lines
    assert not any(line.startswith("unread") for line in lines)
