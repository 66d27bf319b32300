"""What hosts are to be handed is looked for before any of them is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.errors import UserError
from howdah.session.deploy_project import read_target, secrets_of_hosts
from support.labs import lab_plan, save_plan


def test_a_plan_without_kerberos_needs_none(tmp_path: Path) -> None:
    target = read_target(save_plan(lab_plan(workers_per_host=None), tmp_path))
    assert secrets_of_hosts(target, None) == ({}, [])
    with pytest.raises(UserError, match="needs a plan with Kerberos, and"):
        secrets_of_hosts(target, tmp_path)


def test_what_is_missing_is_told_for_every_host(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    folder.mkdir(mode=0o700)
    target = read_target(save_plan(lab_plan(workers_per_host=None, secure=True, storage=True), tmp_path))
    found, wrong = secrets_of_hosts(target, folder)
    assert {one.host for one in wrong} == set(target.systems)
    assert any("hdfs.service.keytab is not in" in one.what for one in wrong)
    assert not any(found.values())
