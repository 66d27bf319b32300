"""A report's making, begun while the end of a run still waits for others."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from howdah.errors import MissingExtra

if TYPE_CHECKING:
    from howdah.report.renderer import Renderer
    from howdah.session.run.reporting import FinishedRun


class ReportWarmup:
    """Has ready what a report needs, so that the run is not held up by it at its end.

    That is nearly a second: libraries of tables and numbers, and a process that draws.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="howdah-warmup")
        self._renderer: Future[Renderer | None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown()
        if self._renderer is not None:
            renderer = self._renderer.result()
            if renderer is not None:
                renderer.dismiss()

    def begin(self) -> None:
        """Begin, in a thread, unless it has begun."""
        if self._renderer is None:
            self._renderer = self._pool.submit(_started_renderer)

    def report(self, path: Path) -> FinishedRun:
        """Analyse a stored run and write its report, unless the extra for charts is missing."""
        self.begin()
        from howdah.session.run.reporting import FinishedRun, analyse_run, report_run  # noqa: PLC0415

        assert self._renderer is not None
        renderer = self._renderer.result()
        if renderer is None:
            return FinishedRun(*analyse_run(path), path, None)
        return report_run(path, renderer)


def _started_renderer() -> Renderer | None:
    """What draws charts; None without the extra."""
    # Imported while the run goes: it does without them until its end.
    from howdah.report.renderer import Renderer  # noqa: PLC0415

    try:
        renderer = Renderer()
    except MissingExtra:
        renderer = None
    import howdah.session.run.reporting  # noqa: F401, PLC0415

    return renderer
