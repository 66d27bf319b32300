"""Plans, deployments and comparisons decide by the same readers, for every setting of whole plans."""

from __future__ import annotations

import pytest

from howdah.hadoop.daemons import DAEMONS
from howdah.hadoop.readers import present_roles
from howdah.model.plan import ClusterPlan, Setting
from howdah.planner.succession import change_of
from howdah.render.daemons import expected_settings, settings_digest
from howdah.render.text import EVERYWHERE, FileVariant
from support.labs import lab_plan, trio_plan

_FILES = {file for kind in DAEMONS.values() for file in kind.files}
_PLANS = {
    "two of each master": trio_plan(),
    "two of each master, with Kerberos": trio_plan(secure=True),
    "HBase": lab_plan(workers_per_host=None, ycsb=True),
    "HDFS alone, with Kerberos": lab_plan(workers_per_host=None, storage=True, secure=True),
}


def _changed(setting: Setting) -> Setting:
    """The setting with another value."""
    value = setting.value
    if isinstance(value, bool):
        return setting.model_copy(update={"value": not value})
    if isinstance(value, int | float):
        return setting.model_copy(update={"value": value + 1})
    return setting.model_copy(update={"value": f"{value}x" if isinstance(value, str) else (*value, "x")})


@pytest.mark.parametrize("name", _PLANS)
def test_plan_from_and_deploy_restart_the_same_daemons(name: str) -> None:
    plan = _PLANS[name]
    variant = FileVariant(worker=plan.workers[0].name, group=plan.workers[0].group)
    present = present_roles(plan)
    digests = {role: settings_digest(plan, role, variant) for role in present}
    held = 0
    for index, setting in enumerate(plan.settings):
        if setting.file not in _FILES or not variant.holds(setting):
            continue
        settings = (*plan.settings[:index], _changed(setting), *plan.settings[index + 1 :])
        after: ClusterPlan = plan.model_copy(update={"settings": settings})
        (change,) = change_of(plan, after).values
        restarted = {role for role in present if settings_digest(after, role, variant) != digests[role]}
        assert set(change.restarts) == restarted, setting.key
        held += 1
    assert held > 50


@pytest.mark.parametrize("name", _PLANS)
def test_what_a_daemon_must_show_is_part_of_what_restarts_it(name: str) -> None:
    plan = _PLANS[name]
    for role in present_roles(plan):
        expected = expected_settings(plan, role, EVERYWHERE)
        assert set(expected) <= set(DAEMONS[role].files)
        assert any(expected.values()), role
