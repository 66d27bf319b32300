"""What a simulation rests on: its parameters with their intervals, and how well they fit what is known.

A calibration is for one meaning of the parameters (``SCHEMA``); one for another is refused, because
its numbers would be read for something they are not.

The parameters that calibration seeks have their meaning here, and what was known of them before. All others
have defaults of their own (``crates/howdah-sim/src/parameters.rs``), from measurements or the literature.
None of them knows a platform, a workload's name or a size. CPU costs are seconds of one core of the reference
study's hosts, a Xeon E5-2680 v2 under Sun Java 7, that shares nothing.
"""

from __future__ import annotations

import math
import re
import textwrap
from typing import Annotated, Final, Literal, NamedTuple, Self

from pydantic import AfterValidator, Field, model_validator

from howdah.model.base import Model, WrongValue
from howdah.model.inventory import FORMAT
from howdah.units import format_signed_percent

SCHEMA: Final = 1  # The meaning of the simulator's parameters; it changes when one gets another meaning.


def _schema(value: int) -> int:
    if value != SCHEMA:
        raise WrongValue(f"is for parameters of schema {value}, not {SCHEMA}", "calibrate again")
    return value


Finite = Annotated[float, Field(allow_inf_nan=False)]


class CalibratedValue(Model):
    """One parameter of the simulator as it was found."""

    name: str
    value: Finite
    low: Finite  # The lower end of its 90 % interval.
    high: Finite
    origin: Literal["fitted", "measured", "given"] = "fitted"
    rests_on: tuple[str, ...] = ()  # What it was found from: the cells that move it most, or the measurement.


class CalibrationCell(Model):
    """One known figure beside what the simulator says of it."""

    case: str
    quantity: str  # What of that run: ``teragen``, ``terasort/map-shuffle``, ``terasort/jobtracker-cpu``.
    unit: Literal["s", "%", "x", "1/s"] = "s"  # Seconds, per cent of a core, a ratio, or operations a second.
    known: Finite
    simulated: Finite
    left_out: Finite | None = None  # The simulator's figure with parameters fitted to the other cases alone.
    low: Finite | None = None  # The lower end of the 90 % interval for a figure that was left out.
    high: Finite | None = None
    fitted: bool = True  # Whether the parameters were fitted to it; otherwise it was only compared.

    @property
    def error(self) -> float:
        """How far the simulator is off: relative, or in points for per cent of a core."""
        return self._error(self.simulated)

    @property
    def left_out_error(self) -> float | None:
        """How far it is off where it did not know the cell."""
        return None if self.left_out is None else self._error(self.left_out)

    def error_text(self, error: float | None) -> str:
        """An error of the figure: in points for loads of masters, otherwise relative; empty if unknown."""
        if error is None:
            return ""
        return f"{error:+.0f} points" if self.unit == "%" else format_signed_percent(error)

    def row(self, *errors: str) -> tuple[str, ...]:
        """The run, name, known and simulated value of the figure, then these errors, then its interval."""
        interval = "" if self.low is None or self.high is None else f"{self.low:.4g} to {self.high:.4g}"
        values = (f"{value:.4g} {self.unit}" for value in (self.known, self.simulated))
        return self.case, self.quantity, *values, *errors, interval

    def _error(self, simulated: float) -> float:
        return simulated - self.known if self.unit == "%" else simulated / self.known - 1


class Residual(Model):
    """How far off left-out figures of one kind are, beyond what parameters and seeds explain."""

    quantity: str  # The workload whose figures they are, or the kind of metric, of any workload.
    relative: Annotated[float, Field(ge=0, allow_inf_nan=False)]  # Standard deviation of the logarithm.
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """Standard deviation of what does not grow with a run: its starts and ends, its slowest task."""
    least_s: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """The shortest figure it was found from. Of shorter times nothing is known; they count as this one."""
    cells: int  # How many figures it was found from.

    def of(self, elapsed_s: float) -> float:
        """Standard deviation of the logarithm of a time of so many seconds."""
        return math.hypot(self.relative, math.log1p(self.seconds / max(self.least_s, elapsed_s)))


class Without(Model):
    """What becomes of the errors where one mechanism of the simulator does nothing."""

    parameter: str
    median: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    """Median error of the times, with the other parameters as they were found."""
    most: Annotated[float, Field(ge=0, allow_inf_nan=False)]  # The error of the figure that loses most by it.
    case: str
    quantity: str


class Extent(Model):
    """How far the runs reach that a calibration was made from, in one quantity."""

    name: str  # The quantity: ``hosts``, ``dataset`` …
    unit: str = ""
    low: Finite  # The least of all runs.
    high: Finite


DISK_KIND = "kind"  # The unit of an extent that is a kind of disk, of which there are two.
ROTATING, FLASH = 1.0, 10.0
"""Kinds of disks as values of an extent: from one to the other counts as a factor of ten."""


def disk_kind_text(value: float) -> str:
    """A kind of disk in words."""
    return "HDD" if value == ROTATING else "SSD"


class Transfer(Model):
    """A study that no parameter was fitted to: some of its runs determine its hosts, others are predicted."""

    study: str
    hardware: dict[str, Finite]  # What its probes determine of its hosts, by name.
    probes: tuple[str, ...]  # The runs that determine its hosts.
    cells: tuple[CalibrationCell, ...]
    """Every published figure next to the simulated one; those of probes are fitted."""
    without: tuple[Without, ...] = ()  # Errors of predicted figures without each mechanism, hosts refitted.


class OtherFigure(Model):
    """A published figure that is neither a time nor a master's load, next to the simulated one."""

    case: str
    quantity: str
    known: str
    simulated: str


class Calibration(Model):
    """The simulator's parameters and the ground they stand on."""

    howdah: Literal[1] = FORMAT
    calibration: Annotated[int, AfterValidator(_schema)] = SCHEMA
    name: str  # What it was made from, in a word or two.
    best_of: Annotated[int, Field(ge=1)] = 1  # Known figures are the best of so many runs; 1 if all count.
    parameters: tuple[CalibratedValue, ...]  # What was found; every other parameter has its default.
    correlations: tuple[Finite, ...] = ()  # Of the fitted parameters' logarithms, below the diagonal by row.
    residuals: tuple[Residual, ...] = ()
    cells: tuple[CalibrationCell, ...] = ()
    extents: tuple[Extent, ...] = ()  # How far the runs reach that it was made from.
    without: tuple[Without, ...] = ()  # Ablation: the errors without each mechanism that can be left out.
    transfers: tuple[Transfer, ...] = ()
    others: tuple[OtherFigure, ...] = ()

    @model_validator(mode="after")
    def _coherent(self) -> Self:
        names = [parameter.name for parameter in self.parameters]
        for index, parameter in enumerate(self.parameters):
            if parameter.name in names[:index]:
                problem = f"{parameter.name} is given twice"
                raise WrongValue(problem, "leave one out", ("parameters", index, "name"))
            if not parameter.low <= parameter.value <= parameter.high:
                problem = f"{parameter.name} lies outside its own interval"
                hint = f"low {parameter.low:g} ≤ value {parameter.value:g} ≤ high {parameter.high:g}"
                raise WrongValue(problem, hint, ("parameters", index, "value"))
        fitted = sum(parameter.origin == "fitted" for parameter in self.parameters)
        pairs = fitted * (fitted - 1) // 2
        if len(self.correlations) not in (0, pairs):
            problem = "has not one for each pair of fitted parameters"
            raise WrongValue(problem, f"{pairs} of them", ("correlations",))
        return self

    @property
    def values(self) -> dict[str, float]:
        """Every value by its parameter's name; what was fitted to one study's hosts is of no other's."""
        return {parameter.name: parameter.value for parameter in self.parameters if "/" not in parameter.name}


class Parameter(NamedTuple):
    """One number that cannot be measured by itself."""

    name: str
    unit: str
    meaning: str
    default: float  # Its value where nothing is calibrated, and the most likely one before data is seen.
    low: float  # The least that is plausible: with ``high``, 95 % of what was thought possible.
    high: float
    off: float | None  # The value at which its mechanism does nothing; None where it cannot be without.
    source: str


def _parameters(table: str, source: str = "") -> tuple[Parameter, ...]:
    """Those of a table: ``name | unit | default low high off | meaning | source``, further lines indented.

    ``-`` is no value. ``source`` is that of all, where the table has none.
    """
    parameters = []
    for entry in re.split(r"\n(?! )", textwrap.dedent(table).strip()):
        name, unit, numbers, meaning, *own = (" ".join(part.split()) for part in entry.split("|"))
        default, low, high, off = (math.nan if number == "-" else float(number) for number in numbers.split())
        without = None if math.isnan(off) else off
        parameters.append(Parameter(name, unit, meaning, default, low, high, without, *own or [source]))
    return tuple(parameters)


PARAMETERS = _parameters(
    """
    generate_s_per_byte | s/B | 4.8e-09 2e-09 1.5e-08 - | CPU time to generate TeraGen's rows and their
        checksums | random numbers and 100 bytes a row in Java: 0.1 to 0.5 GB/s a core
    row_stall_s_per_byte | s/B | 1.1e-08 4e-09 3e-08 0.0 | time that a task which writes rows waits in
        addition to its CPU time: for garbage collection and for its output stream | D0 table 3: 50 MB/s a
        task while half of the CPU is idle
    write_s_per_byte | s/B | 1.3e-09 5e-10 4e-09 - | CPU time to receive one replica, verify its checksums and
        pass it to the disk | CRC and TCP receive paths of that time: 0.3 to 2 GB/s a core
    map_s_per_byte | s/B | 2.2e-08 1e-08 4.5e-08 - | CPU time of a map of TeraSort to read, partition, collect
        and write rows, without sorting and codec | 14 to 16 s a map of 256 MiB in D0's tables 1 and 2
    reduce_s_per_byte | s/B | 1e-09 3e-10 6e-09 - | CPU time of a reduce to read merged rows and pass them to
        the output stream | less than what makes the rows
    scale_up_cost |  | 0.0045 0.0015 0.012 0.0 | fraction of CPU time that each further CPU of an operating
        system adds to the same work | Gunther's universal scalability law: 0.1 to 1 % a CPU for systems of
        that time
    remote_memory_cost |  | 0.15 0.05 0.45 0.0 | fraction of CPU time that is added if all memory is on
        another NUMA node | D0 15: 27 % of accesses over the interconnect; remote latency 1.5 to 2 times local
    page_walk_cost |  | 0.3 0.1 0.8 0.0 | fraction of CPU time that nested page walks to remote memory add in
        a virtual machine | D0 149: half of one large machine's 12 %
    softness |  | 22.0 6.0 80.0 1000.0 | how strictly a stream follows its slowest resource alone | infinite
        where stages overlap perfectly, 1 where each waits for the one before
    write_seek_s | s | 0.0042 0.002 0.009 0.0 | time that a fast rotating disk needs to switch from one stream
        to another when it writes | data sheets of 10,000 rpm disks: 4.5 ms seek, 3 ms half a turn, less where
        the elevator sorts
    block_s | s | 0.16 0.04 0.6 0.0 | time to set up the writing of one block, by NameNode and DataNodes
        together | D1 83: TeraGen slows only at 8 MB a block
    task_cpu_s | s | 0.75 0.2 2.5 0.0 | CPU time to set up and commit a task, in any JVM | D1 83: 8 MB blocks
        make TeraSort nearly three times slower
    namenode_block_s | s | 0.00016 4e-05 0.0006 - | CPU time of the NameNode for each written replica of a
        block, and for each located block | D1 table 2
    scheduler_task_s | s | 0.0054 0.002 0.015 - | CPU time of the scheduler to set up, assign, follow and
        commit a task | D1 87: 75 to 81 % of a core at 100 tasks a second
    """
)

BYTE_CPU = "byte_cpu"
_LABORATORY = "runs of Hadoop 3.5 under Java 17 in labs"
OWN = _parameters(
    """
    byte_cpu |  | 0.6 0.25 1.4 - | CPU of a byte compared with that of the studies' Java 6 and 7, the same in
        every step | checksums in hardware and ten years of compilers: about half
    job_start_s | s | 7.0 3.0 16.0 - | from a job's submission to its first task
    job_start_cpu_s | s | 2.5 0.5 8.0 - | CPU of starting a job's master on a worker
    job_end_s | s | 2.5 1.0 6.0 - | from a job's last task to its end
    task_start_s | s | 1.0 0.3 3.0 0.0 | what a task waits before its first byte, in addition to CPU
    task_start_cpu_s | s | 2.0 0.6 7.0 0.0 | CPU that starting a task's JVM takes
    task_end_s | s | 0.3 0.1 1.0 0.0 | from a task's last byte to its end
    """,
    _LABORATORY,
)  # Fitted to run records, and left at their defaults for published tables.

_COMPILED = (
    "TeraSort's programs under Java 17 with and without the optimizing compiler: 125 and 500 MB in one JVM, "
    "and tasks of 100 to 500 MB in a lab"
)
QUICK_START, QUICK_CODE = "quick_start", "quick_code"
COMPILER = _parameters(
    """
    quick_start |  | 0.35 0.2 0.6 1.0 | CPU of starting a task's JVM that has only the quick compiler, as a
        fraction of that of another JVM
    quick_code |  | 1.9 1.4 2.6 1.0 | CPU of a task's own code from the quick compiler, compared with that of
        the optimizing compiler
    """,
    _COMPILED,
)  # What the options of tasks' JVMs change: fitted to runs that differ in them.

CPU_QUOTA = "cpu_quota"  # CPU time that a lab's limits leave a worker; operations on a table feel each stop.
CORE_SPEED = "core_speed"  # The speed of a core; of a lab, the part of a CPU that a planned thread has.
HARDWARE = (CORE_SPEED, "controller_bytes_per_s", "disk_speed", CPU_QUOTA)
"""Quantities of hosts that an inventory does not hold and a calibration may: the speed of a core relative
to the reference study's, the bytes per second that the disks' controller carries, and the rates of rotating
disks relative to those that the inventory states."""
DISKS = Parameter(
    "disk_speed", "", "rates of rotating disks relative to those that the inventory states",
    1.0, 0.6, 1.2, None, "outer and inner rates of data sheets",
)  # fmt: skip
