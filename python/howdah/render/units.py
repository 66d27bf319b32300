"""Units of systemd for every daemon: for howdah's own deployment, and for whoever deploys otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from howdah.hadoop.daemons import DAEMONS, DaemonKind
from howdah.model.configset import ConfigFile
from howdah.model.plan import Cluster, Plan, Role
from howdah.model.value import planned_text
from howdah.render.logins import SERVERS_FILE
from howdah.render.text import hash_comment

ROOT = "/opt"
"""Where releases are unpacked to, each in a folder of its name and number."""
ENVIRONMENT = "/etc/default/hadoop"
"""What only a host itself knows: JAVA_HOME."""
_HEAD = (
    "Goes to /etc/systemd/system/, with os/systemd/10-howdah-limits.conf in UNIT.service.d/ next to it.",
    f"{ENVIRONMENT} holds JAVA_HOME=...; the release is unpacked in {ROOT}.",
)
_NODEMANAGER = (
    "Containers live on while their NodeManager is restarted, and are found again; systemd would end them.",
)


def unit_files(plan: Plan, cluster: Cluster) -> Iterable[ConfigFile]:
    """``systemd/UNIT.service`` of every daemon that the plan has anywhere."""
    present = {role for master in cluster.masters for role in master.roles}
    present |= {role for worker in plan.workers for role in worker.roles}
    for role, kind in DAEMONS.items():
        if role in present:
            yield ConfigFile(path=f"systemd/{kind.unit}.service", content=unit_file(plan, cluster, role))


def unit_file(plan: Plan, cluster: Cluster, role: Role) -> str:
    """The unit of one daemon."""
    return (
        "\n".join([hash_comment(list(_HEAD)) + "[Unit]", *_lines(plan, cluster, role, DAEMONS[role])]) + "\n"
    )


def release_folder(cluster: Cluster, product: str) -> str:
    """The folder that a release is unpacked to, ``/opt/hadoop-3.5.0``."""
    version = cluster.request.hadoop if product == "hadoop" else cluster.request.hbase
    return f"{ROOT}/{product}-{version}"


def _lines(plan: Plan, cluster: Cluster, role: Role, kind: DaemonKind) -> Iterator[str]:
    home = release_folder(cluster, kind.product)
    hadoop = release_folder(cluster, "hadoop")
    after = " ".join(f"{DAEMONS[other].unit}.service" for other in kind.after)
    yield f"Description={role.value} of {cluster.inventory.cluster}"
    yield f"After=network-online.target time-sync.target {after}".rstrip()
    yield "Wants=network-online.target"
    # A daemon whose host is well and whose configuration is not would be started for ever.
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
    if role is Role.ZOOKEEPER and (options := _zookeeper_options(plan, cluster)):
        # Hadoop's scripts have no variable of ZooKeeper's. This one Java itself reads, whatever starts it.
        yield f'Environment="JAVA_TOOL_OPTIONS={options}"'
    yield f"EnvironmentFile=-{ENVIRONMENT}"
    program, *words = kind.command
    yield " ".join([f"ExecStart={home}/{program}", *words])
    yield "Restart=on-failure"
    yield "RestartSec=5"
    # What a JVM ends with when it is asked to.
    yield "SuccessExitStatus=143"
    yield "TimeoutStopSec=60"
    if role is Role.NODEMANAGER:
        yield from (f"# {line}" for line in _NODEMANAGER)
        yield "KillMode=process"
    yield ""
    yield "[Install]"
    yield "WantedBy=multi-user.target"


def _zookeeper_options(plan: Plan, cluster: Cluster) -> str:
    """The options of Java that a ZooKeeper gets: those of zookeeper-env.sh, and where its login is."""
    login = [f"-Djava.security.auth.login.config={SERVERS_FILE}"] if cluster.request.secure else []
    return " ".join([*filter(None, [planned_text(plan, DAEMONS[Role.ZOOKEEPER].options)]), *login])
