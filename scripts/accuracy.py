"""docs/accuracy.md, from the calibration that howdah ships.

``python scripts/accuracy.py > docs/accuracy.md`` writes it again; a test compares the two.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median

from howdah.calibrate.case import workload_of
from howdah.calibrate.fit import NINETY
from howdah.calibrate.forecast import Apart, unexplained, unexplained_ratios
from howdah.markdown import pipe_table
from howdah.model.calibration import PARAMETERS, Calibration, CalibrationCell, Without
from howdah.simulation.calibrations import PUBLISHED, load_calibration
from howdah.units import format_counted

_NOTICE = "<!-- Written by `python scripts/accuracy.py`; calibrate again instead of changing it. -->"
_STATED = 0.9


def page() -> str:
    """The page: the fitted numbers, the error of every figure, and the effect of each mechanism."""
    about = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")
    calibration = load_calibration(PUBLISHED)
    sections = {
        "Summary": _short,
        "Parameters": _parameters,
        "Clusters that nothing was fitted to": _transfers,
        "Every figure": _figures,
        "Other published figures": _others,
        "Two plans compared": _ratios,
        "Without each mechanism": _without,
    }
    lines = [_NOTICE, "", "# How accurate the simulator is", "", about.strip(), ""]
    for title, text in sections.items():
        lines += [f"## {title}", "", *text(calibration), ""]
    return "\n".join(lines)


def _short(calibration: Calibration) -> Iterator[str]:
    fitted = [cell for cell in calibration.cells if cell.fitted]
    times = [cell for cell in fitted if cell.unit == "s"]
    yield (
        f"{len(calibration.parameters)} fitted numbers, {len(fitted)} published figures "
        f"({len(times)} times, {len(fitted) - len(times)} loads of masters)."
    )
    yield ""
    rows = [("all times", times), *_by_study(times)]
    yield pipe_table(
        (
            "figures",
            "count",
            "median error",
            "largest error",
            "median error, left out",
            "largest error, left out",
            "within their interval",
        ),
        ((name, str(len(cells)), *_errors(cells)) for name, cells in rows),
    )
    for rest in calibration.residuals[:1]:
        yield ""
        yield (
            "Parameters and seeds do not explain the whole error of left-out figures. The remaining error "
            f"has two parts, with standard deviations of {rest.relative:.1%} of the time "
            f"and of {rest.seconds:.1f} s."
        )


def _others(calibration: Calibration) -> Iterator[str]:
    yield (
        "The studies also published figures that are neither times nor loads of masters. They were only "
        "compared. Storage traffic is in bytes, while one study counted operations. The simulator computes "
        "no traffic of FT logging: vSphere sends the shadow what the master receives from the network and "
        "reads from its disk, and a scenario holds neither bytes of RPCs nor disks of masters. It also "
        "computes no peaks: the published loads of masters and the traffic of FT logging are the highest "
        "samples of a run, the simulated loads of masters are means of a phase."
    )
    yield ""
    yield pipe_table(
        ("run", "figure", "published", "simulated"),
        ((other.case, other.quantity, other.known, other.simulated) for other in calibration.others),
    )


def _by_study(cells: Iterable[CalibrationCell]) -> Iterator[tuple[str, list[CalibrationCell]]]:
    studies: dict[str, list[CalibrationCell]] = {}
    for cell in cells:
        studies.setdefault(cell.case.partition(" ")[0], []).append(cell)
    yield from studies.items()


def _errors(cells: list[CalibrationCell]) -> Iterator[str]:
    fitted = [abs(cell.error) for cell in cells]
    yield from (f"{median(fitted):.1%}", f"{max(fitted):.1%}")
    left_out = [abs(error) for cell in cells if (error := cell.left_out_error) is not None]
    if not left_out:
        yield from ("", "", "")
        return
    yield from (f"{median(left_out):.1%}", f"{max(left_out):.1%}")
    within = [cell for cell in cells if cell.low is not None and cell.low <= cell.known <= (cell.high or 0)]
    yield f"{len(within)} of {len(left_out)}"


def _parameters(calibration: Calibration) -> Iterator[str]:
    known = {one.name: one for one in PARAMETERS}
    rows = []
    for value in calibration.parameters:
        parameter = known.get(value.name)
        rows.append(
            (
                f"`{value.name}`",
                parameter.meaning if parameter else "a property of that study's hosts",
                f"{value.value:.3g}",
                f"{value.low:.3g} to {value.high:.3g}",
                f"{parameter.low:.3g} to {parameter.high:.3g}" if parameter else "",
                "; ".join(value.rests_on) or "the expected range only",
            )
        )
    yield pipe_table(("parameter", "meaning", "value", "90 % interval", "expected", "determined by"), rows)


def _transfers(calibration: Calibration) -> Iterator[str]:
    for place, transfer in enumerate(calibration.transfers):
        if place:
            yield ""
        hosts = ", ".join(f"`{name}` {value:.3g}" for name, value in transfer.hardware.items())
        probes = format_counted(len(transfer.probes), "run")
        predicted = [cell for cell in transfer.cells if not cell.fitted]
        within = sum((cell.low or 0) <= cell.known <= (cell.high or 0) for cell in predicted)
        yield (
            f"**{transfer.study}**: {probes} determine the unknowns of its hosts ({hosts}); the other runs "
            f"are predicted with the parameters above. {within} of {len(predicted)} predicted figures lie in "
            "their intervals, which widen with the distance from the runs that the calibration was made from."
            " By how much they widen for each unit of distance was chosen with these figures in view."
        )
        yield ""
        kinds = dict.fromkeys(cell.quantity for cell in predicted)
        yield pipe_table(
            ("predicted", "count", "median error", "largest"),
            (
                (kind, str(len(errors)), f"{median(errors):.1%}", f"{max(errors):.1%}")
                for kind in kinds
                if (errors := [abs(cell.error) for cell in predicted if cell.quantity == kind])
            ),
        )
        yield ""
        yield pipe_table(
            ("run", "figure", "published", "simulated", "ratio", f"{_STATED:.0%} interval", ""),
            (
                (
                    *cell.row(f"{cell.simulated / cell.known:.2f}"),
                    "fitted" if cell.fitted else "predicted",
                )
                for cell in transfer.cells
            ),
        )
        yield ""
        yield "Without each mechanism, the hosts fitted again to the same runs:"
        yield ""
        yield from _mechanisms(transfer.without)


def _figures(calibration: Calibration) -> Iterator[str]:
    yield pipe_table(
        ("run", "figure", "published", "simulated", "error", "error, left out", f"{_STATED:.0%} interval"),
        (
            cell.row(
                cell.error_text(cell.error),
                cell.error_text(cell.left_out_error) or ("" if cell.fitted else "only compared"),
            )
            for cell in calibration.cells
        ),
    )


def _ratios(calibration: Calibration) -> Iterator[str]:
    ratios = unexplained_ratios(calibration)
    if ratios is None:
        yield "No two runs have the same data, so the error of a ratio is unknown."
        return
    off = sorted(abs(math.expm1(ratio.off)) for ratio in ratios.ratios)
    single = median(
        math.hypot(_unexplained(calibration, ratio.numerator), _unexplained(calibration, ratio.denominator))
        for ratio in ratios.ratios
    )
    yield (
        f"Two runs of one study on the same data give ratios: {len(off)} in all, between platforms, "
        "replicas, block sizes and protections. If each run is left out in turn, the median error of a ratio "
        f"is {median(off):.1%}, and the largest is {off[-1]:.0%}. Parameters and seeds explain a part of "
        "these errors. For nine of ten ratios, a standard deviation of "
        f"{ratios.relative:.1%} covers the rest. So two plans can be distinguished if they differ by "
        "at least "
        f"{math.expm1(NINETY * ratios.relative):.0%}. If the errors of two single figures were used instead, "
        f"the standard deviation would be {single:.1%}, and two plans would have to differ by "
        f"{math.expm1(NINETY * single):.0%}."
    )
    yield ""
    yield pipe_table(
        ("ratios of", "count", "median error", "nine of ten within", "largest"),
        (
            (
                name,
                str(len(mine)),
                f"{median(mine):.1%}",
                f"{mine[math.ceil(_STATED * len(mine)) - 1]:.1%}",
                f"{mine[-1]:.1%}",
            )
            for name, mine in _by_workload(ratios)
        ),
    )


def _unexplained(calibration: Calibration, cell: CalibrationCell) -> float:
    assert cell.left_out is not None
    return unexplained(calibration, workload_of(cell.quantity), cell.left_out)


def _by_workload(ratios: Apart) -> Iterator[tuple[str, list[float]]]:
    several: dict[str, list[float]] = {}
    for ratio in ratios.ratios:
        several.setdefault(ratio.numerator.quantity, []).append(abs(math.expm1(ratio.off)))
    for name, off in several.items():
        yield name, sorted(off)


def _without(calibration: Calibration) -> Iterator[str]:
    yield (
        "Each mechanism is switched off in turn, while all other numbers stay as fitted. The table shows how "
        "much a mechanism contributes, not how far other mechanisms could replace it."
    )
    yield ""
    yield from _mechanisms(calibration.without)


def _mechanisms(effects: Iterable[Without]) -> Iterator[str]:
    yield pipe_table(
        ("mechanism switched off", "median error", "largest error", "figure with the largest error"),
        (
            (
                f"`{effect.parameter}`",
                f"{effect.median:.1%}",
                f"{effect.most:.0%}",
                f"{effect.case}: {effect.quantity}",
            )
            for effect in effects
        ),
    )


if __name__ == "__main__":
    print(page(), end="")
