"""Any record and any tables come back as they were written."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pyarrow as pa
import pytest
from annotated_types import Ge, Gt, Le, MinLen
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic.fields import FieldInfo

from howdah.documents.files import read_inventory
from howdah.errors import RecordError
from howdah.model.base import Model
from howdah.model.plan import ClusterPlan, Setting, Worker
from howdah.model.request import PlanRequest
from howdah.model.run import Outcome, RunRecord, Sample, TaskAttempt
from howdah.model.tables import SAMPLES_SCHEMA, TASKS_SCHEMA
from howdah.model.workloads.base import Workload
from howdah.model.workloads.suite import programs
from howdah.planner.cluster import plan_cluster
from howdah.store.archive import export_run, import_run
from howdah.store.reader import read_record, read_run
from howdah.store.writer import RunWriter
from support.stored import as_begun

pytestmark = pytest.mark.slow

QUICK = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])

TEXT = st.text(max_size=10)

EXAMPLES = Path(__file__).parents[3] / "examples"
_PLANS = [
    plan_cluster(read_inventory(EXAMPLES / f"hosts-{name}.yaml"), PlanRequest()) for name in ("7", "mixed")
]


@cache
def _model(model: type[Model]) -> st.SearchStrategy[Any]:
    """Any instance of a model class, with few of everything it has many of."""
    hints = get_type_hints(model)
    fields = {name: _field(field, hints[name]) for name, field in model.model_fields.items()}
    if model is ClusterPlan:
        # Plans of clusters have laws and tests of their own.
        return st.sampled_from(_PLANS)
    if model is Workload:
        return st.one_of(*map(_model, programs().values()))
    if model is Setting:
        # An infinite setting would come back as a word: a setting's value may be text too.
        finite = st.floats(allow_nan=False, allow_infinity=False)
        fields["value"] = st.one_of(st.integers(), finite, TEXT, st.booleans(), st.tuples(TEXT))
    if model is Worker:
        # Fewer than none of anything is refused when a plan is read.
        counted = ("map_slots", "reduce_slots", "memory_bytes", "per_host")
        fields |= dict.fromkeys(counted, st.integers(1, 1000))
    return st.builds(model, **fields)


def _field(field: FieldInfo, annotation: Any) -> st.SearchStrategy[Any]:
    """Values of a field that its bounds allow."""
    least = next((one.ge for one in field.metadata if isinstance(one, Ge)), None)
    above = next((one.gt for one in field.metadata if isinstance(one, Gt)), None)
    most = next((one.le for one in field.metadata if isinstance(one, Le)), None)
    few = next((one.min_length for one in field.metadata if isinstance(one, MinLen)), 0)
    if few:
        return st.lists(_value(get_args(annotation)[0]), min_size=few, max_size=few + 1).map(tuple)
    if annotation is int and least is not None:
        return st.integers(int(str(least)), 1000)
    if annotation is float and (least is not None or above is not None):
        return st.floats(float(str(least or 0)), float(str(most or 1e12)), exclude_min=above is not None)
    return _value(annotation)


def _value(annotation: Any) -> st.SearchStrategy[Any]:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return _model(annotation)
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is tuple:
        return st.lists(_value(arguments[0]), max_size=2).map(tuple)
    if origin is dict:
        return st.dictionaries(*map(_value, arguments), max_size=2)
    if origin in (Union, UnionType):
        return st.one_of(*map(_value, arguments))
    return TEXT if annotation is str else st.from_type(annotation)


def _rows(row: Any, schema: pa.Schema) -> st.SearchStrategy[list[list[Any]]]:
    """Batches of rows with every value that a column of the schema can hold."""
    values = {
        pa.string(): st.text(max_size=20),
        pa.int32(): st.integers(-(2**31), 2**31 - 1),
        pa.int64(): st.integers(-(2**63), 2**63 - 1),
        pa.float64(): st.floats(allow_nan=False),
    }
    rows = st.builds(row, **{field.name: values[field.type] for field in schema})
    return st.lists(st.lists(rows, max_size=5), max_size=5)


ended_records = _model(RunRecord).filter(lambda record: record.outcome is not Outcome.RUNNING)
sample_batches = _rows(Sample, SAMPLES_SCHEMA)
task_batches = _rows(TaskAttempt, TASKS_SCHEMA)


def _flat(batches: list[list[Any]]) -> list[dict[str, Any]]:
    return [row._asdict() for batch in batches for row in batch]


@QUICK
@given(ended_records, sample_batches, task_batches)
def test_what_is_written_is_read_and_travels(
    record: RunRecord, samples: list[list[Sample]], tasks: list[list[TaskAttempt]]
) -> None:
    record = record.model_copy(update={"id": "20261120-1714-any"})
    with TemporaryDirectory() as temporary:
        here, there = Path(temporary, "here"), Path(temporary, "there")
        with RunWriter(here, as_begun(record)) as writer:
            for sample_batch in samples:
                writer.samples(sample_batch)
            for task_batch in tasks:
                writer.tasks(task_batch)
            going = read_run(writer.path)
            writer.finish(record)
        ended = read_run(writer.path)
        for read in (going, ended):
            assert read.samples.to_pylist() == _flat(samples)
            assert read.tasks.to_pylist() == _flat(tasks)
        # As text, since a NaN in a record is not equal to itself.
        assert ended.record.model_dump_json() == record.model_dump_json()

        export_run(writer.path, Path(temporary, "one"))
        carried = import_run(Path(temporary, "one"), there)
        read = read_run(carried)
        assert read.record.model_dump_json() == record.model_dump_json()
        assert read.samples.equals(ended.samples)
        assert read.tasks.equals(ended.tasks)
        export_run(carried, Path(temporary, "other"))
        assert Path(temporary, "one").read_bytes() == Path(temporary, "other").read_bytes()


@QUICK
@given(ended_records, st.data())
def test_any_record_cut_anywhere_is_one_error(record: RunRecord, data: st.DataObject) -> None:
    content = record.model_dump_json(indent=2).encode()
    size = data.draw(st.integers(0, len(content) - 1))
    with TemporaryDirectory() as temporary:
        Path(temporary, "run.json").write_bytes(content[:size])
        with pytest.raises(RecordError, match=r"run\.json: damaged"):
            read_record(Path(temporary))


@QUICK
@given(st.binary(max_size=200) | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(repr))
def test_anything_else_is_one_error_too(content: bytes | str) -> None:
    with TemporaryDirectory() as temporary:
        Path(temporary, "run.json").write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(RecordError, match=r"run\.json: "):
            read_record(Path(temporary))
