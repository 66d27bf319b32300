"""Operations of the native module: they run beside Python, can be stopped, and say what went wrong."""

from __future__ import annotations

import contextlib
import errno
import math
import threading
import time
from pathlib import Path

import pytest

from howdah import _native
from support.operations import finished
from support.patience import PATIENCE_S

# More points than a machine counts while a test runs, so that only cancelling ends it.
ENDLESS = 2**60


def threads_named(name: str) -> int:
    """How many threads of this process the operating system knows by the name."""
    count = 0
    for comm in Path("/proc/self/task").glob("*/comm"):
        # A thread may end between being listed and being read.
        with contextlib.suppress(OSError):
            count += comm.read_text().strip() == name
    return count


@pytest.fixture
def pool() -> _native.Pool:
    return _native.Pool(4 << 20, 1)


def test_python_goes_on_while_waiting() -> None:
    operation = _native.pi(1, ENDLESS, 1)
    waiting = threading.Event()
    counted = 0

    def count() -> None:
        nonlocal counted
        waiting.wait()
        while not operation.wait(0.0):
            counted += 1
            if counted == 1000:
                operation.cancel()

    counter = threading.Thread(target=count)
    counter.start()
    waiting.set()
    # Were the GIL held here, nobody could cancel, and this would time out.
    assert operation.wait(PATIENCE_S)
    counter.join()
    assert counted >= 1000


def test_waiting_ends_at_the_timeout_and_at_the_end() -> None:
    operation = _native.pi(1, ENDLESS, 1)
    start = time.monotonic()
    assert not operation.wait(0.05)
    assert time.monotonic() - start >= 0.05
    operation.cancel()
    assert operation.wait(math.inf)
    assert operation.wait(0.0)


@pytest.mark.parametrize("timeout_s", [-1.0, math.nan])
def test_a_timeout_that_is_no_duration_is_refused(timeout_s: float) -> None:
    with pytest.raises(ValueError, match="timeout_s"):
        _native.pi(1, 1, 1).wait(timeout_s)


def test_cancelling_ends_the_work() -> None:
    operation = _native.pi(1, ENDLESS, 1)
    operation.cancel()
    with pytest.raises(_native.Cancelled):
        finished(operation)


def test_a_dropped_operation_is_cancelled_and_joined() -> None:
    operation = _native.pi(1, ENDLESS, 1)
    while operation.progress().done_bytes == 0:
        assert not operation.wait(0.001)
    assert threads_named("howdah-pi") > 0
    del operation
    # The operating system may list a thread for a moment after it was joined.
    deadline = time.monotonic() + PATIENCE_S
    while threads_named("howdah-pi") > 0:
        assert time.monotonic() < deadline


def test_no_result_before_the_end_and_the_same_result_ever_after() -> None:
    operation = _native.pi(1, ENDLESS, 1)
    with pytest.raises(RuntimeError, match="still running"):
        operation.result()
    operation = _native.pi(10, 100, 1)
    assert finished(operation).inside == operation.result().inside == 787


def test_times_are_on_pythons_monotonic_clock() -> None:
    before = time.monotonic_ns()
    operation = _native.pi(3, 1000, 2)
    finished(operation)
    after = time.monotonic_ns()
    [(name, start, end)] = operation.phases()
    assert name == "map"
    assert before <= start <= end <= after
    tasks = operation.take_tasks()
    assert sorted(task.task for task in tasks) == [0, 1, 2]
    for task in tasks:
        assert task.kind == "map"
        assert task.slot in {0, 1}
        assert start <= task.start_ns <= task.end_ns <= end
    assert operation.take_tasks() == []


def test_progress_names_the_phase_and_grows() -> None:
    operation = _native.pi(1, ENDLESS, 1)
    deadline = time.monotonic() + PATIENCE_S
    while operation.progress().done_bytes == 0:
        assert time.monotonic() < deadline
    progress = operation.progress()
    assert progress.phase == "map"
    assert progress.total_bytes == ENDLESS


def test_a_pool_serves_one_operation_at_a_time(pool: _native.Pool, tmp_path: Path) -> None:
    operation = _native.storage_write(pool, [str(tmp_path / "file")], 2**50)
    with pytest.raises(RuntimeError, match="in use"):
        _native.storage_read(pool, [])
    operation.cancel()
    with pytest.raises(_native.Cancelled):
        finished(operation)
    # It is free again after the failure, and nothing half-written is left.
    assert finished(_native.storage_read(pool, [])).files == []
    assert list(tmp_path.iterdir()) == []


def test_the_users_mistakes_are_input_errors(pool: _native.Pool, tmp_path: Path) -> None:
    with pytest.raises(_native.InputError) as refused:
        finished(_native.pi(0, 1, 1))
    assert refused.value.args == ("maps", "is 0", "give at least 1")
    with pytest.raises(_native.InputError) as refused:
        finished(_native.dfsio_write(pool, [str(tmp_path / "file")], 1, 1000, 0))
    assert refused.value.args == (
        "memory",
        f"{4 << 20} bytes are too few for this work",
        f"give at least {1000 << 20} bytes",
    )


def test_the_operating_systems_refusals_carry_number_and_file(pool: _native.Pool, tmp_path: Path) -> None:
    there, missing = tmp_path / "there", tmp_path / "missing"
    there.touch()
    with pytest.raises(FileExistsError) as refused:
        finished(_native.storage_write(pool, [str(there)], 1))
    assert (refused.value.errno, refused.value.filename) == (errno.EEXIST, str(there))
    assert refused.value.strerror == "cannot create: File exists"
    with pytest.raises(FileNotFoundError) as lost:
        finished(_native.storage_read(pool, [str(missing)]))
    assert (lost.value.errno, lost.value.filename) == (errno.ENOENT, str(missing))


def test_a_pool_of_no_or_too_much_memory_is_refused() -> None:
    with pytest.raises(_native.InputError):
        _native.Pool(0, 1)
    for size_bytes in [2**50, 2**63, 2**64 - 1]:
        with pytest.raises(MemoryError, match=str(size_bytes)):
            _native.Pool(size_bytes, 1)


def test_a_pool_has_at_least_the_size_asked_for() -> None:
    assert 3_000_000 <= _native.Pool(3_000_000, 1).size_bytes <= 3_000_000 + (2 << 20)
