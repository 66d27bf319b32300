"""Still pictures of many charts, drawn beside whatever else is to be done."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from howdah.report.figure import Figure
from howdah.report.picture import still

_PATIENCE_S = 5.0


class Artist:
    """A process that is ready to draw a while after it was started.

    What draws is JavaScript: its machine takes a third of a second to start, and while it is at work no
    other thread of its process gets on.
    """

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "howdah.report.drawing"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # Ctrl-C is the parent's to deal with, which then ends it.
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.dismiss()

    def dismiss(self) -> None:
        """End it, if it has not drawn."""
        if self._process.returncode is None:
            self._process.kill()
            self._process.communicate()

    def pictures(self, figures: Sequence[Figure]) -> dict[str, str]:
        """Every figure as SVG, by its id; asked for once."""
        asked = json.dumps([still(figure) for figure in figures])
        answer, complaint = self._process.communicate(asked.encode())
        if self._process.returncode:
            raise RuntimeError(f"what draws has failed: {complaint.decode(errors='replace')}")
        return dict(zip((figure.id for figure in figures), json.loads(answer), strict=True))
