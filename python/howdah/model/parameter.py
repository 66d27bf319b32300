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
        "CPU of TeraGen's rows and their checksums",
        4.8e-09,
        2e-09,
        1.5e-08,
        None,
        "random numbers and 100 bytes a row in Java: 0.1 to 0.5 GB/s a core",
    ),
    Parameter(
        "row_stall_s_per_byte",
        "s/B",
        "time that a task which writes rows stalls in addition to its CPU: for its JVM's collections, "
        "for its stream",
        1.1e-08,
        4e-09,
        3e-08,
        0.0,
        "D0 table 3: 50 MB/s a task while half of the CPU is idle",
    ),
    Parameter(
        "write_s_per_byte",
        "s/B",
        "CPU of one replica: received, its checksums verified, handed to the disk",
        1.3e-09,
        5e-10,
        4e-09,
        None,
        "CRC and TCP receive paths of that time: 0.3 to 2 GB/s a core",
    ),
    Parameter(
        "map_s_per_byte",
        "s/B",
        "CPU of a map of TeraSort: rows read, partitioned, collected and written, without sort and codec",
        2.2e-08,
        1e-08,
        4.5e-08,
        None,
        "14 to 16 s a map of 256 MiB in D0's tables 1 and 2",
    ),
    Parameter(
        "reduce_s_per_byte",
        "s/B",
        "CPU of a reduce: merged rows read and handed to the output's stream",
        1e-09,
        3e-10,
        6e-09,
        None,
        "less than what makes the rows",
    ),
    Parameter(
        "scale_up_cost",
        "",
        "CPU that each further CPU of one operating system adds to its work, as a fraction of it",
        0.0045,
        0.0015,
        0.012,
        0.0,
        "Gunther's universal scalability law: 0.1 to 1 % a CPU for systems of that time",
    ),
    Parameter(
        "remote_memory_cost",
        "",
        "CPU added to work whose memory is all on another NUMA node, as a fraction of it",
        0.15,
        0.05,
        0.45,
        0.0,
        "D0 15: 27 % of accesses over the interconnect; remote latency 1.5 to 2 times local",
    ),
    Parameter(
        "page_walk_cost",
        "",
        "CPU added by nested page walks to remote memory in a virtual machine, as a fraction of its work",
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
        "time a fast rotating disk needs from one stream to the next when it writes",
        0.0042,
        0.002,
        0.009,
        0.0,
        "data sheets of 10,000 rpm disks: 4.5 ms seek, 3 ms half a turn, less where the elevator sorts",
    ),
    Parameter(
        "block_s",
        "s",
        "time to set up one block's stream of writing, NameNode and DataNodes together",
        0.16,
        0.04,
        0.6,
        0.0,
        "D1 83: TeraGen slows only at 8 MB a block",
    ),
    Parameter(
        "task_cpu_s",
        "s",
        "CPU of a task's setup and commit, in any JVM",
        0.75,
        0.2,
        2.5,
        0.0,
        "D1 83: 8 MB blocks make TeraSort nearly three times slower",
    ),
    Parameter(
        "namenode_block_s",
        "s",
        "the NameNode's CPU for each replica of a block written, and for each block located",
        0.00016,
        4e-05,
        0.0006,
        None,
        "D1 table 2",
    ),
    Parameter(
        "scheduler_task_s",
        "s",
        "the scheduler's CPU for each task: set up, assigned, followed, committed",
        0.0054,
        0.002,
        0.015,
        None,
        "D1 87: 75 to 81 % of a core at 100 tasks a second",
    ),
)

CPU_QUOTA = "cpu_quota"
"""What a laboratory's limits leave of a worker's CPU time; operations on a table feel each stop by itself."""
HARDWARE = ("core_speed", "controller_bytes_per_s", CPU_QUOTA)
"""Quantities of hosts that an inventory does not hold and a calibration may: the speed of a core relative
to the reference study's, and the bytes per second that the disks' controller carries."""
