"""Trying candidates for a search: each once, on disk as it ends, with the progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from howdah.model.tuning import KeptRules, Trial
from howdah.store.tunings import TuningFolder
from howdah.tune.candidates import Candidates, Values

_AT_ONCE = 16
"""So many candidates are tried before they are stored and progress is shown."""


class TuneProgress(NamedTuple):
    """How far a search is."""

    stage: str
    done: int
    """Candidates tried."""
    of: int
    """Candidates to try, as far as that is known."""
    best: float | None
    """How much longer the best candidate so far takes than the rules' plan: -0.1 for 10 % less."""


class Attempts:
    """Tries candidates; those that the folder has, from this process or an earlier one, keep their times.

    ``expected`` is how many candidates the search will try.
    """

    def __init__(
        self,
        folder: TuningFolder,
        candidates: Candidates,
        expected: int,
        show: Callable[[TuneProgress], None],
    ) -> None:
        self.stage = ""
        self._folder = folder
        self._candidates = candidates
        self._expected = expected
        self._show = show
        self._tried: set[frozenset[tuple[str, str]]] = set()
        self._planned_s: float | None = None
        self._best_s: float | None = None

    def planned(self) -> Trial:
        """The trial of the rules' plan, with which the progress compares the others."""
        (trial,) = self([{}])
        self._planned_s = self._best_s = trial.elapsed_s
        return trial

    def __call__(self, several: Sequence[Values]) -> list[Trial]:
        """The trials of candidates, in their order."""
        trials: list[Trial] = []
        for first in range(0, len(several), _AT_ONCE):
            batch = several[first : first + _AT_ONCE]
            new = [values for values in batch if self._folder.recorded(values) is None]
            for new_trial in self._candidates.tried(new) if new else ():
                self._folder.add(new_trial)
            recorded = [trial for values in batch if (trial := self._folder.recorded(values)) is not None]
            for trial in recorded:
                self._note(trial)
            trials += recorded
            self.show()
        return trials

    def show(self) -> None:
        """Report the progress."""
        done = len(self._tried)
        share = self._best_s / self._planned_s - 1 if self._best_s and self._planned_s else None
        self._show(TuneProgress(self.stage, done, max(done, self._expected), share))

    def _note(self, trial: Trial) -> None:
        self._tried.add(frozenset(trial.values.items()))
        admitted = trial.within_rules or self._folder.request.keep is KeptRules.LIMITS
        if admitted and trial.elapsed_s is not None and self._best_s is not None:
            self._best_s = min(self._best_s, trial.elapsed_s)
