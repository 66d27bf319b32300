"""``howdah rules``: what the planner decides by and what a check looks for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import typer

from howdah.cli.arguments import AsJson, given_before
from howdah.cli.help import App
from howdah.cli.output import answer
from howdah.errors import UserError
from howdah.model.plan import value_text
from howdah.report.document import Document, Entries, FactList, FoldedBlocks, Paragraph, Table, TextEntry
from howdah.report.terminal import blocks, terminal
from howdah.session import plans as session
from howdah.units import format_counted

if TYPE_CHECKING:
    from howdah.planner.document import Explanation

EXAMPLES = """
howdah rules  # lists all of them
howdah rules --subject disks --severity must
howdah rules --source "D0 49"  # lists the rules based on one item of a paper
howdah rules show os.swappiness  # explains one
"""
app = App(help="List the rules behind plans and checks, or explain one.", epilog=EXAMPLES)


@app.callback(
    invoke_without_command=True,
    complete={"subject": lambda: list(session.subjects()), "severity": lambda: list(session.severities())},
)
def _default(
    context: typer.Context,
    subject: str | None = None,
    severity: str | None = None,
    source: str | None = None,
    json: AsJson = False,
) -> None:
    """List rules, unless a command follows.

    Options:
      --subject  List only rules of this subject.
      --severity  List only rules of this severity: must, should or may.
      --source  List only rules based on a paper (D0) or one of its items (D0 49).
    """
    if context.invoked_subcommand is not None:
        if subject or severity or source:
            problem = "only selects from the list of rules"
            raise UserError("--subject, --severity, --source", problem, "leave them out")
        return
    rules = session.list_rules(subject, severity, source)
    rows = tuple((rule.id, rule.severity, rule.says) for rule in rules)
    count = f"{format_counted(len(rules), 'rule')}; `howdah rules show RULE` explains one"
    text = blocks(Table(("rule", "severity", "meaning"), rows), Paragraph(count, "note"))
    if not rules:
        text = blocks(Paragraph("no rule matches all filters"))
    answer([_content(rule) for rule in rules], text, json=json)


@app.command(complete={"rule": lambda: list(session.rule_ids())})
def show(context: typer.Context, rule: str, json: AsJson = False) -> None:
    """Explain one rule: its value, condition, reason and source.

    Arguments:
      RULE  Id of a rule, such as os.swappiness.
    Examples:
      howdah rules show os.swappiness  # shows its value, condition, reason and source
      howdah rules show hdfs.block-size --json  # prints it for programs
    """
    explained = session.explain_rule(rule)
    default = session.default_of(explained.key) if explained.key else None
    json = json or bool(given_before(context, "json"))
    answer(_content(explained) | {"default": default}, terminal(_page(explained, default)), json=json)


def _content(rule: Explanation) -> dict[str, Any]:
    return rule._asdict() | {"sources": [source._asdict() for source in rule.sources]}


def _page(rule: Explanation, default: str | None) -> Document:
    entries = []
    for source in rule.sources:
        note = f"{source.title}; {source.kind}" if source.title else ""
        entries.append(TextEntry(source.label, source.says, note))
    sources = FoldedBlocks("sources", (Entries(tuple(entries)),), size=len(entries))
    parts = (Paragraph(rule.says), FactList("", tuple(_facts(rule, default))), sources)
    return Document("rule", "", (), f"{rule.id}  {rule.severity} ({rule.harm})", parts)


def _facts(rule: Explanation, default: str | None) -> Iterator[tuple[str, str]]:
    if rule.key:
        yield rule.does.split()[0], f"{rule.key} in {rule.file}"
        if rule.value != "":
            yield "value", f"{value_text(rule.value)}: {rule.because}"
        elif rule.because:
            yield "value", rule.because
        if default is not None:
            yield "default", default or "(empty)"
    else:
        yield "does", rule.does
    yield "when", rule.condition
    if len(rule.profiles) == 1:
        yield "profile", f"{rule.profiles[0]} only"
    if rule.today:
        yield "today", rule.today
