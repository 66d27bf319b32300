"""The list of runs at wrong addresses and beyond its end, and what it and a run's page say of damage."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from howdah.model.run import MOST_NOTE
from howdah.serve.pages import short_moment
from support import records
from support.served import WITH_TOKEN, ServedClient, client_of
from support.stored import write_run

BROWSER = {"Accept": "text/html,application/xhtml+xml"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(5):
        data = records.pi()
        record = data.record.model_copy(
            update={"id": f"run-{number}", "created": f"2026-11-2{number}T10:00:00Z"}
        )
        write_run(tmp_path / "runs", data._replace(record=record))
    return tmp_path


@pytest.fixture
def client(folder: Path) -> Iterator[ServedClient]:
    with client_of(folder) as client:
        yield client


@pytest.mark.parametrize("query", ["order=bogus", "limit=0", "offset=-1", "sutie=pi", f"search={'x' * 300}"])
def test_a_wrong_address_is_answered_with_a_page_in_a_browser_and_json_to_a_program(
    query: str, client: ServedClient
) -> None:
    page = client.get(f"/?{query}", headers=BROWSER)
    assert page.status_code == 422
    assert page.headers["content-type"].startswith("text/html")
    key = query.partition("=")[0]
    assert f'<h1 class="page-title">{key}: ' in page.text
    assert "All runs</a>" in page.text
    for address in (f"/?{query}", f"/api/v1/runs?{query}"):
        answer = client.get(address)
        assert answer.status_code == 422
        assert answer.json()["where"] == key
        assert set(answer.json()) == {"where", "what", "hint"}
        # What was wrong is not sent back.
        assert "xxxx" not in answer.text


def test_beyond_the_end_of_the_list_is_its_last_page(client: ServedClient) -> None:
    page = client.get("/?limit=2&offset=1000", headers=BROWSER).text
    assert page.count("<tr data-id=") == 1
    assert 'data-id="run-0"' in page
    assert "5 to 5 of 5" in page
    # The page before it is the one before the last, not that of the address.
    assert 'href="?offset=2&amp;limit=2" rel="prev"' in page
    assert 'rel="next"' not in page
    whole = client.get("/?offset=1000", headers=BROWSER).text
    assert whole.count("<tr data-id=") == 5
    # A program counts for itself.
    assert client.get("/api/v1/runs?limit=2&offset=1000").json()["rows"] == []


def test_the_list_and_the_page_agree_on_a_run_whose_tables_are_damaged(folder: Path) -> None:
    samples = folder / "runs" / "run-1" / "samples.parquet"
    samples.write_bytes(samples.read_bytes()[:-10])
    (folder / "runs" / "run-2" / "tasks.parquet").unlink()
    with client_of(folder) as client:
        rows = {row["id"]: row for row in client.get("/api/v1/runs").json()["rows"]}
        for name, file in (("run-1", "samples.parquet"), ("run-2", "tasks.parquet")):
            assert rows[name]["outcome"] == "succeeded"
            assert file in rows[name]["error"]
            page = client.get(f"/runs/{name}/", headers=BROWSER).text
            assert f"{name}: succeeded, but its report cannot be made" in page
            assert file in page
            assert "unreadable" not in page
        assert rows["run-0"]["error"] == ""


def test_a_pipe_in_a_record_is_called_one_in_the_list_and_on_its_page(folder: Path) -> None:
    (folder / "runs" / "run-1" / "samples.parquet").unlink()
    os.mkfifo(folder / "runs" / "run-1" / "samples.parquet")
    with client_of(folder) as client:
        said = "samples.parquet is a named pipe, which is not read"
        assert said in client.get("/", headers=BROWSER).text
        page = client.get("/runs/run-1/", headers=BROWSER)
        assert page.status_code == 404
        assert said in page.text


@pytest.mark.parametrize(
    ("change", "where", "what"),
    [
        ({"note": "a\0b"}, "note", "has a control character, U+0000"),
        ({"note": "x" * (MOST_NOTE + 1)}, "note", "has 20,001 characters"),
        ({"tags": ["a b"]}, "tags", "has a space, a comma or a control character"),
        ({"tags": ["x" * 65]}, "tags", "is longer than 64 characters"),
        ({"tags": [str(number) for number in range(33)]}, "tags", "these are 33 tags"),
    ],
)
def test_what_is_wrong_with_a_note_is_said_of_the_note(
    change: dict[str, object], where: str, what: str, client: ServedClient, folder: Path
) -> None:
    answer = client.put("/api/v1/runs/run-1/annotation", json=change, headers=WITH_TOKEN)
    assert answer.status_code == 409
    assert answer.json()["where"] == where
    assert what in answer.json()["what"]
    assert answer.json()["hint"]
    assert not (folder / "runs" / "run-1" / "notes.json").exists()


def test_small_times_are_in_milliseconds_and_recent_ones_have_no_year(folder: Path) -> None:
    data = records.pi()
    record = data.record.model_copy(
        update={"id": "short", "elapsed_s": 0.0412, "created": datetime.now(UTC).isoformat()}
    )
    write_run(folder / "runs", data._replace(record=record))
    with client_of(folder) as client:
        page = client.get("/?search=short", headers=BROWSER).text
    assert ">41.2 ms<" in page
    assert f">{datetime.now(UTC):%-d %b %H:}" in page
    assert short_moment("2019-03-02T10:00:00Z") == "2 Mar 2019"
