"""Settings of a host's operating system: kernel, limits, huge pages, disks and network ports."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from howdah.hadoop.daemons import CLIENT_USERS, DAEMONS
from howdah.model.plan import ClusterPlan, ConfigFile, Role, Setting
from howdah.render import text
from howdah.units import MIB

_SCRIPT_KEYS = ("fs.type", "mkfs.options", "mount.options", "partition.start")
_QUEUE = {"queue.scheduler": "queue/scheduler", "queue.read_ahead_kb": "queue/read_ahead_kb"}
_MKFS = {"xfs": "mkfs.xfs", "ext4": "mkfs.ext4"}
_UDEV = """\
# Goes to /etc/udev/rules.d/. Applies to the disks that disks.sh has partitioned.
# Now: udevadm control --reload && udevadm trigger --subsystem-match=block
"""


def disk_files(folder: str, plan: ClusterPlan, variant: text.FileVariant) -> Iterable[ConfigFile]:
    """``disks.sh`` and the udev rules that set up the data disks at every boot."""
    settings = {setting.key: setting for setting in text.select(plan, text.DISKS, variant)}
    directories = {
        len(worker.data_dirs)
        for worker in plan.workers
        if variant.worker in (None, worker.name) and variant.group in (None, worker.group)
    }
    if not settings or not any(directories):
        return
    yield ConfigFile(path=f"{folder}/disks.sh", content=_script(settings, directories), executable=True)
    if queue := [setting for key, setting in settings.items() if key in _QUEUE]:
        content = _file(_UDEV, queue, _queue_rule)
        yield ConfigFile(path=f"{folder}/udev/90-howdah-disks.rules", content=content)


def _script(settings: Mapping[str, Setting], counts: set[int]) -> str:
    file_system = _text(settings, "fs.type", "xfs")
    if file_system not in _MKFS:
        hint = f"one of {', '.join(_MKFS)}"
        raise text.setting_error(settings["fs.type"], f"howdah cannot create {file_system!r}", hint)
    reasons = [
        f"  {line}" if number else f"{key}: {line}"
        for key in _SCRIPT_KEYS
        if key in settings
        for number, line in enumerate(text.reason_lines(settings[key]))
    ]
    try:
        options = shlex.split(_text(settings, "mkfs.options", ""))
    except ValueError as error:
        problem = f"cannot be split into words: {error}"
        raise text.setting_error(settings["mkfs.options"], problem, "close the quotes") from error
    mount = _text(settings, "mount.options", "noatime")
    if not mount or any(character.isspace() for character in mount):
        hint = "put commas between options"
        raise text.setting_error(settings["mount.options"], "must be a single word in /etc/fstab", hint)
    start = settings["partition.start"].value if "partition.start" in settings else MIB
    rounded = f"{start // MIB}MiB" if isinstance(start, int) and start % MIB == 0 else ""
    words = {
        "REASONS": text.hash_comment(reasons).rstrip("\n"),
        "COUNTS": shlex.quote(" ".join(map(str, sorted(counts - {0})))),
        "FS": shlex.quote(file_system),
        "MKFS": shlex.join([_MKFS[file_system], *options]),
        "MOUNT": shlex.quote(mount),
        "START": shlex.quote(rounded or _text(settings, "partition.start", "")),
    }
    script = text.template("disks.sh")
    for word, value in words.items():
        script = script.replace(f"@{word}@", value)
    return script


def _text(settings: Mapping[str, Setting], key: str, default: str) -> str:
    return text.setting_text(settings[key]) if key in settings else default


def _queue_rule(setting: Setting) -> Iterator[str]:
    """A rule for the disks that disks.sh made, known by their partitions' names, and for no other disk."""
    value = text.setting_text(setting)
    if '"' in value:
        raise text.setting_error(setting, "contains a quotation mark", "write the value without one")
    yield (
        'ACTION=="add|change", SUBSYSTEM=="block", ENV{ID_PART_ENTRY_NAME}=="hadoop-data-*", '
        f'ATTR{{../{_QUEUE[setting.key]}}}="{value}"'
    )


_LIMITED_USERS = (*CLIENT_USERS, DAEMONS[Role.ZOOKEEPER].user)
_PROCESS_IDS = {"HADOOP_PID_DIR": ("hadoop-env.sh", "hdfs"), "HBASE_PID_DIR": ("hbase-env.sh", "hbase")}
_SYS = "/sys/kernel/mm/"


def system_files(plan: ClusterPlan) -> Iterable[ConfigFile]:
    """Everything of ``os/``, or of ``os-<group>/`` where groups of hosts differ."""
    for variant in text.file_variants(plan, text.SYSTEM):
        folder = variant.folder("os")
        for file, path, head, lines in _SYSTEM:
            if settings := text.select(plan, file, variant):
                content = _file(head, settings, lines)
                if file == text.HUGE_PAGES:
                    content += "".join(_process_ids(plan, variant))
                yield ConfigFile(path=f"{folder}/{path}", content=content)
        if settings := text.select(plan, text.JAVA, variant):
            yield ConfigFile(path=f"{folder}/java.md", content=_list("# Java", "- `{}` = {}.", settings))
        yield from disk_files(folder, plan, variant)


def _file(head: str, settings: Iterable[Setting], lines: Callable[[Setting], Iterable[str]]) -> str:
    """A file of settings, each with its reasons above it."""
    return head + "".join(_reasoned(setting, lines(setting)) for setting in settings)


def _reasoned(setting: Setting, lines: Iterable[str]) -> str:
    return f"\n{text.reason_comment(setting)}" + "".join(f"{line}\n" for line in lines)


def _assigned(setting: Setting, sign: str) -> str:
    return f"{text.plain_key(setting)}{sign}{text.setting_text(setting)}"


def _unit_limits(setting: Setting) -> Iterator[str]:
    # limits.d counts locked memory in KiB, systemd in bytes.
    value = f"{text.setting_text(setting)}{'K' if setting.key == 'memlock' else ''}"
    if text.setting_text(setting) in ("unlimited", "-1"):
        value = "infinity"
    yield f"Limit{text.plain_key(setting).upper()}={value}"
    if setting.key == "nproc":
        # A unit has its own limit in addition to the user's, by default 15 % of the kernel's.
        yield f"TasksMax={value}"


def _huge_page(setting: Setting) -> list[str]:
    return [f"w {_SYS}{text.plain_key(setting).replace('.', '/')} - - - - {text.setting_text(setting)}"]


_UNIT_LIMITS = """\
# Goes to /etc/systemd/system/<unit>.service.d/ of every Hadoop daemon that systemd starts,
# to which limits.d does not apply.

[Service]"""
_SYSTEM: tuple[tuple[str, str, str, Callable[[Setting], Iterable[str]]], ...] = (
    (text.SYSCTL, "sysctl.d/90-howdah.conf", "# Goes to /etc/sysctl.d/; `sysctl --system` reads it.\n",
     lambda setting: [_assigned(setting, " = ")]),
    (text.LIMITS, "limits.d/90-howdah.conf",
     "# Goes to /etc/security/limits.d/; applies to logins from then on.\n",
     lambda setting: (f"{user} - {_assigned(setting, ' ')}" for user in _LIMITED_USERS)),
    # Daemons that systemd starts do not see limits.d.
    (text.LIMITS, "systemd/10-howdah-limits.conf", _UNIT_LIMITS, _unit_limits),
    (text.HUGE_PAGES, "tmpfiles.d/90-howdah.conf",
     "# Goes to /etc/tmpfiles.d/; `systemd-tmpfiles --create` writes it now, every boot does.\n", _huge_page),
)  # fmt: skip
"""Each file of settings: their file in a plan, its path, its head and the lines of a setting."""


def _process_ids(plan: ClusterPlan, variant: text.FileVariant) -> Iterator[str]:
    """Directories of files of process ids, which are gone with every boot."""
    for key, (file, owner) in _PROCESS_IDS.items():
        for setting in (setting for setting in text.select(plan, file, variant) if setting.key == key):
            path, hint = text.setting_text(setting), "an absolute path of one word"
            # systemd-tmpfiles reads it as one word, without specifiers.
            if not path.startswith("/") or "%" in path or any(letter.isspace() for letter in path):
                raise text.setting_error(setting, f"{path!r} is not a plain path", hint)
            yield _reasoned(setting, [f"d {path} 0775 {owner} hadoop -"])


_BOND = {
    "bond.mode": "Mode", "bond.xmit_hash_policy": "TransmitHashPolicy",
    "bond.lacp_rate": "LACPTransmitRate", "bond.miimon": "MIIMonitorSec",
}  # fmt: skip
_NETWORKD = {**_BOND, "mtu": "MTUBytes"}
_PLACEHOLDER = "name-the-ports"  # No port is called so, and an empty name would stand for every port.


def network_files(plan: ClusterPlan) -> Iterable[ConfigFile]:
    """Everything of ``network/``, or of ``network-<group>/`` where groups of hosts differ."""
    for variant in text.file_variants(plan, (text.NETWORK,)):
        if settings := text.select(plan, text.NETWORK, variant):
            groups = [g for g in plan.cluster.inventory.groups if variant.group in (None, g.name)]
            ports = max((sum(nic.count for nic in group.nics) for group in groups), default=1)
            yield from _files(variant.folder("network"), settings, ports)


def _files(folder: str, settings: Sequence[Setting], ports: int) -> Iterable[ConfigFile]:
    bond = [setting for setting in settings if setting.key in _BOND]
    mtu = [setting for setting in settings if setting.key == "mtu"]
    by_hand = [setting for setting in settings if setting.key not in _NETWORKD]
    if bond:
        content = text.template("hadoop.netdev").format(mtu=_networkd_lines(mtu), bond=_networkd_lines(bond))
        yield ConfigFile(path=f"{folder}/10-hadoop.netdev", content=content)
        content = text.template("hadoop-ports.network").format(ports=ports, placeholder=_PLACEHOLDER)
        yield ConfigFile(path=f"{folder}/20-hadoop-ports.network", content=content)
    elif mtu:
        content = text.template("hadoop.link").format(placeholder=_PLACEHOLDER, mtu=_networkd_lines(mtu))
        yield ConfigFile(path=f"{folder}/20-hadoop.link", content=content)
    if by_hand:
        content = _list("# Network ports: to be set by hand", "- [ ] `{}` = `{}`.", by_hand)
        yield ConfigFile(path=f"{folder}/ports.md", content=content)


def _networkd_lines(settings: Iterable[Setting]) -> str:
    return "".join(
        f"{text.reason_comment(setting)}{_NETWORKD[setting.key]}={value}"
        f"{'ms' if setting.key == 'bond.miimon' and value.isdigit() else ''}\n"
        for setting in settings
        for value in [text.setting_text(setting)]
    )


def _list(title: str, form: str, settings: Sequence[Setting]) -> str:
    """A list to read, one setting a line with its reasons."""
    values = (form.format(text.plain_key(setting), text.setting_text(setting)) for setting in settings)
    reasons = (" ".join(text.reason_lines(setting)) for setting in settings)
    return f"{title}\n\n" + "".join(f"{value} {why}\n" for value, why in zip(values, reasons, strict=True))
