"""What a plan's settings say, read as numbers; what they leave out is the release's own default."""

from __future__ import annotations

import re

from howdah import releases
from howdah.errors import UserError
from howdah.model.heap import heap_bytes
from howdah.model.plan import Cluster, Plan, Worker
from howdah.model.value import value_text

_SIZE = re.compile(r"(\d{1,18})([kmgtp]?)", re.IGNORECASE)


class Planned:
    """The settings that hold for one kind of worker."""

    def __init__(self, plan: Plan, cluster: Cluster, kind: Worker) -> None:
        self._version = cluster.request.hadoop
        self._values = {
            setting.key: value_text(setting.value)
            for setting in plan.settings
            if setting.worker in (None, kind.name) and setting.group in (None, kind.group)
        }

    def text(self, key: str) -> str:
        """A property as Hadoop reads it; empty where neither the plan nor its release gives one."""
        given = self._values.get(key)
        if given is not None:
            return given.strip()
        return releases.default_of(key, releases.hadoop(self._version)) or ""

    def number(self, key: str) -> float:
        """A property that is a number; raises UserError where it is none."""
        text = self.text(key)
        try:
            return float(text)
        except ValueError as error:
            raise _wrong(key, text, "a number") from error

    def size(self, key: str) -> int:
        """A property that is a size in bytes, with a prefix or without; raises UserError where it is none."""
        text = self.text(key)
        match = _SIZE.fullmatch(text)
        if match is None:
            raise _wrong(key, text, "a size such as 134217728 or 128m")
        digits, prefix = match.groups()
        return int(digits) << 10 * " kmgtp".find(prefix.lower() or " ")

    def flag(self, key: str) -> bool:
        """A property that is true or false."""
        return self.text(key).lower() == "true"

    def heap(self, kind: str) -> int:
        """The heap of a ``map`` or ``reduce`` task: what its options say, else a share of its container."""
        given = heap_bytes(self.text(f"mapreduce.{kind}.java.opts"))
        if given is not None:
            return given
        share = self.number("mapreduce.job.heap.memory-mb.ratio")
        return int(self.container(kind) * share)

    def container(self, kind: str) -> int:
        """Memory of a ``map`` or ``reduce`` task's container, bytes."""
        mebibytes = self.number(f"mapreduce.{kind}.memory.mb")
        # -1 is Hadoop's own default for "1024, or what the heap needs".
        return int(mebibytes if mebibytes > 0 else 1024) << 20


def _wrong(key: str, text: str, wanted: str) -> UserError:
    return UserError(f"plan: {key}", f"{text!r} is not {wanted}", "correct it in the plan, or plan anew")
