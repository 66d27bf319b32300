"""Settings of a host's operating system: kernel, limits, huge pages, disks and network ports."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from howdah.model.plan import Cluster, ClusterPlan, ConfigFile, Setting
from howdah.render.text import (
    DISKS,
    HUGE_PAGES,
    JAVA,
    LIMITS,
    NETWORK,
    SYSCTL,
    SYSTEM,
    FileVariant,
    file_variants,
    hash_comment,
    plain_key,
    reason_comment,
    reason_lines,
    select,
    setting_error,
    setting_text,
    template,
)
from howdah.units import MIB

_SCRIPT_KEYS = ("fs.type", "mkfs.options", "mount.options", "partition.start")
_QUEUE = {"queue.scheduler": "queue/scheduler", "queue.read_ahead_kb": "queue/read_ahead_kb"}
_MKFS = {"xfs": "mkfs.xfs", "ext4": "mkfs.ext4"}


def disk_files(folder: str, plan: ClusterPlan, variant: FileVariant) -> Iterable[ConfigFile]:
    """``disks.sh`` and the udev rules that set up the data disks at every boot."""
    settings = {setting.key: setting for setting in select(plan, DISKS, variant)}
    directories = {
        len(worker.data_dirs)
        for worker in plan.workers
        if variant.worker in (None, worker.name) and variant.group in (None, worker.group)
    }
    if not settings or not any(directories):
        return
    yield ConfigFile(path=f"{folder}/disks.sh", content=_script(settings, directories), executable=True)
    if queue := [setting for key, setting in settings.items() if key in _QUEUE]:
        yield ConfigFile(path=f"{folder}/udev/90-howdah-disks.rules", content=_udev(queue))


def _script(settings: Mapping[str, Setting], counts: set[int]) -> str:
    file_system = _text(settings, "fs.type", "xfs")
    if file_system not in _MKFS:
        hint = f"one of {', '.join(_MKFS)}"
        raise setting_error(settings["fs.type"], f"howdah cannot create {file_system!r}", hint)
    reasons = [
        f"  {line}" if number else f"{key}: {line}"
        for key in _SCRIPT_KEYS
        if key in settings
        for number, line in enumerate(reason_lines(settings[key]))
    ]
    words = {
        "REASONS": hash_comment(reasons).rstrip("\n"),
        "COUNTS": shlex.quote(" ".join(map(str, sorted(counts - {0})))),
        "FS": shlex.quote(file_system),
        "MKFS": shlex.join([_MKFS[file_system], *_options(settings)]),
        "MOUNT": shlex.quote(_mount(settings)),
        "START": shlex.quote(_start(settings)),
    }
    script = template("disks.sh")
    for word, text in words.items():
        script = script.replace(f"@{word}@", text)
    return script


def _options(settings: Mapping[str, Setting]) -> list[str]:
    setting = settings.get("mkfs.options")
    if setting is None:
        return []
    try:
        return shlex.split(setting_text(setting))
    except ValueError as error:
        raise setting_error(setting, f"cannot be split into words: {error}", "close the quotes") from error


def _mount(settings: Mapping[str, Setting]) -> str:
    text = _text(settings, "mount.options", "noatime")
    if not text or any(character.isspace() for character in text):
        hint = "put commas between options"
        raise setting_error(settings["mount.options"], "must be a single word in /etc/fstab", hint)
    return text


def _start(settings: Mapping[str, Setting]) -> str:
    setting = settings.get("partition.start")
    if setting is None:
        return "1MiB"
    if isinstance(setting.value, int) and setting.value % MIB == 0:
        return f"{setting.value // MIB}MiB"
    return setting_text(setting)


def _text(settings: Mapping[str, Setting], key: str, default: str) -> str:
    return setting_text(settings[key]) if key in settings else default


def _udev(settings: Iterable[Setting]) -> str:
    """Rules for the disks that disks.sh made, known by their partitions' names, and for no other disk."""
    parts = [
        "# Goes to /etc/udev/rules.d/. Applies to the disks that disks.sh has partitioned.\n"
        "# Now: udevadm control --reload && udevadm trigger --subsystem-match=block\n"
    ]
    for setting in settings:
        value = setting_text(setting)
        if '"' in value:
            raise setting_error(setting, "contains a quotation mark", "write the value without one")
        parts.append(
            f"\n{reason_comment(setting)}"
            'ACTION=="add|change", SUBSYSTEM=="block", ENV{ID_PART_ENTRY_NAME}=="hadoop-data-*", '
            f'ATTR{{../{_QUEUE[setting.key]}}}="{value}"\n'
        )
    return "".join(parts)


_LIMITED_USERS = ("hdfs", "yarn", "mapred", "hbase", "zookeeper")
_PROCESS_IDS = {"HADOOP_PID_DIR": ("hadoop-env.sh", "hdfs"), "HBASE_PID_DIR": ("hbase-env.sh", "hbase")}
_SYS = "/sys/kernel/mm/"


def system_files(plan: ClusterPlan) -> Iterable[ConfigFile]:
    """Everything of ``os/``, or of ``os-<group>/`` where groups of hosts differ."""
    for variant in file_variants(plan, SYSTEM):
        folder = variant.folder("os")
        if settings := select(plan, SYSCTL, variant):
            head = "# Goes to /etc/sysctl.d/; `sysctl --system` reads it.\n"
            content = _file(head, settings, lambda setting: [_assigned(setting, " = ")])
            yield ConfigFile(path=f"{folder}/sysctl.d/90-howdah.conf", content=content)
        if settings := select(plan, LIMITS, variant):
            head = "# Goes to /etc/security/limits.d/; applies to logins from then on.\n"
            content = _file(head, settings, _user_limits)
            yield ConfigFile(path=f"{folder}/limits.d/90-howdah.conf", content=content)
            # Daemons that systemd starts do not see limits.d.
            content = _file(_UNIT_LIMITS, settings, _unit_limits)
            yield ConfigFile(path=f"{folder}/systemd/10-howdah-limits.conf", content=content)
        if settings := select(plan, HUGE_PAGES, variant):
            content = _file(_HUGE_PAGES, settings, _huge_page) + "".join(_process_ids(plan, variant))
            yield ConfigFile(path=f"{folder}/tmpfiles.d/90-howdah.conf", content=content)
        if settings := select(plan, JAVA, variant):
            lines = (
                f"- `{plain_key(setting)}` = {setting_text(setting)}. {' '.join(reason_lines(setting))}\n"
                for setting in settings
            )
            yield ConfigFile(path=f"{folder}/java.md", content="# Java\n\n" + "".join(lines))
        yield from disk_files(folder, plan, variant)


def _file(head: str, settings: Iterable[Setting], lines: Callable[[Setting], Iterable[str]]) -> str:
    """A file of settings, each with its reasons above it."""
    return head + "".join(_reasoned(setting, lines(setting)) for setting in settings)


def _reasoned(setting: Setting, lines: Iterable[str]) -> str:
    return f"\n{reason_comment(setting)}" + "".join(f"{line}\n" for line in lines)


def _assigned(setting: Setting, sign: str) -> str:
    return f"{plain_key(setting)}{sign}{setting_text(setting)}"


def _user_limits(setting: Setting) -> Iterator[str]:
    return (f"{user} - {_assigned(setting, ' ')}" for user in _LIMITED_USERS)


_UNIT_LIMITS = """\
# Goes to /etc/systemd/system/<unit>.service.d/ of every Hadoop daemon that systemd starts,
# to which limits.d does not apply.

[Service]"""


def _unit_limits(setting: Setting) -> Iterator[str]:
    yield f"Limit{plain_key(setting).upper()}={_unit_limit(setting)}"
    if setting.key == "nproc":
        # A unit has its own limit in addition to the user's, by default 15 % of the kernel's.
        yield f"TasksMax={_unit_limit(setting)}"


def _unit_limit(setting: Setting) -> str:
    text = setting_text(setting)
    if text in ("unlimited", "-1"):
        return "infinity"
    # limits.d counts locked memory in KiB, systemd in bytes.
    return f"{text}K" if setting.key == "memlock" else text


_HUGE_PAGES = "# Goes to /etc/tmpfiles.d/; `systemd-tmpfiles --create` writes it now, every boot does.\n"


def _huge_page(setting: Setting) -> list[str]:
    return [f"w {_SYS}{plain_key(setting).replace('.', '/')} - - - - {setting_text(setting)}"]


def _process_ids(plan: ClusterPlan, variant: FileVariant) -> Iterator[str]:
    """Directories of files of process ids, which are gone with every boot."""
    for key, (file, owner) in _PROCESS_IDS.items():
        for setting in select(plan, file, variant):
            if setting.key == key:
                yield _reasoned(setting, [f"d {_path(setting)} 0775 {owner} hadoop -"])


def _path(setting: Setting) -> str:
    """A path that systemd-tmpfiles reads as one word, without specifiers."""
    text = setting_text(setting)
    if not text.startswith("/") or "%" in text or any(letter.isspace() for letter in text):
        raise setting_error(setting, f"{text!r} is not a plain path", "an absolute path of one word")
    return text


_BOND = {
    "bond.mode": "Mode",
    "bond.xmit_hash_policy": "TransmitHashPolicy",
    "bond.lacp_rate": "LACPTransmitRate",
    "bond.miimon": "MIIMonitorSec",
}
_NETWORKD = {**_BOND, "mtu": "MTUBytes"}
_PLACEHOLDER = "name-the-ports"
"""No port is called so, and an empty name would stand for every port."""


def network_files(plan: ClusterPlan) -> Iterable[ConfigFile]:
    """Everything of ``network/``, or of ``network-<group>/`` where groups of hosts differ."""
    for variant in file_variants(plan, (NETWORK,)):
        settings = select(plan, NETWORK, variant)
        if settings:
            yield from _files(variant.folder("network"), settings, _ports(plan.cluster, variant))


def _files(folder: str, settings: Sequence[Setting], ports: int) -> Iterable[ConfigFile]:
    bond = [setting for setting in settings if setting.key in _BOND]
    mtu = [setting for setting in settings if setting.key == "mtu"]
    by_hand = [setting for setting in settings if setting.key not in _NETWORKD]
    if bond:
        content = _NETDEV.format(mtu=_networkd_lines(mtu), bond=_networkd_lines(bond))
        yield ConfigFile(path=f"{folder}/10-hadoop.netdev", content=content)
        yield ConfigFile(path=f"{folder}/20-hadoop-ports.network", content=_MEMBERS.format(ports=ports))
    elif mtu:
        yield ConfigFile(path=f"{folder}/20-hadoop.link", content=f"{_LINK}{_networkd_lines(mtu)}")
    if by_hand:
        yield ConfigFile(path=f"{folder}/ports.md", content=_checklist(by_hand))


_NETDEV = """\
# Goes to /etc/systemd/network/, together with your own .network file that gives hadoop0 the
# address that the host has on its ports now: without one the host cannot be reached.

[NetDev]
Name=hadoop0
Kind=bond
{mtu}
[Bond]
{bond}"""
_MEMBERS = f"""\
# Goes to /etc/systemd/network/. Name the {{ports}} ports that carry Hadoop's traffic, with spaces
# between them, before you restart systemd-networkd: until then it applies to no port.

[Match]
Name={_PLACEHOLDER}

[Network]
Bond=hadoop0
"""
_LINK = f"""\
# Goes to /etc/systemd/network/. Name the port that carries Hadoop's traffic before you reboot:
# until then it applies to no port.

[Match]
OriginalName={_PLACEHOLDER}

[Link]
NamePolicy=keep kernel database onboard slot path
"""


def _networkd_lines(settings: Iterable[Setting]) -> str:
    return "".join(
        f"{reason_comment(setting)}{_NETWORKD[setting.key]}={_networkd_value(setting)}\n"
        for setting in settings
    )


def _networkd_value(setting: Setting) -> str:
    text = setting_text(setting)
    return f"{text}ms" if setting.key == "bond.miimon" and text.isdigit() else text


def _checklist(settings: Sequence[Setting]) -> str:
    lines = (
        f"- [ ] `{plain_key(setting)}` = `{setting_text(setting)}`. {' '.join(reason_lines(setting))}"
        for setting in settings
    )
    return "# Network ports: to be set by hand\n\n" + "\n".join(lines) + "\n"


def _ports(cluster: Cluster, variant: FileVariant) -> int:
    groups = [group for group in cluster.inventory.groups if variant.group in (None, group.name)]
    return max((sum(nic.count for nic in group.nics) for group in groups), default=1)
