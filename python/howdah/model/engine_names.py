"""What howdah's own engines are called, on the command line, in studies and in records."""

from __future__ import annotations

from typing import Final

LOCAL: Final = "local"
HADOOP: Final = "hadoop"
SIM: Final = "sim"
HOSTS: Final = "hosts"
HBASE: Final = "hbase"
