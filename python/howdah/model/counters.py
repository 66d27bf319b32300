"""What a workload counted of its own work."""

from __future__ import annotations

from howdah.model.base import Model


class Counters(Model):
    """A workload's own counts of bytes and rows; zero if not applicable."""

    input_rows: int = 0
    """Rows read as input."""
    output_rows: int = 0
    """Rows written as output."""
    read_bytes: int = 0
    """Input bytes read, spilled data excluded."""
    written_bytes: int = 0
    """Output bytes written, spilled data excluded."""
    spilled_rows: int = 0
    """Rows that went to intermediate files."""
    spilled_raw_bytes: int = 0
    """Intermediate data before compression."""
    spilled_bytes: int = 0
    """Intermediate data as it lay on disk."""
    spill_read_bytes: int = 0
    """Bytes of intermediate files read back."""
