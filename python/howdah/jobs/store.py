"""The table of imported applications: a directory of Parquet files, each with the rows of some imports.

A row holds everything about an application; a list reads only the columns that it shows. A file appears
complete and is never changed: when it is read, later rows of an application replace earlier ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import Field, asdict, fields
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from howdah.errors import UserError, os_errors
from howdah.files import replacing
from howdah.model.application import Application, HostShare, JobChange, StageSummary

_ENDING = ".parquet"
_MOST_FILES = 16  # More are joined into one at the next import.

_TYPES: dict[str, pa.DataType] = {
    "int": pa.int64(),
    "float": pa.float64(),
    "float | None": pa.float64(),
}
_NESTED = {"stages": StageSummary, "hosts": HostShare, "advice": JobChange}


def _type(field: Field[Any]) -> pa.DataType:
    if field.name not in _NESTED:
        return _TYPES.get(str(field.type), pa.string())
    return pa.list_(pa.struct([pa.field(part.name, _type(part)) for part in fields(_NESTED[field.name])]))


SCHEMA = pa.schema([pa.field(field.name, _type(field)) for field in fields(Application)])
"""One row for each application and attempt."""


def key_of(kind: str, name: str, attempt: str) -> tuple[str, str]:
    """What makes a row unique: a MapReduce job's attempts share one history, a Spark driver's do not."""
    return name, attempt if kind == "spark" else ""


class JobStore:
    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def add(self, applications: Sequence[Application]) -> None:
        """Store applications; those that are known already are replaced."""
        if not applications:
            return
        rows = [asdict(application) for application in applications]
        new = pa.Table.from_pylist(rows, SCHEMA)
        with os_errors(self.directory, "cannot be written: {}", "give another --jobs-dir"):
            self.directory.mkdir(parents=True, exist_ok=True)
            old = self.files()
            if len(old) >= _MOST_FILES:
                self._write(pa.concat_tables([self.read(), new]))
                for file in old:
                    file.unlink(missing_ok=True)
            else:
                self._write(new)

    def read(self, columns: Iterable[str] | None = None, names: Sequence[str] | None = None) -> pa.Table:
        """Every application's, or these ids', newest row by their ends, with these and key columns."""
        read_columns = None if columns is None else list({*columns, "kind", "id", "attempt", "end_s"})
        tables = [self._read(file, read_columns, names) for file in self.files()]
        if not tables:
            return SCHEMA.empty_table()
        table = pa.concat_tables(tables)
        keys = zip(*(texts(table, name) for name in ("kind", "id", "attempt")), strict=True)
        newest = {key_of(*key): at for at, key in enumerate(keys)}
        if len(newest) < table.num_rows:
            table = table.take(pa.array(sorted(newest.values()), pa.int64()))
        return table.sort_by("end_s")

    def _read(self, file: Path, columns: list[str] | None, names: Sequence[str] | None) -> pa.Table:
        chosen = None if names is None else pc.field("id").isin(list(names))
        try:
            return pq.read_table(file, columns=columns, filters=chosen, partitioning=None, schema=SCHEMA)
        except PermissionError as error:
            raise UserError(str(file), "cannot be read", "let its owner permit reading it") from error
        except (OSError, pa.ArrowException) as error:
            problem = "is not a table of imported applications, or damaged"
            raise UserError(str(file), problem, "remove it and import again") from error

    def files(self) -> list[Path]:
        """Return the files, oldest first: their names begin with a growing number."""
        return sorted(self.directory.glob(f"applications-*{_ENDING}"))

    def _write(self, table: pa.Table) -> None:
        number = max((int(file.name.split("-")[1]) for file in self.files()), default=0) + 1
        name = f"applications-{number:06}-{uuid4().hex[:8]}{_ENDING}"
        with replacing(self.directory / name) as file:
            pq.write_table(table, file, compression="zstd", row_group_size=2000)


def texts(table: pa.Table, name: str) -> list[str]:
    return [str(text) for text in table[name].to_pylist()]


def applications(table: pa.Table) -> list[Application]:
    """The rows of a table; columns that were not read are empty."""
    rows: list[dict[str, Any]] = table.to_pylist()
    for row in rows:
        row |= {name: tuple(kind(**part) for part in row.get(name) or ()) for name, kind in _NESTED.items()}
    return [Application(**row) for row in rows]
