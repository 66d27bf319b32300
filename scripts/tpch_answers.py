"""Write the reference answers of TPC-H's queries: TPC's own for scale factor 1, DuckDB's for others.

    python scripts/tpch_answers.py DATA_DIR... [--published DIR]

Each DATA_DIR is named ``…-SCALE`` and holds the Parquet files of tpchgen-cli. ``--published`` is a folder
with TPC's q1.out to q22.out. DuckDB's answers for scale factor 1 are compared with them, and may differ by
what TPC allows: a sum by $100, an average or ratio by 1 %.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import duckdb

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "python"))

from howdah.engines.hadoop.spark import QueryAnswer, answer_of, canonical  # noqa: E402

QUERIES = ROOT / "hadoop/spark/tpch.sql"
ANSWERS = ROOT / "python/howdah/engines/hadoop/tpch_answers.json"
TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")
RATIOS = ("q08", "q14", "q17")
"""Queries whose answer is an average or a ratio."""
Rows = Sequence[Sequence[object]]


def queries(scale: float) -> dict[str, str]:
    """Each query by its name."""
    parts = re.split(r"^-- (q\d\d)$", QUERIES.read_text(), flags=re.MULTILINE)[1:]
    fraction = f"{0.0001 / scale:.10f}"
    return {
        name: text.replace("{fraction}", fraction) for name, text in zip(parts[::2], parts[1::2], strict=True)
    }


def computed(folder: Path, scale: float) -> dict[str, Rows]:
    """DuckDB's answers."""
    engine = duckdb.connect()
    for table in TABLES:
        engine.execute(f"CREATE VIEW {table} AS SELECT * FROM '{folder}/{table}.parquet'")
    return {name: engine.execute(text).fetchall() for name, text in queries(scale).items()}


def published(folder: Path) -> dict[str, Rows]:
    """TPC's answers."""
    result: dict[str, Rows] = {}
    for number in range(1, 23):
        lines = (folder / f"q{number}.out").read_text().splitlines()[1:]
        result[f"q{number:02d}"] = [line.split("|") for line in lines if line.strip()]
    return result


def within_tolerance(name: str, rows: Rows, reference: Rows) -> bool:
    """Whether two answers differ by no more than TPC allows."""
    ours, theirs = (sorted([canonical(value) for value in row] for row in each) for each in (rows, reference))
    if len(ours) != len(theirs):
        return False
    for mine, other in zip(ours, theirs, strict=True):
        for left, right in zip(mine, other, strict=True):
            if left == right:
                continue
            try:
                gap = abs(float(left) - float(right))
            except ValueError:
                return False
            allowed = 0.01 * abs(float(right)) if name in RATIOS else 100.0
            if gap > allowed:
                return False
    return True


def main() -> int:
    """Write the file; 1 if an answer differs by more than TPC allows."""
    words = sys.argv[1:]
    at = words.index("--published") if "--published" in words else len(words)
    given = published(Path(words[at + 1])) if at < len(words) else {}
    result: dict[str, dict[str, list[QueryAnswer]]] = {}
    wrong = 0
    for folder in map(Path, words[:at]):
        scale = folder.name.rpartition("-")[2]
        result[scale] = {}
        for name, rows in computed(folder, float(scale)).items():
            accepted = [answer_of(rows)]
            reference = given.get(name) if scale == "1" else None
            if reference is not None:
                if not within_tolerance(name, rows, reference):
                    print(f"{name}: DuckDB's answer differs from TPC's by more than TPC allows")
                    wrong += 1
                accepted = list(dict.fromkeys([answer_of(reference), *accepted]))
            result[scale][name] = accepted
    lines = ",\n".join(
        f" {json.dumps(scale)}: {{\n"
        + ",\n".join(f"  {json.dumps(name)}: {json.dumps(accepted)}" for name, accepted in answers.items())
        + "\n }"
        for scale, answers in result.items()
    )
    ANSWERS.write_text(f"{{\n{lines}\n}}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
