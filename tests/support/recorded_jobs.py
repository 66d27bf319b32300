"""Jobs that real clusters ran, as their servers told of them: answers over HTTP and history files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

from howdah.engines.hadoop.target import HadoopTarget
from howdah.installation.installation import Installation
from howdah.services.conf import ClientConf
from howdah.services.web import Web
from support.daemons import change_properties
from support.recorded import Answer, Recorded, in_json

DATA = Path(__file__).parents[1] / "data/hadoop-3.5.0/history"
INTERMEDIATE = "/tmp/hadoop-yarn/staging/history/done_intermediate/root"
DONE = "/tmp/hadoop-yarn/staging/history/done"
STAGING = "/user/root/howdah/a-run/staging"
JOBS = ("terasort", "one", "json", "codec", "heap", "quota", "shot", "jvm", "lost")
"""Those that left a history file and that a history server told of."""


class RecordedJob(NamedTuple):
    """One job: its answers by path, its containers' logs by path, what its client said, its history file."""

    id: str
    answers: Mapping[str, Any]
    logs: Mapping[str, str]
    client: tuple[str, ...]
    file: bytes | None


def recorded_job(name: str) -> RecordedJob:
    """A job of the data's by its name."""
    content = json.loads((DATA / f"{name}.json").read_text())
    app = next(path for path in content["answers"] if path.startswith("/ws/v1/cluster/apps/"))
    file = DATA / f"{name}.jhist"
    return RecordedJob(
        id=app.rpartition("/")[2].replace("application", "job"),
        answers=content["answers"],
        logs=content["logs"],
        client=tuple(content["client"]),
        file=file.read_bytes() if file.exists() else None,
    )


@contextmanager
def serving(
    job: RecordedJob,
    folder: Path,
    *,
    server: bool = True,
    file: bool = True,
    place: Literal["intermediate", "done", "staging"] = "intermediate",
) -> Iterator[HadoopTarget]:
    """A cluster that knows this job: its history server, if it runs, and its file, if it may be read.

    The file's ``place`` is where its application master puts it at the end; where the history server has
    moved it; or below STAGING, where one that was killed left it.
    """
    with Recorded({}) as web:
        for path, answer in job.answers.items():
            if server or "/history/" not in path:
                text = json.dumps(answer).replace(":8042", f":{web.port}")
                web.answers[f"GET {path}"] = in_json(json.loads(text))
        for path, text in job.logs.items():
            web.answers[f"GET {path}"] = Answer(text.encode(), kind="text/plain")
        if file and job.file is not None:
            _put_file(web, job, place)
        yield target(web.url, folder)


def target(url: str, folder: Path) -> HadoopTarget:
    """A cluster all of whose daemons are the server at ``url``."""
    address = url.partition("//")[2]
    folder.mkdir(exist_ok=True)
    change_properties(folder / "core-site.xml", {"fs.defaultFS": "hdfs://127.0.0.1:8020"})
    change_properties(folder / "hdfs-site.xml", {"dfs.namenode.http-address": address})
    change_properties(folder / "yarn-site.xml", {"yarn.resourcemanager.webapp.address": address})
    change_properties(folder / "mapred-site.xml", {"mapreduce.jobhistory.webapp.address": address})
    nowhere = Path("/nowhere")
    return HadoopTarget(
        installation=Installation(nowhere, "3.5.0", (), None, nowhere, nowhere, True),
        conf_dir=folder,
        conf=ClientConf.read(folder),
        # Every node that a recorded answer names is this server.
        web=Web(dict.fromkeys(("w1-1", "w1-2", "w2-1"), "127.0.0.1"), user="root"),
        work_dir="/user/root/howdah",
        queue="default",
    )


def _put_file(web: Recorded, job: RecordedJob, place: str) -> None:
    """Let WebHDFS list and open a job's history file, and the directories above it."""
    name, conf = f"{job.id}-1-root-name-2-1-1-SUCCEEDED-root.default-1.jhist", f"{job.id}_conf.xml"
    directory = {"intermediate": INTERMEDIATE, "done": f"{DONE}/2026/11/21/000000"}.get(place)
    if directory is None:
        directory, name, conf = f"{STAGING}/root/.staging/{job.id}", f"{job.id}_1.jhist", "job.xml"
    files = {f"{directory}/{name}": job.file or b"", f"{directory}/{conf}": _conf(job)}
    for path, content in files.items():
        web.answers[f"GET /webhdfs/v1{path}?op=OPEN"] = in_json({"Location": f"{web.url}/data{path}"})
        web.answers[f"GET /data{path}"] = Answer(content, kind="application/octet-stream")
        for above in Path(path).parents:
            _list(web, str(above), Path(path).relative_to(above).parts[0], leaf=str(above) == directory)


def _list(web: Recorded, directory: str, name: str, *, leaf: bool) -> None:
    key = f"GET /webhdfs/v1{directory}?op=LISTSTATUS"
    before = json.loads(web.answers[key].body)["FileStatuses"]["FileStatus"] if key in web.answers else []
    status = {
        "pathSuffix": name,
        "type": "FILE" if leaf else "DIRECTORY",
        "length": 1,
        "replication": 1,
        "blockSize": 1,
        "owner": "root",
        "permission": "770",
        "modificationTime": 1,
    }
    listed = [one for one in before if one["pathSuffix"] != name]
    web.answers[key] = in_json({"FileStatuses": {"FileStatus": [*listed, status]}})


def _conf(job: RecordedJob) -> bytes:
    answer = job.answers.get(f"/ws/v1/history/mapreduce/jobs/{job.id}/conf", {"conf": {"property": []}})
    properties = (
        f"<property><name>{one['name']}</name><value>{_text(one['value'])}</value></property>"
        for one in answer["conf"]["property"]
    )
    return f"<configuration>{''.join(properties)}</configuration>".encode()


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
