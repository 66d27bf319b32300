"""What it takes to write the page of a large study, how large it is and how soon it is open."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from statistics import median

from benches.process import run_process
from benches.race import Course
from benches.result import Goal, Result
from benches.sizes import Request

_EXAMPLE = Path(__file__).parent.parent / "examples" / "hosts-32.yaml"
_HOWDAH = str(Path(sys.executable).with_name("howdah"))
_MOST_CPU_S, _MOST_OPEN_S, _MOST_BYTES = 10.0, 2.0, 10 * 10**6
_STUDY = f"""\
howdah: 1
study: many
question: What does block size cost on 640 workers?
suite: terasuite
settings: {{engine: sim, inventory: {_EXAMPLE}, profile: paper, calibration: published, hypervisor: vsphere,
  workers_per_host: 20, slots: 1}}
factors:
  - {{vary: block_size, values: [64MiB, 96MiB, 128MiB, 192MiB, 256MiB, 512MiB]}}
  - {{vary: dataset, values: [1TB, 2TB, 4TB, 8TB]}}
baseline: {{block_size: 64MiB}}
repeats: {{least: 5, most: 5}}
"""


def study(course: Course, request: Request) -> Result:
    """Simulate 6 × 4 cells of 640 workers five times each; then write the study's page again, and open it."""
    course.workspace.fresh()
    folder = course.workspace.output
    file, place = folder / "study.yaml", folder / "many"
    file.write_text(_STUDY)
    # All of it has run when the same command is given once more: what is left is the page.
    command = (_HOWDAH, "study", str(file), "--dir", str(place), "--quiet")
    course.tell("120 simulations")
    run_process(command, course.workspace.scratch)
    page = place / "paper" / "study.html"
    written, opened = [], []
    for turn in range(course.repeats):
        course.tell(f"page, turn {turn + 1} of {course.repeats}")
        written.append(run_process(command, course.workspace.scratch))
        opening = (sys.executable, "-m", "benches.ours.opening", str(page))
        # A browser of the system's does where Playwright's own is not installed.
        chromium = shutil.which("chromium")
        words = (*opening, chromium) if chromium else opening
        opened.append(json.loads(run_process(words, course.workspace.scratch).printed))
    cpu_s = median(one.cpu_s for one in written)
    open_s = median(one["seconds"] for one in opened)
    size_bytes = page.stat().st_size
    return Result(
        bench="study",
        title="the page of 6 platforms × 4 sizes × 5 repeats with 640 workers' samples",
        figures={
            "page, s": median(one.elapsed_s for one in written),
            "page, CPU s": cpu_s,
            "page, peak MB": max(one.peak_rss_bytes for one in written) / 1e6,
            "page, MB": size_bytes / 1e6,
            "opening, s": open_s,
            "opening, CPU s of the page's thread": median(one["cpu_s"] for one in opened),
        },
        goals=(
            Goal(claim="page written, CPU", measured=cpu_s, bound=_MOST_CPU_S, at_most=True, unit="s"),
            Goal(claim="page open", measured=open_s, bound=_MOST_OPEN_S, at_most=True, unit="s"),
            Goal(
                claim="page's size",
                measured=size_bytes / 1e6,
                bound=_MOST_BYTES / 1e6,
                at_most=True,
                unit="MB",
            ),
        ),
    )
