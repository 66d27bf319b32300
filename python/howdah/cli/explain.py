"""``howdah plan explain``: why a plan says what it says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from howdah.cli.help import App
from howdah.cli.output import print_json, show
from howdah.errors import HowdahError
from howdah.model.plan import ClusterPlan, Setting
from howdah.report.plan.explained import (
    candidate_document,
    master_document,
    plan_values,
    setting_document,
)
from howdah.report.terminal import terminal
from howdah.session.plan import explaining as session
from howdah.session.plan import plans

if TYPE_CHECKING:
    from howdah.report.document import Document
    from howdah.session.plan.explaining import Explained


EXAMPLES = """
howdah plan explain plan.yaml  # lists every value with its reason, and all advice
howdah plan explain plan.yaml dfs.blocksize  # shows the rule, its inputs and its source
howdah plan explain plan.yaml "2 per host"  # lists the pros and cons of a platform
howdah plan explain plan.yaml nn1  # explains why a master is on its host
"""

app = App()


def _names(context: typer.Context, incomplete: str) -> list[str]:
    """What can be explained in the plan that is named before; nothing where it cannot be read."""
    try:
        plan = plans.load_plan(Path(context.params["plan"]))
    except (HowdahError, KeyError, TypeError):
        return []
    return [name for name in session.names(plan) if name.startswith(incomplete)]


@app.command("plan explain", epilog=EXAMPLES)
def explain(
    plan: Annotated[Path, typer.Argument(help="Plan that `howdah plan` wrote.", metavar="PLAN")],
    name: Annotated[
        str | None,
        typer.Argument(
            help="Key, platform or master to explain. Default: list every value and all advice.",
            metavar="KEY",
            autocompletion=_names,
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Explain a value of a plan (its rule, inputs and source), a platform or a master."""
    read = plans.load_plan(plan)
    if name is None:
        if json:
            print_json([_said(read, setting) for setting in read.settings])
        else:
            show(terminal(plan_values(read, session.grounds())))
        return
    explanation = session.find(read, plan, name)
    if json:
        print_json(_content(read, explanation))
    else:
        for at, document in enumerate(_documents(read, explanation)):
            if at:
                print()
            show(terminal(document))


def _documents(plan: ClusterPlan, explanation: Explained) -> Iterator[Document]:
    grounds = session.grounds()
    for setting in explanation.settings:
        yield setting_document(setting, grounds, plans.release_default(plan, setting.key))
    for candidate in explanation.candidates:
        yield candidate_document(candidate, grounds)
    for master in explanation.masters:
        yield master_document(master, plan, grounds)


def _content(plan: ClusterPlan, explanation: Explained) -> dict[str, Any]:
    return {
        "settings": [_said(plan, setting) for setting in explanation.settings],
        "platforms": [candidate.model_dump(mode="json") for candidate in explanation.candidates],
        "masters": [master.model_dump(mode="json") for master in explanation.masters],
    }


def _said(plan: ClusterPlan, setting: Setting) -> dict[str, Any]:
    grounds = session.grounds()
    law = grounds.rules.get(setting.rule or "")
    return setting.model_dump(mode="json") | {
        "says": law.says if law else None,
        "sources": [citation._asdict() for citation in grounds.cited(setting.source)],
        "default": plans.release_default(plan, setting.key),
    }
