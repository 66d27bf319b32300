"""The run record's documentation, from the record's own classes.

``python scripts/run_record.py > docs/run-record.md`` renews it; a test holds the two together.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
from pydantic import BaseModel

from howdah.documents.read import key_of, meanings
from howdah.markdown import pipe_table
from howdah.model.metrics import METRICS
from howdah.model.reported import LatencyHistogram
from howdah.model.run import SCHEMA_VERSION, RunRecord, Sample, TaskAttempt
from howdah.model.tables import ServerEvent
from howdah.model.workloads.base import Workload
from howdah.model.workloads.suite import OWN
from howdah.store.layout import LATENCIES, LOG_FILE, RUN_JSON, SAMPLES, SERVER_EVENTS, TASKS

_Schema = dict[str, Any]
_CLASSES: Mapping[str, type] = {
    name: member
    for module, content in list(sys.modules.items())
    if module.startswith("howdah.model.")
    for name, member in vars(content).items()
    if isinstance(member, type) and member.__module__ == module
}

_INTRODUCTION = f"""\
<!-- Written by `python scripts/run_record.py > docs/run-record.md`; change the classes instead. -->

# The run record, version {SCHEMA_VERSION}

A run is a directory `runs/<id>/`, and everything that is reported about the run is read from these files:

| file | content |
|---|---|
| `{RUN_JSON}` | the record: what was run, where, how it ended ([`RunRecord`](#runrecord)) |
| `{TASKS.parquet}` | one row per task attempt ([tasks](#tasks)) |
| `{SAMPLES.parquet}` | one row per measured value ([samples](#samples)) |
| `{LATENCIES.parquet}` | one row per timed operation, machine and interval ([latencies](#latencies)) |
| `{SERVER_EVENTS.parquet}` | one row per collection, flush, compaction … ([server_events](#server_events)) |
| `{TASKS.stream}`, `{SAMPLES.stream}` … | the same tables while the run goes |
| `{LOG_FILE}` | howdah's log messages of the run |

Other files in the directory, reports for instance, are made from these and can be made again.

All times are seconds since the start of the run on one monotonic clock; the start itself is
`created`. Units are in the names: `_s` seconds, `_bytes` bytes, `_bytes_per_s` bytes per second.
What was not measured or does not apply is `null`. JSON has no infinity and no NaN: such a number is
written as the string `"Infinity"`, `"-Infinity"` or `"NaN"`.

## How it is written

While the run goes, `{RUN_JSON}` has the state `running` and is replaced as a whole (a new file, synced, then
renamed), and the tables grow as Arrow IPC streams, one batch per write. When the run has ended, the
streams are marked complete and synced, `{RUN_JSON}` gets its last content, the streams are compacted
to Parquet (zstd, with page checksums) and removed.

The process that writes a run holds an flock on `.lock` in its directory, which the kernel drops when the
process ends, however it ends. So a record in state `running` without a held lock belongs to a killed run. It
reads as `aborted`, with its tables up to the last complete batch, and a `torn-table` warning if part of a
batch follows. If a table exists in both forms, the Parquet file is read
unless it is damaged.

During the run, `.progress.json` shows its progress once a second, for other processes.
`notes.json` contains tags and a note that users add afterwards; the record itself does not change.

## Versions

`schema_version` counts changes that an older reader would misread. A record of an
earlier version is read as one of today's; a newer one is refused, and so are keys that are not known.

Version 2 has `metrics` of each workload, with their units and which of two values is the better one,
where version 1 had one text, `answer`.
"""


def document() -> str:
    """Return the documentation as Markdown."""
    schema = RunRecord.model_json_schema(mode="serialization")
    definitions: dict[str, _Schema] = {"RunRecord": schema, **schema["$defs"]}
    for program in OWN:
        # Each workload in a record is of one of these.
        own = program.model_json_schema(mode="serialization")
        definitions |= {program.__name__: own, **own.get("$defs", {})}
    parts = [_INTRODUCTION, f"# {RUN_JSON}\n"]
    for name in _reachable("RunRecord", definitions):
        parts.append(_class(name, definitions[name]))
    parts.append("# The tables\n")
    tables = (
        (TASKS, TaskAttempt),
        (SAMPLES, Sample),
        (LATENCIES, LatencyHistogram),
        (SERVER_EVENTS, ServerEvent),
    )
    for table, row in tables:
        parts.append(_table(table.name, row, table.schema))
    parts.append(_metrics())
    return "\n".join(parts)


def _texts(name: str) -> dict[str, str]:
    """Collect the meanings of the fields of a class of the record and of its bases."""
    model = _CLASSES[name]
    return {
        _key(model, field): text
        for owner in reversed(model.__mro__)
        if owner.__module__.startswith("howdah.")
        for field, text in meanings(owner).items()
    }


def _key(model: type, field: str) -> str:
    """The key that a field is written under."""
    return key_of(model, field) if issubclass(model, BaseModel) and field in model.model_fields else field


def _reachable(root: str, definitions: dict[str, _Schema]) -> list[str]:
    """List the classes in the order a reader of the record meets them."""
    order = [root]
    for name in order:
        if name == Workload.__name__:
            order += [program.__name__ for program in OWN]
        for field in definitions[name].get("properties", {}).values():
            order.extend(ref for ref in _references(field) if ref not in order)
    return order


def _alternatives(schema: _Schema) -> list[_Schema]:
    return schema.get("anyOf") or schema.get("oneOf") or []


def _references(schema: _Schema) -> Iterator[str]:
    if "$ref" in schema:
        yield schema["$ref"].rpartition("/")[2]
    for inner in _alternatives(schema):
        yield from _references(inner)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from _references(schema[key])


def _class(name: str, schema: _Schema) -> str:
    head = f"## `{name}`\n\n{_markdown(inspect.cleandoc(schema['description']))}\n"
    if "enum" in schema:
        return f"{head}\nOne of {', '.join(f'`{value}`' for value in schema['enum'])}.\n"
    texts = _texts(name)
    rows = (
        (f"`{field}`", _type(content), _markdown(texts.get(field, "")))
        for field, content in schema["properties"].items()
    )
    return f"{head}\n{pipe_table(('field', 'type', 'meaning'), rows)}\n"


def _type(schema: _Schema) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[`{name}`](#{name.lower()})"
    if alternatives := _alternatives(schema):
        return " or ".join(map(_type, alternatives))
    if values := schema.get("enum", [schema["const"]] if "const" in schema else []):
        return " or ".join(f"`{value}`" for value in values)
    if schema["type"] == "array":
        return f"list of {_type(schema['items'])}"
    if schema["type"] == "object":
        return f"object of {_type(schema['additionalProperties'])} by name"
    return str(schema["type"])


def _table(title: str, row: type, table: pa.Schema) -> str:
    texts = _texts(row.__name__)
    rows = ((f"`{field.name}`", str(field.type), _markdown(texts.get(field.name, ""))) for field in table)
    text = _markdown(inspect.getdoc(row) or "")
    return f"## {title}\n\n{text}\n\n{pipe_table(('column', 'type', 'meaning'), rows)}\n"


def _metrics() -> str:
    rows = ((f"`{metric.pattern}`", metric.unit, metric.kind, metric.meaning) for metric in METRICS)
    text = _markdown(inspect.getdoc(sys.modules[METRICS[0].__module__]) or "")
    return f"## metrics\n\n{text}\n\n{pipe_table(('metric', 'unit', 'kind', 'meaning'), rows)}\n"


def _markdown(text: str) -> str:
    """Turn a docstring's marks into Markdown's; a paragraph becomes one line."""
    paragraphs = text.replace("``", "`").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


if __name__ == "__main__":
    sys.stdout.write(document())
