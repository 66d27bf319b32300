"""README's steps, from hosts that ssh reaches to a proven cluster, as they are written there."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

from exams.deploying.course import Course, step

HOSTS = ("h1", "h2", "h3")
_README = Path(__file__).parents[3] / "README.md"
_SMALLER = """\
import sys, yaml
told = yaml.safe_load(open("hosts.yaml"))
(group,) = told["groups"]
group["memory"] = "8GiB"
group["disks"] = [
    {"count": 1, "kind": "hdd", "size": "20GB", "role": "system"}, {"count": 2, "kind": "hdd", "size": "2GB"}
]
yaml.safe_dump(told, open("hosts.yaml", "w"), sort_keys=False)
"""
"""What an administrator corrects: each host sees this machine's memory and disk as its own, and its data
disks are loop devices, which no inventory takes for disks."""


def steps(names: str, before_plan: str) -> list[str]:
    """The steps of the README for hosts of these names, with what such small hosts need, asking nothing."""
    found = re.search(
        r'^    howdah probe --ssh "w\[001-032\]".*(?:\n    .+)*', _README.read_text(), re.MULTILINE
    )
    assert found is not None
    printed = found.group().replace("w[001-032]", names).replace("w001", HOSTS[0])
    lines = [line.partition("#")[0].strip() for line in printed.splitlines()]
    for plain, small in (
        # Released jars have no libhadoop, and jobs are to fit beside the daemons of three hosts.
        (
            "howdah plan hosts.yaml",
            [before_plan, "howdah plan hosts.yaml --set dfs.client.read.shortcircuit=false"],
        ),
        ("howdah deploy plan.yaml", ["howdah deploy plan.yaml --yes"]),
        (
            "howdah run terasuite --engine hadoop --conf conf/hadoop",
            ["howdah run terasuite --engine hadoop --conf conf/hadoop --rows 100k"],
        ),
    ):
        assert lines.count(plain) == 1, lines
        at = lines.index(plain)
        lines[at : at + 1] = small
    return lines


def examine(course: Course) -> None:
    """Go the whole way."""
    smaller = course.folder / "smaller.py"
    smaller.write_text(_SMALLER)
    for part in steps("h[1-3]", shlex.join([sys.executable, str(smaller)])):
        with step(part if len(part) < 72 else f"{part[:69]}..."):
            # Hosts differ from the plan before they are deployed.
            course.shell(part, code=1 if part.startswith("howdah check") else 0)
    plan = course.folder / "plan.yaml"
    with step("a second deployment changes nothing"):
        assert course.changed(plan) == 0
    with step("the daemons of a host run with the planned configuration"):
        course.shell(
            "mkdir running && ssh h2 tar -C /etc/hadoop/conf -c . | tar -C running -x && "
            "howdah check --conf running --plan plan.yaml"
        )
