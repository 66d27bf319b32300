"""Ansible gets passwords and variables, and no file has a password."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from howdah.deploy.ansible import SshLogin, run_playbook

SECRET = "topsecret-one"

PLAYBOOK = [
    {
        "hosts": "all",
        "gather_facts": False,
        "tasks": [
            {"name": "look", "command": "grep -rl topsecret-one {{ folder }}", "failed_when": False},
            {"name": "said", "command": "echo {{ words | length }}"},
        ],
    }
]


def test_passwords_are_in_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, files = tmp_path / "project", tmp_path / "files"
    project.mkdir()
    files.mkdir()
    hosts = {"here": {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}}
    (project / "inventory.yaml").write_text(json.dumps({"all": {"hosts": hosts}}))
    (project / "look.yaml").write_text(json.dumps(PLAYBOOK))
    (project / "ansible.cfg").write_text("[defaults]\n")
    monkeypatch.setattr("tempfile.tempdir", str(files))
    login = SshLogin(ssh_password=SECRET)
    variables = {"folder": str(files), "words": ["a", "b", "c"]}
    made = run_playbook(project, "look.yaml", login, lambda said: None, variables=variables)
    assert not made.failed, made.answers
    look, said = made.answers
    assert (look.result["rc"], look.result["stdout"]) == (1, "")
    assert said.result["stdout"] == "3"
