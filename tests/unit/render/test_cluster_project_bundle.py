"""A module of Ansible is one file that imports nothing but Python's own."""

from __future__ import annotations

import ast
import json
import subprocess
import sys

import pytest

from howdah.render.cluster import OF_KERBEROS, PROGRAMS, bundled

_ARGUMENTS = '"<<INCLUDE_ANSIBLE_MODULE_COMPLEX_ARGS>>"'


@pytest.mark.parametrize("program", [*PROGRAMS, *OF_KERBEROS])
def test_it_imports_nothing_that_a_host_does_not_have(program: str) -> None:
    tree = ast.parse(bundled(program), feature_version=(3, 8))
    imported = {
        name.partition(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported <= set(sys.stdlib_module_names)


@pytest.mark.parametrize("program", [*PROGRAMS, *OF_KERBEROS])
def test_no_two_parts_of_it_use_one_name(program: str) -> None:
    body = ast.parse(bundled(program)).body
    names = [node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    for node in body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets += [node.target] if isinstance(node, ast.AnnAssign) else []
        names += [target.id for target in targets if isinstance(target, ast.Name)]
    assert len(names) == len(set(names))


def test_it_runs_as_ansible_sends_it_and_answers_in_json() -> None:
    # Ansible replaces the word by its arguments as bytes; what a host is called may hold anything.
    arguments = json.dumps({"daemon": 'it\'s "quoted"', "state": "stopped"}).encode()
    program = bundled("howdah_daemon").replace(_ARGUMENTS, repr(arguments))
    done = subprocess.run([sys.executable, "-"], input=program, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert told["failed"]
    assert told["msg"] == 'this host has no it\'s "quoted": apply its manifest first'
