"""What a plan makes of each daemon: its unit of systemd, the settings that it has read, and its ports."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from howdah.hadoop.daemons import DAEMONS, DaemonKind, default_port
from howdah.hadoop.readers import readers
from howdah.model.plan import Cluster, ClusterPlan, ConfigFile, Role, Setting, planned_text, value_text
from howdah.releases.catalogue import hadoop
from howdah.render.secrets import SERVERS_FILE
from howdah.render.text import hash_comment
from howdah.render.variant import FileVariant, select

ROOT = "/opt"
"""Parent directory of the unpacked releases, each in a folder of its name and version."""
ENVIRONMENT = "/etc/default/hadoop"
"""The file of values that differ by host: JAVA_HOME."""
_HEAD = (
    "Goes to /etc/systemd/system/, with os/systemd/10-howdah-limits.conf in UNIT.service.d/ next to it.",
    f"{ENVIRONMENT} holds JAVA_HOME=...; the release is unpacked in {ROOT}.",
)
_NODEMANAGER = (
    "Containers live on while their NodeManager is restarted, and are found again; systemd would end them.",
)


def unit_files(plan: ClusterPlan) -> Iterable[ConfigFile]:
    """``systemd/UNIT.service`` of every daemon that the plan has anywhere."""
    present = {role for master in plan.cluster.masters for role in master.roles}
    present |= {role for worker in plan.workers for role in worker.roles}
    for role, kind in DAEMONS.items():
        if role in present:
            yield ConfigFile(path=f"systemd/{kind.unit}.service", content=unit_file(plan, role))


def unit_file(plan: ClusterPlan, role: Role) -> str:
    """The unit of one daemon."""
    return "\n".join([hash_comment(list(_HEAD)) + "[Unit]", *_lines(plan, role, DAEMONS[role])]) + "\n"


def release_folder(cluster: Cluster, product: str) -> str:
    """The folder that a release is unpacked to, ``/opt/hadoop-3.5.0``."""
    version = cluster.request.hadoop if product == "hadoop" else cluster.request.hbase
    return f"{ROOT}/{product}-{version}"


def _lines(plan: ClusterPlan, role: Role, kind: DaemonKind) -> Iterator[str]:
    home = release_folder(plan.cluster, kind.product)
    hadoop = release_folder(plan.cluster, "hadoop")
    after = " ".join(f"{DAEMONS[role_before].unit}.service" for role_before in kind.after)
    yield f"Description={role.value} of {plan.cluster.inventory.cluster}"
    yield f"After=network-online.target time-sync.target {after}".rstrip()
    yield "Wants=network-online.target"
    # Without a limit, a daemon with a wrong configuration would be restarted for ever.
    yield "StartLimitIntervalSec=600"
    yield "StartLimitBurst=10"
    yield ""
    yield "[Service]"
    yield f"User={kind.user}"
    yield "Group=hadoop"
    yield f"Environment=HADOOP_HOME={hadoop} HADOOP_CONF_DIR=/etc/hadoop/conf"
    if kind.product == "hbase":
        yield f"Environment=HBASE_HOME={home} HBASE_CONF_DIR=/etc/hbase/conf"
        yield f"Environment=HBASE_LOGFILE={kind.unit}.log HBASE_ROOT_LOGGER=INFO,RFA"
    else:
        homes = " ".join(f"HADOOP_{part}_HOME={hadoop}" for part in ("COMMON", "HDFS", "YARN", "MAPRED"))
        yield f"Environment={homes}"
        yield f"Environment=HADOOP_LOGFILE={kind.unit}.log HADOOP_ROOT_LOGGER=INFO,RFA"
    if role is Role.ZOOKEEPER and (options := _zookeeper_options(plan)):
        # Hadoop's scripts have no variable for ZooKeeper's options; Java itself reads this one.
        yield f'Environment="JAVA_TOOL_OPTIONS={options}"'
    yield f"EnvironmentFile=-{ENVIRONMENT}"
    program, *words = kind.command
    yield " ".join([f"ExecStart={home}/{program}", *words])
    yield "Restart=on-failure"
    yield "RestartSec=5"
    # The exit code of a JVM after SIGTERM.
    yield "SuccessExitStatus=143"
    yield "TimeoutStopSec=60"
    if role is Role.NODEMANAGER:
        yield from (f"# {line}" for line in _NODEMANAGER)
        yield "KillMode=process"
    yield ""
    yield "[Install]"
    yield "WantedBy=multi-user.target"


def _zookeeper_options(plan: ClusterPlan) -> str:
    """The options of Java that a ZooKeeper gets: those of zookeeper-env.sh, and where its login is."""
    login = [f"-Djava.security.auth.login.config={SERVERS_FILE}"] if plan.cluster.request.secure else []
    return " ".join([*filter(None, [planned_text(plan, DAEMONS[Role.ZOOKEEPER].options)]), *login])


def settings_digest(plan: ClusterPlan, role: Role, variant: FileVariant, *more: str) -> str:
    """Digest of the settings that a daemon reads at its start: a different one requires a restart.

    A key that other daemons alone read does not count, nor does the reason of any.
    """
    lines = [*more]
    for setting in read_by(plan, role, variant):
        lines.append(f"{setting.file} {setting.key} {value_text(setting.value)}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def read_by(plan: ClusterPlan, role: Role, variant: FileVariant) -> Iterator[Setting]:
    """The settings that a daemon reads of its files."""
    for file in DAEMONS[role].files:
        for setting in select(plan, file, variant):
            if role in readers(setting, plan):
                yield setting


def expected_settings(plan: ClusterPlan, role: Role, variant: FileVariant) -> dict[str, dict[str, str]]:
    """What a daemon that runs must have of each file that its page shows, or that is its own."""
    settings_by_file: dict[str, dict[str, str]] = {}
    release = hadoop(plan.cluster.request.hadoop)
    for setting in read_by(plan, role, variant):
        # The page shows a deprecated name as its replacement.
        if setting.file in _SHOWN and not release.replacement(setting.key):
            settings_by_file.setdefault(setting.file, {})[setting.key] = value_text(setting.value)
    return settings_by_file


_SHOWN = ("core-site.xml", "hdfs-site.xml", "yarn-site.xml", "mapred-site.xml", "hbase-site.xml", "zoo.cfg")
"""The files that daemons load into the configuration that they show, and ZooKeeper's own."""


def port_of(plan: ClusterPlan, key: str, variant: FileVariant) -> int | None:
    """The port that a key's address names, the release's default where the plan gives none."""
    settings = (setting for file in _PORT_FILES for setting in select(plan, file, variant))
    # If masters fail over, the name of one follows the key.
    setting_of_key = next((setting for setting in settings if f"{setting.key}.".startswith(f"{key}.")), None)
    if setting_of_key is None:
        return default_port(key) or None
    port = value_text(setting_of_key.value).rpartition(":")[2]
    return int(port) if port.isdigit() and int(port) else None


_PORT_FILES = ("hdfs-site.xml", "yarn-site.xml", "mapred-site.xml", "hbase-site.xml", "zoo.cfg")


def ports_of(plan: ClusterPlan, kind: DaemonKind, variant: FileVariant) -> Sequence[int]:
    """All ports that a daemon listens at."""
    page = kind.page.key_with(partial(planned_text, plan))
    ports = (port_of(plan, key, variant) for key in (page, *kind.addresses))
    return sorted({port for port in ports if port})
