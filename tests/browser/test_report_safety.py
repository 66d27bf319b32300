"""Records come from elsewhere: whatever they hold is text, and the page can reach nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.analysis.analyse import analyse
from howdah.model.run import RunWarning
from howdah.model.tables import RunData
from howdah.report.run import run_report
from howdah.report.write import write_document
from support import records
from support.browsing import ReportOf, Visitor

pytestmark = pytest.mark.xdist_group("pages")

HOSTILE = "</script><script>window.caught=1</script><img src=x onerror='window.caught=2'>\u2028'\"$page`${1}"


def _hostile() -> RunData:
    run = records.failed()
    record = run.record
    plan = record.plan.model_copy(
        update={"settings": tuple(one.model_copy(update={"reason": HOSTILE}) for one in record.plan.settings)}
    )
    tasks = run.tasks
    index = tasks.schema.get_field_index("worker")
    tasks = tasks.set_column(index, tasks.schema.field(index), [[HOSTILE] * tasks.num_rows])
    host = record.host.model_copy(update={"name": HOSTILE})
    record = record.model_copy(
        update={
            "host": host,
            "plan": plan,
            "error": HOSTILE,
            "command": ("howdah", HOSTILE),
            "warnings": (RunWarning(code="hostile", text=HOSTILE),),
        }
    )
    return RunData(record, tasks, run.samples)


def test_a_record_s_text_stays_text(visit: Visitor, tmp_path: Path) -> None:
    run = _hostile()
    path = write_document(run_report(run, analyse(run)), tmp_path)
    visiting = visit()
    page = visiting.open(path)
    assert page.evaluate("window.caught") is None
    assert page.locator("img:not(.still)").count() == 0
    assert "window.caught=1" in page.locator("h1").inner_text()
    assert visiting.said == []
    assert visiting.asked == [path.as_uri()]


def test_the_page_forbids_reaching_anything(report: ReportOf, visit: Visitor) -> None:
    page = visit().open(report("terasuite"))
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
          await new Promise((done) => setTimeout(done, 300));
          return [seen.sort(), window.ran ?? null];
        }"""
    )
    assert blocked == [["connect-src", "img-src", "script-src-elem"], None]
