"""Cells that repeat a published study: its hosts, settings and scheduling, as the calibration has them."""

from __future__ import annotations

from typing import Any

from howdah.calibrate.problem import values_for
from howdah.calibrate.study import Platform, PublishedStudy
from howdah.calibrate.tables import StudySetting
from howdah.errors import UserError
from howdah.model.calibration import Calibration
from howdah.model.parameter import HARDWARE
from howdah.model.plan import Plan
from howdah.model.request import Override, Protection
from howdah.model.study_settings import CellSettings, nearest
from howdah.model.workloads.dfsio import FILE_SIZE, FILES
from howdah.model.workloads.files import REPLICATION
from howdah.model.workloads.terasort import OUTPUT_REPLICATION, REDUCES
from howdah.simulation.published_studies import plan_of, studies

_ITS_OWN = ("inventory", "hypervisor", "workers_per_host", "slots", "link", "profile", "records")
"""Settings that a published study decides."""
_USUAL_REPLICATION = 3


def setup_plan(name: str, settings: CellSettings, calibration: Calibration | None) -> Plan:
    """The plan of a cell that has a ``setup``, on hosts as a calibration fitted them.

    Raises UserError with the cell's name for settings that do not fit the published study.
    """
    study = _study(name, settings)
    given = next((key for key in _ITS_OWN if getattr(settings, key) is not None), None)
    if given is not None:
        raise UserError(
            name, f"has {given}, which setup {study.study} already defines", f"leave out {given} or setup"
        )
    dataset_bytes = settings.dataset
    if dataset_bytes is None and study.ratios is not None:
        dataset_bytes = study.ratios.files * study.ratios.file_size
    if dataset_bytes is None:
        raise UserError(name, "has no dataset", "give dataset, for example 1TB")
    replication = settings.replication or _USUAL_REPLICATION
    setting = StudySetting(
        platform=_platform(name, settings, study).label,
        dataset_bytes=dataset_bytes,
        replication=replication,
        output_replication=settings.of(OUTPUT_REPLICATION) or replication,
        block_bytes=settings.block_size,
        protected=None if settings.protection is None else settings.protection is Protection.FT,
    )
    values = {} if calibration is None else {part.name: part.value for part in calibration.parameters}
    hardware = {key: value for key, value in values_for(study.study, values).items() if key in HARDWARE}
    overrides = tuple(
        Override(key=key, value=str(value).lower() if isinstance(value, bool) else str(value))
        for key, value in (settings.overrides or {}).items()
    )
    return plan_of(study, _platform(name, settings, study), setting, overrides, hardware)


def setup_options(settings: CellSettings) -> dict[str, Any]:
    """Options of programs that a cell's published study decides; none for a cell without one."""
    study = next((study for study in studies() if study.study == settings.setup), None)
    if study is None:
        return {}
    result: dict[str, Any] = {}
    if study.reduces is not None:
        result[REDUCES.name] = study.reduces
    if study.ratios is not None:
        result |= {
            FILES.name: study.ratios.files,
            FILE_SIZE.name: study.ratios.file_size,
            REPLICATION.name: _USUAL_REPLICATION,
        }
    return result


def _study(name: str, settings: CellSettings) -> PublishedStudy:
    known = {study.study: study for study in studies()}
    if settings.setup not in known:
        raise UserError(
            name,
            f"setup {settings.setup!r} is not a published study",
            nearest(str(settings.setup), tuple(known)),
        )
    return known[settings.setup]


def _platform(name: str, settings: CellSettings, study: PublishedStudy) -> Platform:
    if settings.platform is None and len(study.platforms) == 1:
        return study.platforms[0]
    labels = tuple(platform.label for platform in study.platforms)
    platform = study.platform(settings.platform or "")
    if platform is None:
        what = "has no platform" if settings.platform is None else f"{settings.platform!r} is not a platform"
        raise UserError(name, f"{what} of {study.study}", nearest(settings.platform or "", labels))
    return platform
