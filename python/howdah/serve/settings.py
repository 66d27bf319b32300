"""What a server is started with."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from howdah.jobs import DEFAULT_JOBS_DIR

LOOPBACK = ("127.0.0.1", "::1", "localhost")
DEFAULT_PORT = 8642


class ServeSettings(NamedTuple):
    """Where everything lies, and what visitors may do."""

    runs_dir: Path
    studies_dir: Path = Path("study")
    predictions_dir: Path = Path("predictions")
    jobs_dir: Path = DEFAULT_JOBS_DIR
    plans: tuple[Path, ...] = ()
    """Plans to show, and to simulate runs on."""
    inventory: Path | None = None
    """What the editor of the plan page begins with."""
    conf: tuple[Path, ...] = ()
    """Configuration directories that are held against the first plan."""
    calibration: str | None = None
    """What the simulator is calibrated by: a file, or ``published``."""
    allow_runs: bool = False
    """Whether visitors with the token may start runs."""
    read_only: bool = False
    """Whether nothing at all may be changed."""
    host: str = LOOPBACK[0]
    """The address that is listened on."""

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host in LOOPBACK

    @property
    def plan_names(self) -> list[tuple[str, str]]:
        """Each plan's key and name: its file's, with as many directories as tell files of one name apart."""
        paths = [path.absolute() for path in self.plans]
        depth = 1
        while depth < max((len(path.parts) for path in paths), default=0):
            tails = Counter(path.parts[-depth:] for path in set(paths))
            if max(tails.values()) == 1:
                break
            depth += 1
        alone = Counter(path.name for path in set(paths))
        names = [path.name if alone[path.name] == 1 else "/".join(path.parts[-depth:]) for path in paths]
        return [(f"file-{number}", name) for number, name in enumerate(names, start=1)]

    @property
    def state_dir(self) -> Path:
        """Where the index and the like are kept, apart from the records: a folder for each runs directory."""
        home = os.environ.get("XDG_CACHE_HOME", "")
        cache = Path(home) if home.startswith("/") else Path.home() / ".cache"
        name = hashlib.sha256(os.fsencode(self.runs_dir.resolve())).hexdigest()[:16]
        return cache / "howdah" / "serve" / name
