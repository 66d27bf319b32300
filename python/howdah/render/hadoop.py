"""A HADOOP_CONF_DIR for masters and clients, and for each kind of worker where kinds differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from howdah.model.configset import ConfigFile
from howdah.model.placement import PlacedHost
from howdah.model.plan import Cluster, Plan, Setting
from howdah.render.env import env_file
from howdah.render.files import EXECUTOR, HADOOP_ENV, HADOOP_XML
from howdah.render.members import member_files
from howdah.render.text import hash_comment, plain_key, reason_lines, setting_text
from howdah.render.topology import topology_files
from howdah.render.variant import EVERYWHERE, Variant, differ, of_kind, select
from howdah.render.xml import xml_file

FILES = (*HADOOP_XML, *HADOOP_ENV)
_JOBS = "mapred-site.xml"


def hadoop_files(plan: Plan, cluster: Cluster, hosts: Sequence[PlacedHost]) -> Iterable[ConfigFile]:
    """Everything of ``hadoop/`` and, where kinds of workers differ, of ``hadoop-<kind>/``."""
    shared = (*topology_files("hadoop", cluster, hosts), *member_files("hadoop", plan, hosts))
    yield from shared
    yield from _settings(plan, cluster, EVERYWHERE, "masters, clients and workers")
    if differ(plan, FILES):
        for worker in plan.workers:
            variant = of_kind(worker)
            folder = variant.folder("hadoop")
            yield from _settings(plan, cluster, variant, f"workers of the kind {worker.name}")
            for file in shared:
                yield file.model_copy(update={"path": file.path.replace("hadoop/", f"{folder}/", 1)})


def _settings(plan: Plan, cluster: Cluster, variant: Variant, readers: str) -> Iterable[ConfigFile]:
    folder = variant.folder("hadoop")
    if variant is EVERYWHERE and differ(plan, FILES):
        readers = "masters and clients; workers have folders of their own"
    for name in FILES:
        settings = select(plan, name, variant)
        if variant is EVERYWHERE and name == _JOBS:
            settings = _of_jobs(plan)
        if not settings:
            continue
        title = f"{name} of {cluster.inventory.cluster}, Hadoop {cluster.request.hadoop}: {readers}"
        content = xml_file(title, settings) if name in HADOOP_XML else env_file(title, settings)
        yield ConfigFile(path=f"{folder}/{name}", content=content)
    if settings := select(plan, EXECUTOR, variant):
        # The program that reads it takes blanks and comments at their word: neither may stand beside a value.
        head = hash_comment(
            [f"{EXECUTOR} of {cluster.inventory.cluster}: root's, mode 0400, on every worker"]
        )
        content = "\n".join([head, *map(_executor_line, settings)])
        yield ConfigFile(path=f"{folder}/{EXECUTOR}", content=content)


def _executor_line(setting: Setting) -> str:
    return f"{hash_comment(reason_lines(setting))}{plain_key(setting)}={setting_text(setting)}\n"


def _of_jobs(plan: Plan) -> list[Setting]:
    """What a client sends along with its job: tasks that fit the smallest workers run on all of them."""
    smallest = min(plan.workers, key=lambda worker: (worker.memory_bytes, worker.name))
    return select(plan, _JOBS, of_kind(smallest))
