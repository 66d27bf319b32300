"""polars: its line reader, a sort that need not be stable, its CSV writer; by the streaming engine.

It takes all CPUs by itself and has no setting for memory.
"""

from __future__ import annotations

import polars

from benches.task import Task, sync_output, task_of_command_line


def sort(task: Task) -> None:
    """Sort the lines of the input file."""
    lines = polars.scan_lines(task.input, name="line").sort("line", maintain_order=False)
    lines.sink_csv(
        task.output / "part-00000",
        include_header=False,
        separator="\x01",
        quote_style="never",
        engine="streaming",
    )
    sync_output(task.output)


if __name__ == "__main__":
    sort(task_of_command_line())
