"""Secrets as Ansible hands them to a host: whole, binary, and shown nowhere."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from howdah.render.cluster import render
from support.labs import lab_plan

pytestmark = pytest.mark.slow

_KEEPS = """\
#!{python}
# WANT_JSON
import json, sys
args = json.load(open(sys.argv[1]))
json.dump(args, open({log!r}, "w"))
print(json.dumps({{"changed": True, "changes": [], "args": sorted(args)}}))
"""


def _project(folder: Path) -> Path:
    for file in render(lab_plan(workers_per_host=None, secure=True, storage=True)).files:
        if file.path.startswith("deploy/") and "/library/" not in file.path:
            path = folder / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.content)
    project = folder / "deploy"
    (project / "library").mkdir()
    for name in ("howdah_secrets", "howdah_host"):
        log = str(folder / f"{name}.json")
        (project / f"library/{name}.py").write_text(_KEEPS.format(python=sys.executable, log=log))
    (project / "here.yaml").write_text(yaml.safe_dump({"all": {"vars": {"ansible_connection": "local"}}}))
    return project


def _apply(project: Path, *words: str) -> str:
    program = str(Path(sys.executable).with_name("ansible-playbook"))
    line = [program, "-vvv", "-i", "inventory.yaml", "-i", "here.yaml", "--limit", "h1", *words, "apply.yaml"]
    done = subprocess.run(
        [*line, "-e", f"ansible_python_interpreter={sys.executable}"],
        cwd=project, capture_output=True, text=True, check=False,
        env={**os.environ, "ANSIBLE_BECOME": "False", "HOME": str(project.parent)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_what_is_handed_over_arrives_whole_and_is_not_shown(tmp_path: Path) -> None:
    content = bytes(range(256)) * 4
    keytab = tmp_path / "it's a keytab"
    keytab.write_bytes(content)
    project = _project(tmp_path)
    (project / "host_vars").mkdir()
    own = {"howdah_secrets": {"hdfs.service.keytab": {"file": str(keytab), "sha256": "00"}}}
    (project / "host_vars/h1.json").write_text(json.dumps(own))
    said = _apply(project)
    kept = json.loads((tmp_path / "howdah_secrets.json").read_text())["contents"]
    given = json.loads(kept) if isinstance(kept, str) else kept
    assert base64.b64decode(given["hdfs.service.keytab"]) == content
    assert base64.b64encode(content).decode()[:40] not in said
    assert json.loads((tmp_path / "howdah_host.json").read_text())["secrets"] == own["howdah_secrets"]


def test_nothing_is_handed_over_by_a_look_or_where_there_is_nothing(tmp_path: Path) -> None:
    project = _project(tmp_path)
    _apply(project)
    assert not (tmp_path / "howdah_secrets.json").exists()
