"""The ledger finds every violation that is put into a sound history, and nothing in sound ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.faults.ledger import MOST_LISTED, Content, LedgerEntry, compare_with_files
from howdah.model.faults import LedgerReport


@dataclass
class Cluster:
    """HDFS that keeps its word, and a client that works on it; what is not acknowledged is done or not."""

    source: Random
    history: list[LedgerEntry] = field(default_factory=list)
    files: dict[str, Content] = field(default_factory=dict)
    record: int = 0

    def ask(self, operation: str, path: str, of: str, injected: Callable[[], object]) -> bool:
        """Whether it was acknowledged."""
        fails = self.source.random() < 0.1
        if not fails or self.source.random() < 0.5:
            injected()
        self.history.append(LedgerEntry(0, operation, path, of, not fails))
        return not fails

    def work_on(self, number: int) -> None:
        """A file made, written, perhaps renamed, perhaps deleted; after a failure it is left as it is."""
        path, renamed = f"0/f{number}", f"0/r{number}"
        if not self.ask("create", path, "", lambda: self.files.update({path: Content()})):
            return
        for at in range(self.source.randint(0, 5)):
            self.record += 1
            operation = ("hflush", "hsync")[at % 2]
            if not self.ask(
                operation, path, str(self.record), lambda: self.files[path].records.append(self.record)
            ):
                return
        if self.source.random() < 0.4:
            if not self.ask(
                "rename", path, renamed, lambda: self.files.update({renamed: self.files.pop(path)})
            ):
                return
            path = renamed
        if self.source.random() < 0.3:
            self.ask("delete", path, "", lambda: self.files.pop(path))


def sound(seed: int, files: int = 30) -> Cluster:
    cluster = Cluster(Random(seed))
    for number in range(files):
        cluster.work_on(number)
    return cluster


def judged(cluster: Cluster) -> LedgerReport:
    return compare_with_files(cluster.history, cluster.files)


@given(st.integers(0, 10_000))
def test_a_cluster_that_keeps_its_word_is_sound(seed: int) -> None:
    cluster = sound(seed)
    told = judged(cluster)
    assert told.sound, told
    assert told.asked == len(cluster.history) == told.acknowledged + told.failed
    assert told.files == len(cluster.files)


def _written(cluster: Cluster, least: int = 1) -> list[str]:
    """Files whose every record was acknowledged, of at least so many."""
    acknowledged = {
        int(one.of) for one in cluster.history if one.operation.startswith("h") and one.acknowledged
    }
    return sorted(
        name
        for name, content in cluster.files.items()
        if len(content.records) >= least and acknowledged.issuperset(content.records)
    )


def _lose_a_record(cluster: Cluster, source: Random) -> None:
    cluster.files[source.choice(_written(cluster))].records.pop()


def _lose_a_file(cluster: Cluster, source: Random) -> None:
    del cluster.files[source.choice(_written(cluster))]


def _not_read(cluster: Cluster, source: Random) -> None:
    content = cluster.files[source.choice(_written(cluster))]
    content.unread, content.records = "BlockMissingException", []


def _write_unasked(cluster: Cluster, source: Random) -> None:
    cluster.files[source.choice(_written(cluster))].records.append(1_000_000)


def _another_files_record(cluster: Cluster, source: Random) -> None:
    one, other = source.sample(_written(cluster), 2)
    cluster.files[one].records.append(cluster.files[other].records[0])


def _make_unasked(cluster: Cluster, source: Random) -> None:
    cluster.files[f"0/f{source.randint(1000, 2000)}"] = Content()


def _bring_back(cluster: Cluster, source: Random) -> None:
    gone = [one.path for one in cluster.history if one.operation == "delete" and one.acknowledged]
    cluster.files[source.choice(gone)] = Content()


def _swap(cluster: Cluster, source: Random) -> None:
    records = cluster.files[source.choice(_written(cluster, 2))].records
    records[0], records[1] = records[1], records[0]


def _double_a_record(cluster: Cluster, source: Random) -> None:
    records = cluster.files[source.choice(_written(cluster))].records
    records.append(records[-1])


def _keep_both_names(cluster: Cluster, source: Random) -> None:
    cluster.history += [
        LedgerEntry(0, "create", "0/f900", "", True),
        LedgerEntry(0, "rename", "0/f900", "0/r900"),
    ]
    cluster.files |= {"0/f900": Content(), "0/r900": Content()}
    source.random()


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    ("violate", "kind"),
    [
        (_lose_a_record, "lost"),
        (_lose_a_file, "lost"),
        (_not_read, "lost"),
        (_write_unasked, "unasked"),
        (_another_files_record, "unasked"),
        (_make_unasked, "unasked"),
        (_bring_back, "unasked"),
        (_swap, "disordered"),
        (_double_a_record, "doubled"),
        (_keep_both_names, "doubled"),
    ],
)
def test_every_violation_is_found_and_called_what_it_is(
    violate: Callable[[Cluster, Random], None], kind: str, seed: int
) -> None:
    cluster = sound(seed, 60)
    violate(cluster, Random(seed))
    told = judged(cluster)
    kinds = {name for name in ("lost", "unasked", "disordered", "doubled") if getattr(told, name)}
    assert kinds == {kind}


def test_of_many_the_first_are_told_by_name() -> None:
    history = [LedgerEntry(0, "create", f"0/f{number}", "", True) for number in range(30)]
    told = compare_with_files(history, {})
    assert told.lost[0] == "file 0/f0"
    assert told.lost[MOST_LISTED:] == ("and 10 more",)


def test_a_client_that_was_cut_off_leaves_its_last_question_open() -> None:
    history = [
        LedgerEntry(0, "create", "0/f0", "", True),
        LedgerEntry(0, "hsync", "0/f0", "1", True),
        LedgerEntry(0, "hflush", "0/f0", "2"),
    ]
    assert compare_with_files(history, {"0/f0": Content([1])}).sound
    assert compare_with_files(history, {"0/f0": Content([1, 2])}).sound
    assert compare_with_files(history, {"0/f0": Content([2])}).lost == ("record 1 of 0/f0",)
