"""A report's making, begun while the end of a run still waits for others."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from howdah.report.artist import Artist
    from howdah.session.run.reporting import Finished


class Ahead:
    """Has ready what a report needs, so that the run is not held up by it at its end.

    That is nearly a second: libraries of tables and numbers, and a process that draws.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="howdah-ahead")
        self._artist: Future[Artist] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown()
        if self._artist is not None:
            self._artist.result().dismiss()

    def begin(self) -> None:
        """Begin, in a thread, unless it has begun."""
        if self._artist is None:
            self._artist = self._pool.submit(_call_artist)

    def report(self, path: Path) -> Finished:
        """Analyse a stored run and write its report."""
        self.begin()
        from howdah.session.run.reporting import report_run  # noqa: PLC0415

        assert self._artist is not None
        return report_run(path, self._artist.result())


def _call_artist() -> Artist:
    # Imported while the run goes: it does without them until its end.
    from howdah.report.artist import Artist  # noqa: PLC0415

    artist = Artist()
    import howdah.session.run.reporting  # noqa: F401, PLC0415

    return artist
