"""Host names and ranges of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howdah.model.base import WrongValue
from howdah.model.hostname import MOST_HOSTS, expand, expand_all, fold, is_hostname

_LABEL = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,5}[a-z0-9])?", fullmatch=True)
_NAMES = st.lists(
    st.one_of(
        st.lists(_LABEL, min_size=1, max_size=3).map(".".join),
        st.builds("w{:0{}d}.dc{}".format, st.integers(0, 120), st.integers(1, 3), st.integers(1, 2)),
    ).filter(is_hostname)
)


@given(_NAMES)
def test_folded_names_expand_to_themselves(names: list[str]) -> None:
    assert expand_all(fold(names)) == tuple(names)


@given(
    st.integers(0, 2000), st.integers(1, 300), st.integers(1, 5), st.sampled_from(["", ".dc1.example.com"])
)
def test_a_range_is_one_pattern(first: int, count: int, width: int, domain: str) -> None:
    names = [f"rack7-w{number:0{width}d}{domain}" for number in range(first, first + count)]
    assert len(fold(names)) == 1
    assert expand_all(fold(names)) == tuple(names)


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("w", ("w",)),
        ("w[8-11]", ("w8", "w9", "w10", "w11")),
        ("w[08-11].x", ("w08.x", "w09.x", "w10.x", "w11.x")),
        ("w[3-3]", ("w3",)),
        ("[1-2]w", ("1w", "2w")),
    ],
)
def test_ranges_are_expanded(pattern: str, names: tuple[str, ...]) -> None:
    assert expand(pattern) == names


def test_the_most_hosts_are_as_many_as_are_allowed() -> None:
    assert len(expand(f"w[1-{MOST_HOSTS}]")) == MOST_HOSTS
    with pytest.raises(WrongValue, match="more than 100,000 hosts"):
        expand(f"w[0-{MOST_HOSTS}]")
    with pytest.raises(WrongValue, match="more than 100,000 hosts") as caught:
        expand_all(["a[1-99999]", "b[1-99999]"])
    assert caught.value.hint


def test_a_range_may_not_grow_out_of_a_name() -> None:
    assert is_hostname("x" * 62 + "9")
    with pytest.raises(WrongValue, match="not a host name"):
        expand(f"{'x' * 62}[9-10]")


@pytest.mark.parametrize("name", ["a", "A-b.c", "5", "w1.5x", "a" * 63, ".".join(["a" * 61] * 4)])
def test_host_names(name: str) -> None:
    assert is_hostname(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "a.",
        "a" * 64,
        "10.0.0.1",
        "1.2",
        "a\n",
        "\N{LATIN SMALL LETTER A WITH DIAERESIS}",
        "\N{KELVIN SIGN}",
        ".".join(["a" * 63] * 4),
    ],
)
def test_no_host_names(name: str) -> None:
    assert not is_hostname(name)
