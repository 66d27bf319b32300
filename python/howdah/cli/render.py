"""``howdah render``: the files that a plan's cluster needs."""

from __future__ import annotations

import difflib
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import RenderableType

from howdah.cli.arguments import AsJson, PlanFile
from howdah.cli.help import App
from howdah.cli.output import answer, print_json
from howdah.errors import UserError
from howdah.model.plan import ConfigSet
from howdah.report.document import FactList, Table
from howdah.report.terminal import blocks
from howdah.session import plan_checks as session

app = App()


@app.command("render")
def render(
    plan: PlanFile, output: Path, diff: bool = False, force: bool = False, json: AsJson = False
) -> None:
    """Write the files a planned cluster needs: Hadoop, HBase, system, disks, network, hypervisor.

    Every value has its reason next to it, and every name is checked against the planned release.
    The same plan always gives identical files.

    Options:
      --output, -o DIR  New or empty directory, or one that howdah rendered before.
      --diff  Show what would change without writing anything.
      --force  Overwrite files that were edited since, and render a plan that breaks a rule of severity must.
    Examples:
      howdah render plan.yaml -o conf  # writes the cluster's files, and a README with the steps
      howdah render plan.yaml -o conf --diff  # shows what a changed plan would change there
      howdah render plan.yaml -o conf --json  # lists the files for other programs
    """
    if diff and force:
        hint = "give one of --diff and --force"
        raise UserError("--diff", "writes no file, so --force has no effect", hint)
    # What would change is shown of any plan: nothing is written.
    files = session.render_plan(plan, force=force or diff)
    if diff:
        changes = session.pending_changes(files, output)
        if json:
            pending = [change for change in changes if change.kind != "same"]
            print_json([{"path": file.path, "change": file.kind, "edited": file.edited} for file in pending])
        else:
            sys.stdout.writelines(line for change in changes for line in _diff(change))
        return
    done = session.write_rendered(files, output, force=force)
    content = {"directory": str(output), "files": _listed(files, done), "next": str(output / "README.md")}
    answer(content, _table(output, files, done), json=json)


def _diff(change: session.FileChange) -> Iterator[str]:
    before = "/dev/null" if change.kind == "new" else f"a/{change.path}"
    after = "/dev/null" if change.kind == "removed" else f"b/{change.path}"
    removed, added = (text.splitlines(keepends=True) for text in (change.before, change.after))
    for line in difflib.unified_diff(removed, added, before, after):
        text = line.encode("utf-8", errors="replace").decode()
        yield text if text.endswith("\n") else f"{text}\n\\ No newline at end of file\n"


def _listed(files: ConfigSet, changes: Sequence[session.FileChange]) -> list[dict[str, object]]:
    kinds = {change.path: change.kind for change in changes}
    listed = []
    for path, content, executable in ((file.path, file.content, file.executable) for file in files.files):
        facts = {"path": path, "bytes": len(content.encode()), "sha256": session.digest(content)}
        listed.append(facts | {"executable": executable, "change": kinds[path]})
    return listed


def _table(output: Path, files: ConfigSet, changes: Sequence[session.FileChange]) -> RenderableType:
    rows = tuple((top, str(count), meaning) for top, meaning, count in session.counted(files))
    kinds = Counter(change.kind for change in changes)
    next_step = f"read {output / 'README.md'}: every step in order, and how to check that it works"
    counts = ", ".join(f"{count:,} {kind}" for kind, count in sorted(kinds.items()))
    facts = FactList("", (("files", counts), ("next", next_step)))
    return blocks(Table(("written", "files", "contents"), rows), facts)
