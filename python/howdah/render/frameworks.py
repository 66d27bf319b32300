"""The configuration of what runs on YARN beside MapReduce: Spark, and Hive on Tez."""

from __future__ import annotations

from collections.abc import Iterable

from howdah.model.configset import ConfigFile
from howdah.model.plan import Cluster, Plan, Setting
from howdah.render.text import hash_comment, plain_key, reason_lines, setting_text, xml_file
from howdah.render.variant import EVERYWHERE, HIVE, SPARK, TEZ, select

_FOLDERS = {SPARK: "spark", TEZ: "tez", HIVE: "hive"}


def framework_files(plan: Plan, cluster: Cluster) -> Iterable[ConfigFile]:
    """``spark/spark-defaults.conf``, ``tez/tez-site.xml``, ``hive/hive-site.xml``, as far as they run."""
    for name, folder in _FOLDERS.items():
        if settings := select(plan, name, EVERYWHERE):
            title = f"{name} of {cluster.inventory.cluster}: on every host that jobs are started from"
            content = _properties(title, settings) if name == SPARK else xml_file(title, settings)
            yield ConfigFile(path=f"{folder}/{name}", content=content)


def _properties(title: str, settings: Iterable[Setting]) -> str:
    """Lines of a key, a blank and a value, as Spark reads them."""
    return "\n".join([hash_comment([title]), *map(_line, settings)])


def _line(setting: Setting) -> str:
    return f"{hash_comment(reason_lines(setting))}{plain_key(setting)} {setting_text(setting)}\n"
