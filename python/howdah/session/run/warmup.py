"""A report's making, begun while the end of a run still waits for others."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from howdah.report.renderer import Renderer
    from howdah.session.run.reporting import FinishedRun


class ReportWarmup:
    """Has ready what a report needs, so that the run is not held up by it at its end.

    That is nearly a second: libraries of tables and numbers, and a process that draws.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="howdah-warmup")
        self._renderer: Future[Renderer] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown()
        if self._renderer is not None:
            self._renderer.result().dismiss()

    def begin(self) -> None:
        """Begin, in a thread, unless it has begun."""
        if self._renderer is None:
            self._renderer = self._pool.submit(_started_renderer)

    def report(self, path: Path) -> FinishedRun:
        """Analyse a stored run and write its report."""
        self.begin()
        from howdah.session.run.reporting import report_run  # noqa: PLC0415

        assert self._renderer is not None
        return report_run(path, self._renderer.result())


def _started_renderer() -> Renderer:
    # Imported while the run goes: it does without them until its end.
    from howdah.report.renderer import Renderer  # noqa: PLC0415

    renderer = Renderer()
    import howdah.session.run.reporting  # noqa: F401, PLC0415

    return renderer
