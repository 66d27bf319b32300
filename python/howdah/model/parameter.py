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
        "CPU of TeraGen's task: rows, their checksums, the stream to its DataNode",
        1.2e-8,
        6e-9,
        3e-8,
        None,
        "D0 table 3: 50 MB/s a task with one replica bounds it from above",
    ),
    Parameter(
        "write_s_per_byte",
        "s/B",
        "CPU of one replica: received, checksums verified, handed to the disk",
        3e-9,
        1e-9,
        9e-9,
        None,
        "CRC and TCP receive paths of that time: 0.3 to 1 GB/s a core",
    ),
    Parameter(
        "map_s_per_byte",
        "s/B",
        "CPU of a map of TeraSort without sort and codec: rows read, partitioned, collected, written",
        1.5e-8,
        6e-9,
        4e-8,
        None,
        "14 to 16 s a map of 256 MiB in D0's tables 1 and 2",
    ),
    Parameter(
        "reduce_s_per_byte",
        "s/B",
        "CPU of a reduce: merged rows read and handed to the output's stream",
        8e-9,
        3e-9,
        3e-8,
        None,
        "between TeraGen's cost and a map's",
    ),
    Parameter(
        "validate_s_per_byte",
        "s/B",
        "CPU of TeraValidate's task: rows compared and summed",
        3e-9,
        1e-9,
        2e-8,
        None,
        "one comparison and one CRC a row",
    ),
    Parameter(
        "oversubscription_cost",
        "",
        "share of CPU lost for each runnable thread beyond the hardware threads, relative to them",
        0.1,
        0.02,
        0.5,
        0.0,
        "issue of many studies: switches and cold caches",
    ),
    Parameter(
        "scale_up_cost",
        "",
        "CPU that each further CPU of one operating system adds to its work, as a share of it",
        0.003,
        0.001,
        0.01,
        0.0,
        "Gunther's universal scalability law: 0.1 to 1 % a CPU for systems of that time",
    ),
    Parameter(
        "remote_memory_cost",
        "",
        "CPU added to work whose memory is all on another NUMA node, as a share of it",
        0.15,
        0.05,
        0.6,
        0.0,
        "D0 15: 27 % of accesses over the interconnect; remote latency 1.5 to 2 times local",
    ),
    Parameter(
        "page_walk_cost",
        "",
        "CPU added by nested page walks to remote memory in a virtual machine, as a share of its work",
        0.1,
        0.02,
        0.3,
        0.0,
        "D0 149: half of one large machine's 12 %",
    ),
    Parameter(
        "softness",
        "",
        "how strictly a stream follows its slowest resource alone",
        8.0,
        2.0,
        30.0,
        1000.0,
        "infinite where stages overlap perfectly, 1 where each waits for the one before",
    ),
    Parameter(
        "read_seek_s",
        "s",
        "time a fast rotating disk needs from one stream to the next when it reads",
        0.006,
        0.003,
        0.012,
        0.0,
        "data sheets of 10,000 rpm disks: 4 ms seek, 3 ms half a turn",
    ),
    Parameter(
        "task_reuse_s",
        "s",
        "from a task's assignment to its first byte, in a JVM that ran a task of the job before",
        0.3,
        0.05,
        2.0,
        None,
        "split read, streams opened, buffers made",
    ),
    Parameter(
        "scheduler_task_s",
        "s",
        "the scheduler's CPU for each task: set up, assigned, followed, committed",
        5e-3,
        1e-3,
        2e-2,
        None,
        "D1 87: 75 to 81 % of a core at 100 tasks a second",
    ),
    Parameter(
        "namenode_block_s",
        "s",
        "the NameNode's CPU for each block written or located, replicas' reports included",
        1.5e-4,
        5e-5,
        1.5e-3,
        None,
        "D1 table 2",
    ),
)

HARDWARE = ("core_speed", "controller_bytes_per_s")
"""Quantities of hosts that an inventory does not hold and a calibration may: the speed of a core relative
to the reference study's, and the bytes per second that the disks' controller carries."""
