"""The page of checks: grouped by damage, and folded."""

from __future__ import annotations

import re
from pathlib import Path

from howdah.documents.files import write_plan
from howdah.model.existing import CheckReport, CheckVerdict
from support.plan_samples import eight_hosts
from support.served import client_of

CONF = Path(__file__).parents[3] / "data" / "conf" / "sound"
BROWSER = {"Accept": "text/html"}


def test_every_check_that_does_not_pass_is_listed_in_a_group_that_folds(tmp_path: Path) -> None:
    broken = tmp_path / "conf"
    broken.mkdir()
    for file in CONF.iterdir():
        (broken / file.name).write_text(re.sub(r"<value>\d+</value>", "<value>7</value>", file.read_text()))
    (tmp_path / "plan.yaml").write_text(write_plan(eight_hosts()))
    with client_of(tmp_path, conf=(broken,), plans=(tmp_path / "plan.yaml",)) as client:
        report = CheckReport.model_validate(client.get("/api/v1/checks").json())
        page = client.get("/checks/", headers=BROWSER).text
    groups = report.groups(CheckVerdict.FAIL, CheckVerdict.WARN, CheckVerdict.UNKNOWN, CheckVerdict.ADVICE)
    assert "differs from the plan" in groups
    assert page.count('<details class="group"') == len(groups)
    listed = [check for check in report.checks if check.verdict is not CheckVerdict.PASS]
    assert page.count("<li><details><summary>") == sum(map(len, groups.values())) == len(listed) > 20
    failing = sum(check.verdict is CheckVerdict.FAIL for check in listed)
    assert f"{failing} checks fail</h1>" in page
    # Long groups begin folded, so that the page begins as an overview of them.
    assert page.count('<details class="group" open') <= 1
