"""GNU sort: bytes compared as bytes, all threads, and as much memory as the task has."""

from __future__ import annotations

import os
import subprocess

from benches.task import Task, sync_output, task_of_command_line


def sort(task: Task) -> None:
    """Sort the lines of the input file."""
    command = [
        "sort",
        f"--buffer-size={task.memory_bytes}b",
        f"--parallel={task.threads}",
        f"--temporary-directory={task.scratch}",
        f"--output={task.output / 'part-00000'}",
        str(task.input),
    ]
    subprocess.run(command, env={**os.environ, "LC_ALL": "C"}, check=True)
    sync_output(task.output)


if __name__ == "__main__":
    sort(task_of_command_line())
