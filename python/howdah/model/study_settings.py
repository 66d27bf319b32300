"""What a cell of a study's matrix may say of its runs."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeVar

from pydantic import BeforeValidator, Field, WithJsonSchema, create_model

from howdah.errors import nearest
from howdah.model.base import Model, Size, Speed, WrongValue
from howdah.model.engines import all_options, engines
from howdah.model.request import Hypervisor, Profile, Protection
from howdah.model.workloads.option import Option

Few = Annotated[int, Field(ge=1, le=10_000)]  # A count of tasks, slots, files or repeats.
Scalar = str | int | float | bool  # A value as its file has it.


S = TypeVar("S", bound=Model)
T = TypeVar("T")


PLANNED_ONLY: Final = "plan"  # The engine of cells that are planned, and not run.


def _engine(value: object) -> object:
    names = (*engines(), PLANNED_ONLY)
    if value is not None and value not in names:
        raise WrongValue(f"{value!r} is unknown here", nearest(str(value), names))
    return value


EngineName = Annotated[
    str, BeforeValidator(_engine), WithJsonSchema({"enum": [*engines(), PLANNED_ONLY], "type": "string"})
]  # What runs a cell.


def _with_options(settings: type[S]) -> type[S]:
    """The settings, and beside them every option of every program that a study can vary."""
    fields: dict[str, Any] = {
        studied.name: (studied.type | None, Field(None, description=option.help))
        for option in all_options().values()
        if (studied := option.studied) is not None and studied.name not in settings.model_fields
    }
    return create_model(
        settings.__name__,
        __base__=settings,
        __module__=settings.__module__,
        __doc__=settings.__doc__,
        **fields,
    )


@_with_options
class CellSettings(Model):
    """What runs, on what, and how; what is left out is the planner's to choose."""

    engine: EngineName | None = None
    """What runs it: this machine, a cluster or laboratory, the simulator; ``plan`` only plans it."""
    dataset: Size | None = None  # Rows of TeraSort's, in bytes of 100 a row.
    block_size: Size | None = None  # HDFS block size of what is written.
    replication: Few | None = None  # Replicas of what is generated.
    records: Annotated[int, Field(ge=1)] | None = None  # Records of 1 kB in HBase's table.
    lab: str | None = None  # The laboratory that Hadoop runs on, if it is up already.
    inventory: str | None = None
    """The hosts of a cluster that is simulated, planned or built: a file, from the study's own place."""
    plan: str | None = None
    """The plan of a cluster that is simulated or built: a file, from the study's own place. It goes in place
    of an inventory and of what plans one."""
    setup: str | None = None
    """A published study that is repeated: its hosts, settings and scheduling, as the shipped calibration has
    them. It goes in place of an inventory."""
    platform: str | None = None  # Which of the setup's platforms, by its name in the study's tables.
    hypervisor: Hypervisor | None = None  # What divides the hosts.
    workers_per_host: Few | None = None  # Workers on a full host.
    slots: Few | None = None  # Map and as many reduce tasks at once per worker of a cluster.
    protection: Protection | None = None  # How the masters are protected.
    link: Speed | None = None  # Speed of every network port, where it is not the inventory's.
    profile: Profile | None = None  # Whether the plan is for production or as the papers had theirs.
    calibration: str | None = None
    """What the simulator's parameters come from: a file, from the study's own place, or ``published``."""
    overrides: dict[str, Scalar] | None = None  # Keys of the plan that are insisted on: ``dfs.blocksize``.

    def of(self, option: Option[T]) -> T | None:
        """What is said of an option; None where nothing is, or no study has it."""
        studied = option.studied
        text = None if studied is None else getattr(self, studied.name)
        value: T | None = None if studied is None or text is None else studied.value(text)
        return value

    def options(self) -> dict[str, Any]:
        """Everything that is said of options, by their names."""
        return {
            name: value for name, option in all_options().items() if (value := self.of(option)) is not None
        }

    def over(self, base: CellSettings) -> CellSettings:
        """These settings where they say anything, the other's elsewhere."""
        mine = {name: value for name in SETTINGS if (value := getattr(self, name)) is not None}
        both = {name: getattr(base, name) for name in SETTINGS} | mine
        for name in _JOINED:
            if getattr(self, name) and getattr(base, name):
                both[name] = {**getattr(base, name), **getattr(self, name)}
        return CellSettings.model_construct(**both)


_JOINED = ("overrides", "job_settings")  # Maps: a cell has the keys of the study and of its levels.
SETTINGS = tuple(CellSettings.model_fields)  # What a factor may vary.


class Level(CellSettings):
    """One level of a factor: its name and the settings that make it."""

    label: str  # What it is called in tables and figures.
