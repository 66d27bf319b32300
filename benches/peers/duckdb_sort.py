"""DuckDB: its parallel CSV reader over a single text column, ORDER BY, COPY TO.

Insertion order need not be kept, and rows hold no delimiter, quote or escape, so neither reader nor
writer has anything to look for.
"""

from __future__ import annotations

import duckdb

from benches.task import Task, sync_output, task_of_command_line

# A byte that no row holds.
_NO_DELIMITER = "\x01"


def sort(task: Task) -> None:
    """Sort the lines of the input file."""
    connection = duckdb.connect(
        config={
            "threads": task.threads,
            "memory_limit": f"{task.memory_bytes}B",
            "temp_directory": str(task.scratch),
            "preserve_insertion_order": False,
        }
    )
    connection.execute(
        f"""
        COPY (
            SELECT line
            FROM read_csv('{task.input}', columns = {{'line': 'VARCHAR'}}, auto_detect = false,
                          header = false, delim = '{_NO_DELIMITER}', quote = '', escape = '')
            ORDER BY line
        )
        TO '{task.output / "part-00000"}'
        (FORMAT csv, HEADER false, DELIMITER '{_NO_DELIMITER}', QUOTE '', ESCAPE '')
        """
    )
    connection.close()
    sync_output(task.output)


if __name__ == "__main__":
    sort(task_of_command_line())
