"""Values of a template that nothing was put in place of: ``#MASTER#``, ``@HOST@``, ``{{ name }}``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.model.found import FoundProperty
from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading, entry_verdict
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules
from howdah.planner.rules.release import known_properties, known_property, names_of_today

_PLACEHOLDER = re.compile(
    r"@@*[A-Za-z][A-Za-z0-9_]*@+|#[A-Z][A-Z0-9_]*#|%[A-Z][A-Z0-9_]{2,}%|__[A-Z][A-Z0-9_]*__"
    r"|\{\{[^{}]*\}\}|<%.*?%>|\{%.*?%\}|<[A-Za-z][A-Za-z0-9 _-]*>"
)
_CAPITALS = re.compile(r"[A-Z]+[0-9]*(_[A-Z0-9]+)+")
_NUMBERS = frozenset({"bool", "duration", "float", "int", "long", "size"})
_OF_HOSTS = re.compile(
    r"fs\.default(FS|\.name)|hbase\.rootdir|(dfs|ha|hbase|mapreduce|yarn)\..*[.-](address|hostname|quorum)(\..+)?"
)
_FILLED_LATER = re.compile(r".*(classpath|opts|command|options|[.-]env|[.-]params)(\..+)?|.*\.auth_to_local")
"""Keys in whose values NodeManagers and tasks fill in ``{{JAVA_HOME}}``, ``<CPS>`` and ``@taskid@``."""
_OF_TEMPLATES = re.compile(r"#[A-Z][A-Z0-9_]*#")
rules = Rules()


def placeholder(entry: FoundProperty, facts: Facts) -> str:
    """The first placeholder of a template in a value; empty where there is none.

    Words in capitals are one as well where a number or a host is to be, or where they are the key's own
    words: ``DFS_REPLICATION`` of ``dfs.replication``.
    """
    text = entry.text
    if _CAPITALS.fullmatch(text):
        own = set(text.lower().split("_")) <= set(re.split(r"[.-]", entry.name.lower()))
        known = known_property(entry.model_copy(update={"name": names_of_today(entry, facts)[0]}), facts)
        if own or (known is not None and known.kind in _NUMBERS):
            return text
    if _OF_HOSTS.fullmatch(entry.name) and (host := _CAPITALS.match(text.rpartition("://")[2])):
        return host[0]
    match = (_OF_TEMPLATES if _FILLED_LATER.fullmatch(entry.name) else _PLACEHOLDER).search(text)
    return match[0] if match else ""


@rules.inspection("consistency.placeholders", MUST, sources="howdah")
def _placeholders(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """No value is a placeholder of a template."""
    for entry in known_properties(reading):
        if not (mark := placeholder(entry, facts)):
            continue
        # By both names, as other rules report one or the other, and this is the cause of all that they find.
        for name in dict.fromkeys((entry.name, *names_of_today(entry, facts))):
            yield entry_verdict(
                entry,
                False,
                about=name,
                found=f"{mark}, a placeholder of a template",
                expected="the value itself: daemons take a placeholder for one, and end",
                fix="check the files that are made from this template, or write values for placeholders",
            )
