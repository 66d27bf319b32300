"""Records of which every free text is far longer than any page is wide."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
from pydantic import ValidationError

from howdah.model.run import RunRecord
from howdah.model.tables import RunData

LONG = "x" * 10_000
"""What is appended to a text: a browser finds no place in it to break a line."""

_KEPT = frozenset(
    (
        "id",
        "created",
        "kind",
        "phase",
        "workload",
        "unit",
        "code",
        "better",
        "state",
        "metric",
        "hadoop",
        "hbase",
    )
)
"""Keys and columns whose texts are words of howdah's own, though their type would allow any."""


def long_texts(data: RunData, run_id: str) -> RunData:
    """The run with every free text of its record and its tables lengthened, the same text the same way."""
    record = data.record.model_copy(update={"id": run_id})
    content = record.model_dump(mode="json")
    texts = sorted({text for key, text in _leaves(content) if key not in _KEPT and text})
    longer = {text for text in texts if _may_be_long(content, text)}
    lengthened = RunRecord.model_validate(_changed(content, lambda text: _long(text, longer)))
    return RunData(
        lengthened,
        tasks=_long_table(data.tasks, longer),
        samples=_long_table(data.samples, longer),
        latencies=_long_table(data.latencies, longer),
        server_events=_long_table(data.server_events, longer),
    )


def _long(text: str, longer: set[str]) -> str:
    return f"{text}{LONG}" if text in longer else text


def _may_be_long(content: Any, text: str) -> bool:
    try:
        RunRecord.model_validate(_changed(content, lambda one: _long(one, {text})))
    except ValidationError:
        return False
    return True


def _leaves(node: Any, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(node, dict):
        for name, value in node.items():
            yield from _leaves(value, name)
    elif isinstance(node, list):
        for value in node:
            yield from _leaves(value, key)
    elif isinstance(node, str):
        yield key, node


def _changed(node: Any, change: Callable[[str], str], key: str = "") -> Any:
    if isinstance(node, dict):
        return {name: _changed(value, change, name) for name, value in node.items()}
    if isinstance(node, list):
        return [_changed(value, change, key) for value in node]
    return change(node) if isinstance(node, str) and key not in _KEPT else node


def _long_table(table: pa.Table, longer: set[str]) -> pa.Table:
    for at, field in enumerate(table.schema):
        values = table.column(at)
        if field.name in _KEPT or not (pa.types.is_string(field.type) or pa.types.is_dictionary(field.type)):
            continue
        texts = [text and _long(text, longer) for text in values.to_pylist()]
        table = table.set_column(at, field, pa.array(texts).cast(field.type))
    return table
