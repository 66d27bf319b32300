"""Every test meets the Hadoop that `make test` fetched, and no cluster of whoever runs it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

os.environ["HOWDAH_CACHE"] = str(Path(__file__).parents[1] / "build")
for variable in ("HADOOP_HOME", "HADOOP_CONF_DIR", "HADOOP_USER_NAME"):
    os.environ.pop(variable, None)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what is to run in the background so, and what tests start and interrupt would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
