"""Failed attempts in a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from howdah.units import format_counted


def failures_text(errors: Sequence[str]) -> str:
    """How many attempts failed, and with which error most of them; there is at least one."""
    (error, count), *_ = Counter(errors).most_common(1)
    failed = f"{format_counted(len(errors), 'attempt')} failed"
    if len(errors) > 1:
        failed += ", all" if count == len(errors) else f", {count:,} of them"
    return f"{failed} with: {error or 'no message'}"
