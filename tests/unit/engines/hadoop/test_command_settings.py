"""Which properties of the jobs a user may set with ``--set``."""

from __future__ import annotations

import pytest

from howdah.engines.hadoop.command import check_settings
from howdah.errors import UserError


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("mapreduce.task.io.sort.mb", "400"),
        ("io.sort.mb", "400"),
        ("my.company.scheduler.hint", "soon"),
        ("test.build.data", "/elsewhere"),
    ],
)
def test_properties_of_hadoop_their_former_names_and_ones_own_are_taken(key: str, value: str) -> None:
    check_settings({key: value})


@pytest.mark.parametrize(
    ("key", "value", "says", "hint"),
    [
        ("dfs.blocksize", "64m", "has its own flag", "--block-size"),
        ("mapreduce.framework.name", "local", "is reserved for howdah", "leave it out"),
        ("mapreduce.task.io.sort.mb", "much", "is not a whole number", "'100'"),
        ("mapreduce.task.io.sort.mbb", "400", "reads this key", "did you mean mapreduce.task.io.sort.mb?"),
        ("mapreduce.map.memory.bm", "400", "reads this key", "did you mean mapreduce.map.memory.mb?"),
    ],
)
def test_what_would_not_do_what_it_says_is_refused(key: str, value: str, says: str, hint: str) -> None:
    with pytest.raises(UserError) as caught:
        check_settings({key: value})
    assert f"--set {key}: " in str(caught.value)
    assert says in str(caught.value)
    assert hint in (caught.value.hint or "")
