"""Failed attempts in a sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from howdah.units import format_counted

_NUMBER = re.compile(r"\d+")


def most_common_error(errors: Sequence[str]) -> tuple[str, int]:
    """The error of most attempts, and how many had it; the numbers of attempts and containers may differ."""
    forms = [_NUMBER.sub("0", error) for error in errors]
    (form, count), *_ = Counter(forms).most_common(1)
    return errors[forms.index(form)], count


def failures_text(errors: Sequence[str]) -> str:
    """How many attempts failed, and with which error most of them; there is at least one."""
    error, count = most_common_error(errors)
    failed = f"{format_counted(len(errors), 'attempt')} failed"
    if len(errors) > 1:
        failed += ", all" if count == len(errors) else f", {count:,} of them"
    return f"{failed} with: {error or 'no message'}"
