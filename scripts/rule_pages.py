"""Write the documentation's pages about the rules: one for each subject, and an index.

``.venv/bin/python scripts/rule_pages.py docs/rules`` renews them; a test compares them with the rules.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from howdah.markdown import pipe_table
from howdah.model.plan import value_text
from howdah.planner.document import PAPERS, Explanation, explain
from howdah.planner.rule import MEANINGS
from howdah.planner.rules.catalogue import RULES, SUBJECTS
from howdah.units import format_counted

_NOTICE = "<!-- Written by `scripts/rule_pages.py`; change the rules instead, and run `make docs`. -->"


def pages() -> dict[str, str]:
    """Every page by its file's name."""
    explained = sorted(map(explain, RULES), key=attrgetter("subject"))
    by_subject = {subject: tuple(rules) for subject, rules in groupby(explained, key=attrgetter("subject"))}
    return {"index.md": _index(by_subject)} | {
        f"{subject}.md": _page(subject, rules) for subject, rules in by_subject.items()
    }


def write(folder: Path) -> None:
    """Write all pages into a folder, and remove pages of subjects that are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    current = pages()
    for old in folder.glob("*.md"):
        if old.name not in current:
            old.unlink()
    for name, text in current.items():
        (folder / name).write_text(text, encoding="utf-8")


def _index(by_subject: dict[str, tuple[Explanation, ...]]) -> str:
    subjects = (
        (f"[{SUBJECTS[subject].title}]({subject}.md)", SUBJECTS[subject].about, str(len(rules)))
        for subject, rules in by_subject.items()
    )
    severities = ((f"`{severity}`", meaning) for severity, meaning in MEANINGS.items())
    papers = ((label, title) for label, title in PAPERS.items() if label != "howdah")
    total = sum(map(len, by_subject.values()))
    return "\n".join(
        [
            _NOTICE,
            "",
            "# The rules",
            "",
            f"A plan and a check are based on {format_counted(total, 'rule')}. `howdah rules` lists them, "
            "`howdah rules show os.swappiness` explains one.",
            "",
            pipe_table(("subject", "about", "rules"), subjects) + "\n",
            "What breaking a rule means:",
            "",
            pipe_table(("severity", "meaning"), severities) + "\n",
            "Rules cite the studies that howdah descends from by number (`D0 49`), what was resolved where "
            "they disagree (`X7`), releases and issues, or `howdah` if practice is the only source:",
            "",
            pipe_table(("paper", "title"), papers) + "\n",
        ]
    )


def _page(subject: str, rules: tuple[Explanation, ...]) -> str:
    overview = ((f"[`{rule.id}`](#{_anchor(rule.id)})", rule.severity, rule.says) for rule in rules)
    head = [_NOTICE, "", f"# {SUBJECTS[subject].title}", "", SUBJECTS[subject].about, ""]
    return "\n".join(
        [
            *head,
            pipe_table(("rule", "severity", "in short"), overview) + "\n",
            *("\n".join(_rule(rule)) for rule in rules),
        ]
    )


def _rule(rule: Explanation) -> Iterator[str]:
    yield f"## {rule.id}\n"
    yield f"{rule.says}\n"
    yield from _facts(rule)
    yield ""
    yield "\n>\n".join(
        f"> [{source.label}](index.md), {source.kind}: {_escaped(source.says)}"
        for source in rule.sources
        if source.title
    )
    yield ""


def _facts(rule: Explanation) -> Iterator[str]:
    if rule.key:
        verb = "holds" if rule.does == "holds the default" else "sets"
        yield f"- {verb} `{rule.key}` in `{rule.file}`{_value(rule)}"
    else:
        yield f"- {rule.does}"
    yield f"- severity: {rule.severity} ({MEANINGS[rule.severity]})"
    yield f"- when: {rule.condition}"
    if len(rule.profiles) == 1:
        yield f"- profile: {rule.profiles[0]} only"
    if rule.today:
        yield f"- today: {rule.today}"
    if documents := [source.label for source in rule.sources if not source.title]:
        yield f"- source: {', '.join(documents)}"


def _value(rule: Explanation) -> str:
    if rule.value != "":
        return f" to `{value_text(rule.value)}`: {rule.because}"
    return f"; the value {rule.because}" if rule.because else ""


def _anchor(rule_id: str) -> str:
    """The anchor that a heading of this text gets: lower case, without dots."""
    return rule_id.replace(".", "")


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
