"""Records and notes are text on every page, and a page of another site can change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from howdah.model.run import Annotation, RunWarning
from howdah.model.tables import RunData
from howdah.store.archive import read_annotation, write_annotation
from howdah.store.writer import RunWriter
from support import records
from support.browsing import Visitor
from support.served import HOSTILE, Started, another_site, started
from support.stored import as_begun, sample_ticks, task_rows, write_run

pytestmark = pytest.mark.xdist_group("served pages")


def _hostile(name: str) -> RunData:
    """A failed run of which everything that may be text is markup."""
    run = records.failed()
    tasks = run.tasks
    for column in ("worker", "error"):
        at = tasks.schema.get_field_index(column)
        tasks = tasks.set_column(at, tasks.schema.field(at), [[HOSTILE] * tasks.num_rows])
    record = run.record.model_copy(
        update={
            "id": name,
            "host": run.record.host.model_copy(update={"name": HOSTILE}),
            "error": HOSTILE,
            "command": ("howdah", HOSTILE),
            "warnings": (RunWarning(code="hostile", text=HOSTILE),),
        }
    )
    return run._replace(record=record, tasks=tasks)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hostile run with a hostile note, and one that is beyond suspicion."""
    folder = tmp_path_factory.mktemp("safety")
    path = write_run(folder / "runs", _hostile("20261121-0900-hostile"))
    write_annotation(path, Annotation(tags=("<b>bold</b>", "'\"><script>"), note=HOSTILE))
    (path / "logs" / "howdah.log").write_text(HOSTILE)
    write_run(folder / "runs", records.pi())
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Started]:
    with started(folder) as one:
        yield one


@pytest.mark.parametrize("address", ["", "?tag='\"><script>", "runs/20261121-0900-hostile/"])
def test_what_a_record_holds_is_text(address: str, visit: Visitor, server: Started) -> None:
    visiting = visit()
    page = visiting.go(server.address + address)
    assert "window.caught=1" in page.locator("body").inner_text()
    assert page.evaluate("window.caught") is None
    assert page.locator("img:not(.still), .tag b").count() == 0
    assert visiting.said == []


def test_what_a_run_under_way_holds_is_text(visit: Visitor, server: Started, folder: Path) -> None:
    data = _hostile("20261121-0901-under-way")
    with RunWriter(folder / "runs", as_begun(data.record)) as writer:
        for tick in sample_ticks(data.samples):
            writer.samples(tick)
        writer.tasks(task_rows(data.tasks))
        (writer.path / "logs" / "howdah.log").write_text(HOSTILE)
        visiting = visit()
        page = visiting.go(f"{server.address}runs/{data.record.id}/")
        # A locator is asked from outside; a function's text would be evaluated, which the policy forbids.
        expect(page.locator("#log")).to_contain_text("caught")
        expect(page.locator("#tasks")).to_contain_text("caught")
        assert page.evaluate("window.caught") is None
        assert page.locator("#log *, #tasks img, #tasks script").count() == 0
        assert visiting.said == []


def test_a_page_of_another_site_changes_nothing_and_reads_nothing(
    visit: Visitor, server: Started, folder: Path, tmp_path: Path
) -> None:
    run = records.pi().record.id
    (tmp_path / "index.html").write_text(
        f'<form id="form" method="post" enctype="text/plain" action="{server.address}api/v1/runs/{run}/stop">'
        '<input name="x" value="1"></form>'
    )
    with another_site(tmp_path) as address:
        page = visit().page
        page.goto(address)
        # Whoever knew the token could still not send it: the browser asks first, and is refused.
        outcome = page.evaluate(
            """async ([address, run, token]) => {
              const tried = {};
              const body = JSON.stringify({ tags: ["caught"], note: "" });
              const ask = (path, asked) => fetch(address + path, asked).then(() => "read", () => "kept away");
              tried.read = await ask("api/v1/runs");
              const json = { "Content-Type": "application/json" };
              tried.note = await ask(`api/v1/runs/${run}/annotation`, {
                method: "PUT", body, headers: { ...json, "X-Howdah-Token": token } });
              tried.compute = await ask("api/v1/inventory/check", {
                method: "POST", body: '{"inventory": ""}', headers: { "X-Howdah-Page": "1" } });
              return tried;
            }""",
            [server.address, run, server.token],
        )
        assert outcome == {"read": "kept away", "note": "kept away", "compute": "kept away"}
        page.evaluate(
            """address => new Promise((done) => {
              const frame = document.createElement("iframe");
              Object.assign(frame, { src: address, onload: done });
              document.body.append(frame);
            })""",
            server.address,
        )
        assert [frame.locator(".site").count() for frame in page.frames[1:]] == [0]
        with page.expect_response("**/stop") as answered:
            page.evaluate("document.getElementById('form').submit()")
        assert answered.value.status == 403
    assert read_annotation(folder / "runs" / run).tags == ()


def test_a_page_of_the_server_reaches_nobody_else(visit: Visitor, server: Started) -> None:
    page = visit().go(server.address)
    blocked = page.evaluate(
        """async () => {
          const seen = [];
          document.addEventListener("securitypolicyviolation", (one) => seen.push(one.effectiveDirective));
          await fetch("http://127.0.0.1:9/").catch(() => {});
          const image = document.createElement("img");
          image.src = "http://127.0.0.1:9/x.png";
          document.body.append(image);
          const script = document.createElement("script");
          script.textContent = "window.ran = 1";
          document.body.append(script);
          const frame = document.createElement("iframe");
          frame.src = location.href;
          document.body.append(frame);
          await new Promise((done) => setTimeout(done, 500));
          return [seen.sort(), window.ran ?? null];
        }"""
    )
    assert blocked == [["connect-src", "frame-src", "img-src", "script-src-elem"], None]
