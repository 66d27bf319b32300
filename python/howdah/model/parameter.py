"""The simulator's parameters that calibration seeks: what each means, and what was known of it before.

All others have defaults of their own (``crates/howdah-sim/src/parameters.rs``), from measurements or the
literature. None of them knows a platform, a workload's name or a size. CPU costs are seconds of one core
of the reference study's hosts, a Xeon E5-2680 v2 under Sun Java 7, that shares nothing.
"""

from __future__ import annotations

from typing import NamedTuple


class Parameter(NamedTuple):
    """One number that cannot be measured by itself."""

    name: str
    """Its name, as the simulator reads it."""
    unit: str
    """Its unit; empty for a pure number."""
    meaning: str
    """What it says."""
    default: float
    """Its value where nothing is calibrated, and the most likely one before data is seen."""
    low: float
    """The least that is plausible: with ``high``, 95 % of what was thought possible."""
    high: float
    """The most that is plausible."""
    off: float | None
    """The value at which its mechanism does nothing; None where it cannot be without."""
    source: str
    """Where default and range come from."""


PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "generate_s_per_byte",
        "s/B",
        "CPU time to generate TeraGen's rows and their checksums",
        4.8e-09,
        2e-09,
        1.5e-08,
        None,
        "random numbers and 100 bytes a row in Java: 0.1 to 0.5 GB/s a core",
    ),
    Parameter(
        "row_stall_s_per_byte",
        "s/B",
        "time that a task which writes rows waits in addition to its CPU time: for garbage collection and "
        "for its output stream",
        1.1e-08,
        4e-09,
        3e-08,
        0.0,
        "D0 table 3: 50 MB/s a task while half of the CPU is idle",
    ),
    Parameter(
        "write_s_per_byte",
        "s/B",
        "CPU time to receive one replica, verify its checksums and pass it to the disk",
        1.3e-09,
        5e-10,
        4e-09,
        None,
        "CRC and TCP receive paths of that time: 0.3 to 2 GB/s a core",
    ),
    Parameter(
        "map_s_per_byte",
        "s/B",
        "CPU time of a map of TeraSort to read, partition, collect and write rows, without sorting and codec",
        2.2e-08,
        1e-08,
        4.5e-08,
        None,
        "14 to 16 s a map of 256 MiB in D0's tables 1 and 2",
    ),
    Parameter(
        "reduce_s_per_byte",
        "s/B",
        "CPU time of a reduce to read merged rows and pass them to the output stream",
        1e-09,
        3e-10,
        6e-09,
        None,
        "less than what makes the rows",
    ),
    Parameter(
        "scale_up_cost",
        "",
        "fraction of CPU time that each further CPU of an operating system adds to the same work",
        0.0045,
        0.0015,
        0.012,
        0.0,
        "Gunther's universal scalability law: 0.1 to 1 % a CPU for systems of that time",
    ),
    Parameter(
        "remote_memory_cost",
        "",
        "fraction of CPU time that is added if all memory is on another NUMA node",
        0.15,
        0.05,
        0.45,
        0.0,
        "D0 15: 27 % of accesses over the interconnect; remote latency 1.5 to 2 times local",
    ),
    Parameter(
        "page_walk_cost",
        "",
        "fraction of CPU time that nested page walks to remote memory add in a virtual machine",
        0.3,
        0.1,
        0.8,
        0.0,
        "D0 149: half of one large machine's 12 %",
    ),
    Parameter(
        "softness",
        "",
        "how strictly a stream follows its slowest resource alone",
        22.0,
        6.0,
        80.0,
        1000.0,
        "infinite where stages overlap perfectly, 1 where each waits for the one before",
    ),
    Parameter(
        "write_seek_s",
        "s",
        "time that a fast rotating disk needs to switch from one stream to another when it writes",
        0.0042,
        0.002,
        0.009,
        0.0,
        "data sheets of 10,000 rpm disks: 4.5 ms seek, 3 ms half a turn, less where the elevator sorts",
    ),
    Parameter(
        "block_s",
        "s",
        "time to set up the writing of one block, by NameNode and DataNodes together",
        0.16,
        0.04,
        0.6,
        0.0,
        "D1 83: TeraGen slows only at 8 MB a block",
    ),
    Parameter(
        "task_cpu_s",
        "s",
        "CPU time to set up and commit a task, in any JVM",
        0.75,
        0.2,
        2.5,
        0.0,
        "D1 83: 8 MB blocks make TeraSort nearly three times slower",
    ),
    Parameter(
        "namenode_block_s",
        "s",
        "CPU time of the NameNode for each written replica of a block, and for each located block",
        0.00016,
        4e-05,
        0.0006,
        None,
        "D1 table 2",
    ),
    Parameter(
        "scheduler_task_s",
        "s",
        "CPU time of the scheduler to set up, assign, follow and commit a task",
        0.0054,
        0.002,
        0.015,
        None,
        "D1 87: 75 to 81 % of a core at 100 tasks a second",
    ),
)

BYTE_CPU = "byte_cpu"
_LABORATORY = "runs of Hadoop 3.5 under Java 17 in labs"
OWN: tuple[Parameter, ...] = (
    Parameter(
        BYTE_CPU,
        "",
        "CPU of a byte compared with that of the studies' Java 6 and 7, the same in every step",
        0.6,
        0.25,
        1.4,
        None,
        "checksums in hardware and ten years of compilers: about half",
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
        "what a task waits before its first byte, in addition to CPU",
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

_ONE_JVM = "TeraSort's programs in one JVM of Java 17 on 10 to 400 MB, measured with and without the compiler"
QUICK_START, QUICK_CODE = "quick_start", "quick_code"
COMPILER: tuple[Parameter, ...] = (
    Parameter(
        QUICK_START,
        "",
        "CPU of starting a task's JVM that has only the quick compiler, as a fraction of that of another JVM",
        0.4,
        0.25,
        0.65,
        1.0,
        _ONE_JVM,
    ),
    Parameter(
        QUICK_CODE,
        "",
        "CPU of a task's own code from the quick compiler, compared with that of the optimizing compiler",
        1.4,
        1.15,
        1.8,
        1.0,
        _ONE_JVM,
    ),
)
"""What the options of tasks' JVMs change: fitted to runs that differ in them."""

CPU_QUOTA = "cpu_quota"
"""What a laboratory's limits leave of a worker's CPU time; operations on a table feel each stop by itself."""
CORE_SPEED = "core_speed"
"""The speed of a core; of a lab, the part of a CPU that a planned thread has."""
HARDWARE = (CORE_SPEED, "controller_bytes_per_s", "disk_speed", CPU_QUOTA)
"""Quantities of hosts that an inventory does not hold and a calibration may: the speed of a core relative
to the reference study's, the bytes per second that the disks' controller carries, and the rates of rotating
disks relative to those that the inventory states."""
