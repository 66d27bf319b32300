"""Host names, one by one and as the ranges that administrators write: ``w[001-032].example.com``.

A name is letters, digits and hyphens in dot-separated labels (RFC 1123), nothing else: what is not
a host name never comes as far as a file or a script.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_RANGE = re.compile(r"([^\[\]]*)\[(\d+)-(\d+)\]([^\[\]]*)")
_NUMBERED = re.compile(r"^(.*?)(\d+)(\D*)$")
_MOST_NAMES = 1_000_000


def is_hostname(text: str) -> bool:
    """Whether the text is a host name as RFC 1123 allows it, at most 253 characters."""
    return len(text) <= 253 and _NAME.fullmatch(text) is not None


def expand(pattern: str) -> tuple[str, ...]:
    """All names of ``w[001-032]``, in order; a plain name is itself.

    Raises ValueError for what is no host name and for a range that runs backwards or too far.
    """
    match = _RANGE.fullmatch(pattern)
    if match is None:
        names: tuple[str, ...] = (pattern,)
    else:
        before, first, last, after = match.groups()
        if int(last) < int(first):
            raise ValueError(f"{pattern!r} runs backwards: write [{last}-{first}]")
        if int(last) - int(first) >= _MOST_NAMES:
            raise ValueError(f"{pattern!r} is more than {_MOST_NAMES:,} hosts")
        width = len(first)
        names = tuple(f"{before}{number:0{width}d}{after}" for number in range(int(first), int(last) + 1))
    # The names of one range differ only in their digits, so its ends speak for all.
    for name in {names[0], names[-1]}:
        if not is_hostname(name):
            raise ValueError(
                f"{name!r} is not a host name: letters, digits and hyphens, in labels of at most 63, "
                "with dots between them"
            )
    return names


def expand_all(patterns: Iterable[str]) -> tuple[str, ...]:
    """All names of several patterns, in order."""
    return tuple(name for pattern in patterns for name in expand(pattern))


def fold(names: Iterable[str]) -> tuple[str, ...]:
    """The shortest patterns whose expansion is exactly these names in this order."""
    return tuple(_folded(names))


def _folded(names: Iterable[str]) -> Iterator[str]:
    run: list[str] = []
    follows: str | None = None
    for name in names:
        if run and name != follows:
            yield _range(run)
            run = []
        run.append(name)
        follows = _next(name)
    if run:
        yield _range(run)


def _next(name: str) -> str | None:
    """The name that would continue a range: its last number plus one, as wide; none past 99 or without digits."""
    match = _NUMBERED.match(name)
    if match is None:
        return None
    before, digits, after = match.groups()
    number = str(int(digits) + 1)
    if len(number) > len(digits):
        return None
    return f"{before}{number.zfill(len(digits))}{after}"


def _range(run: list[str]) -> str:
    first, last = _NUMBERED.match(run[0]), _NUMBERED.match(run[-1])
    if len(run) == 1 or first is None or last is None:
        return run[0]
    return f"{first.group(1)}[{first.group(2)}-{last.group(2)}]{first.group(3)}"
