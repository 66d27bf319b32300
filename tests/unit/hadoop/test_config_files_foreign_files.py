"""Files of other programs: each is named, with what to do instead, by every command that it is given to."""

from __future__ import annotations

from pathlib import Path

import pytest

from howdah.audit.folder import read_folders
from howdah.documents.files import read_host, read_inventory
from howdah.errors import UserError
from howdah.hadoop.config_files import foreign_file
from howdah.store.archive import import_run
from support.faults import SOUND

FILES = {
    "TestDFSIO_results.log": ("----- TestDFSIO ----- : write\n", "TestDFSIO", "howdah run dfsio"),
    "ycsb.txt": ("[OVERALL], RunTime(ms), 10110\n", "YCSB", "howdah run ycsb"),
    "cm-hosts.json": ('{"items":[{"hostId":"a","numCores":4}]}', "Cloudera", "howdah inventory import"),
    "deployment.json": ('{"timestamp":1,"clusters":[],"managerSettings":{}}', "Cloudera", "check --conf"),
    "blueprint.json": ('{"host_groups":[],"Blueprints":{}}', "Ambari", "check --conf"),
    "dfsadmin.txt": ("Configured Capacity: 1000 (931 GB)\n", "dfsadmin", "howdah inventory import"),
    "etc-hosts": ("# hosts\n10.0.0.11 w01.example.com w01\n", "/etc/hosts", "howdah probe"),
    "facts.json": ('{"ansible_facts":{"ansible_hostname":"w01"}}', "Ansible", "howdah probe"),
    "hosts.ini": ("[datanodes]\nw[01:12].example.com\n", "Ansible", "howdah probe"),
    "lscpu.json": ('{"lscpu": [{"field":"CPU(s):","data":"48"}]}', "lscpu", "howdah probe"),
    "hadoop.env": ("CORE_CONF_fs_defaultFS=hdfs://namenode:9000\n", "container image", "check --conf"),
    "job.jhist": ('Avro-Json\n{"type":"record"}\n', "MapReduce job", "--workload-output"),
    "app.log": ('{"Event":"SparkListenerLogStart"}\n', "Spark", "--workload-output"),
    "core-site.xml": ('<?xml version="1.0"?>\n<configuration/>\n', "configuration file", "check --conf"),
}


def _refusals(path: Path, folder: Path) -> list[UserError]:
    refused = []
    for give in (
        lambda: read_inventory(path),
        lambda: read_host(path),
        lambda: read_folders([path]),
        lambda: import_run(path, folder),
    ):
        with pytest.raises(UserError) as caught:
            give()
        refused.append(caught.value)
    return refused


@pytest.mark.parametrize("name", FILES)
def test_every_command_names_the_file_and_what_to_do_instead(name: str, tmp_path: Path) -> None:
    content, what, instead = FILES[name]
    path = tmp_path / name
    path.write_text(content)
    runs = tmp_path / "runs"
    runs.mkdir()
    for error in _refusals(path, runs):
        assert what in error.what
        assert instead in error.hint
        assert "\n" not in error.hint


def test_an_inventory_is_no_foreign_file() -> None:
    text = "# 24 hosts\nhowdah: 1\ngroups:\n  - name: workers\n    count: 24\n"
    assert foreign_file(text) is None


def test_workers_files_of_a_sound_folder_are_no_foreign_files() -> None:
    assert foreign_file((SOUND / "workers").read_text()) is None
