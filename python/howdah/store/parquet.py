"""A table of a run that has ended: one Parquet file."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from howdah.errors import RecordError
from howdah.store.layout import TableFiles
from howdah.store.replace import replacing
from howdah.store.schema import check_schema, with_later_columns


def write_parquet(directory: Path, table: TableFiles, rows: pa.Table) -> None:
    """Write the compacted table at once and durably; raise OSError if the disk refuses."""
    with replacing(directory / table.parquet) as file:
        pq.write_table(rows, file, compression="zstd", write_page_checksum=True)


def read_parquet(directory: Path, table: TableFiles) -> pa.Table:
    """Read the compacted table.

    Raises RecordError if it is damaged or its columns are another table's, FileNotFoundError if it
    is not there.
    """
    path = directory / table.parquet
    try:
        # Reading the open file keeps Arrow from taking directory names for partition columns.
        with path.open("rb") as file, pq.ParquetFile(file, page_checksum_verification=True) as parquet:
            check_schema(path, parquet.schema_arrow, table.schema)
            rows = parquet.read()
        rows.validate(full=True)
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise RecordError(
            str(path), f"damaged: not a whole Parquet file ({reason})", "restore it from an export"
        ) from error
    return with_later_columns(rows.replace_schema_metadata(None), table.schema)
