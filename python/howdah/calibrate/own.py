"""What runs of one's own tell beside the published tables' parameters: starts and ends, and today's Java.

In the published runs, of thousands of tasks, starts hide behind the work; in short runs they are most of it.
"""

from __future__ import annotations

from howdah.model.parameter import Parameter

_LABORATORY = "runs of Hadoop 3.5 under Java 17 in laboratories"

OWN: tuple[Parameter, ...] = (
    Parameter(
        "byte_cpu",
        "",
        "CPU of a byte beside that of the studies' Java 6 and 7, in every step alike",
        0.6,
        0.25,
        1.4,
        None,
        "checksums in hardware and ten years of compilers: half, more or less",
    ),
    Parameter(
        "job_start_s", "s", "from a job's submission to its first task", 7.0, 3.0, 16.0, None, _LABORATORY
    ),
    Parameter(
        "job_start_cpu_s", "s", "CPU of starting a job's master on a worker", 2.5, 0.5, 8.0, None, _LABORATORY
    ),
    Parameter("job_end_s", "s", "from a job's last task to its end", 2.5, 1.0, 6.0, None, _LABORATORY),
    Parameter(
        "task_start_s",
        "s",
        "what a task waits before its first byte, beside CPU",
        1.0,
        0.3,
        3.0,
        0.0,
        _LABORATORY,
    ),
    Parameter(
        "task_start_cpu_s", "s", "CPU that starting a task's JVM takes", 2.0, 0.6, 7.0, 0.0, _LABORATORY
    ),
    Parameter("task_end_s", "s", "from a task's last byte to its end", 0.3, 0.1, 1.0, 0.0, _LABORATORY),
)
"""Fitted to run records, and left at their defaults for published tables."""
