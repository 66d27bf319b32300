"""Hosts on this machine as an administrator meets them: systemd is process 1, sshd answers, disks are empty.

Each has its own file system (an overlay on a Debian that is made once), network, users and processes, and
nothing of Hadoop. All that the kernel holds for them bears their name, so that what a killed test left is
found and removed by the next one.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from support.patience import PATIENCE_S

PACKAGES = (
    "systemd-sysv",
    "dbus",
    "openssh-server",
    "sudo",
    "python3-minimal",
    "openjdk-17-jre-headless",
    "iproute2",
    "procps",
    "parted",
    "psmisc",
    "xfsprogs",
    "udev",
    "krb5-user",
    "curl",
)
USER = "admin"
NETWORK = "10.78.{number}"
_CACHE = Path(__file__).parents[2] / "build/hosts"
_PREFIX = "hwd"
_CGROUPS = Path("/sys/fs/cgroup")
_SHARES = 4096
"""What each host weighs where processors are short, in shares of which a task has 1024."""
_TOOLS = ("debootstrap", "unshare", "setpriv", "losetup", "ip", "ssh", "ssh-keygen")

_BOOT = """
set -e
mount --make-rprivate /
mount -t overlay overlay -o "lowerdir=$TREE,upperdir=$HOME_DIR/upper,workdir=$HOME_DIR/work" "$HOME_DIR/root"
cd "$HOME_DIR/root"
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t tmpfs -o mode=755 tmpfs dev
for node in "null 1 3" "zero 1 5" "full 1 7" "random 1 8" "urandom 1 9" "tty 5 0"; do
  set -- $node; mknod -m 666 dev/$1 c $2 $3
done
for disk in $DISKS; do
  mknod -m 660 "dev/${disk##*/}" b 7 "${disk#/dev/loop}"
done
ln -s /proc/self/fd dev/fd; ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout; ln -s /proc/self/fd/2 dev/stderr
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts dev/pts; ln -s pts/ptmx dev/ptmx
mount -t tmpfs tmpfs dev/shm
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
mkdir sys/fs/cgroup/systemd
mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
mkdir sys/fs/cgroup/unified
mount -t cgroup2 cgroup2 sys/fs/cgroup/unified
for controller in $CONTROLLERS; do
  mkdir sys/fs/cgroup/$controller
  mount -t cgroup -o $controller cgroup sys/fs/cgroup/$controller
done
mount -o remount,ro,bind sys
mount --bind proc/sys proc/sys && mount -o remount,ro,bind proc/sys
hostname "$NAME"
mkdir -p .old
pivot_root . .old
cd /
umount -l /.old && rmdir /.old
exec env -i container=howdah-tests PATH=/usr/sbin:/usr/bin:/sbin:/bin /sbin/init </dev/null >/dev/null 2>&1
"""

_NODES_UNIT = """\
[Unit]
Description=Device nodes of partitions
[Service]
ExecStart=/bin/sh /usr/local/sbin/rig-nodes
[Install]
WantedBy=multi-user.target
"""
_NODES = """\
# Makes the device nodes of partitions, as the kernel's devtmpfs would, of which there is one for all hosts.
while :; do
  for disk in {disks}; do
    for part in /sys/block/$disk/${{disk}}p*; do
      [ -e "$part/dev" ] || continue
      IFS=: read -r major minor < "$part/dev"
      node=/dev/${{part##*/}}
      if [ "$(stat -c %t:%T $node 2>/dev/null)" != "$(printf %x:%x $major $minor)" ]; then
        rm -f $node
        mknod -m 660 $node b $major $minor
      fi
    done
  done
  sleep 0.2
done
"""


@dataclass
class SystemdHost:
    """One of the hosts."""

    name: str
    address: str
    folder: Path
    disks: tuple[str, ...]
    process: subprocess.Popen[bytes] | None = None

    @property
    def init(self) -> int:
        """The process, as this machine numbers it, that is the first one on the host."""
        assert self.process is not None
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(children[0])


@dataclass
class SystemdHosts:
    """All hosts of one rig, and how they are reached."""

    rig: str
    folder: Path
    tree: Path
    hosts: dict[str, SystemdHost] = field(default_factory=dict)

    @property
    def ssh_config(self) -> Path:
        """What ssh is told of them; the keys of hosts are known, and no other is accepted."""
        return self.folder / "ssh_config"

    @property
    def hosts_file(self) -> Path:
        """What each host, and a command started with ``environment``, knows of names."""
        return self.folder / "hosts"

    def run(self, host: str, *command: str, check: bool = True) -> str:
        """What a command says on a host, as root, by the shortest way."""
        line = ["nsenter", "-t", str(self.hosts[host].init), "-a", "--", *command]
        # A host has its own Java, which is not where this machine's is.
        own = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
        done = subprocess.run(line, env=own, capture_output=True, text=True, check=False)
        if check and done.returncode:
            raise AssertionError(f"{shlex.join(command)} on {host}: {done.stdout}{done.stderr}")
        return done.stdout

    def named(self, *command: str) -> list[str]:
        """A command line that knows the hosts, as if they were in this machine's DNS and ssh's files."""
        script = "".join(
            f"mount --bind {shlex.quote(str(file))} {place} && "
            for file, place in ((self.hosts_file, "/etc/hosts"), (self.ssh_config, "/etc/ssh/ssh_config"))
        )
        script += 'exec "$@"'
        return ["unshare", "--mount", "sh", "-c", script, "sh", *command]

    def cut(self, host: str) -> None:
        """Cut a host off from the network."""
        _ip("link", "set", self._cable(host), "down")

    def mend(self, host: str) -> None:
        """Undo that."""
        _ip("link", "set", self._cable(host), "up")

    def _cable(self, host: str) -> str:
        return f"{_PREFIX}{self.rig}n{self.hosts[host].address.rpartition('.')[2]}"

    def give_password(self, host: str, password: str) -> None:
        """Give the first user a password, for which sudo asks from now on."""
        self.run(host, "sh", "-c", f"printf %s:%s {USER} {shlex.quote(password)} | chpasswd")
        self.run(host, "sh", "-c", f"echo '{USER} ALL=(ALL) ALL' > /etc/sudoers.d/admin")

    def stop(self, host: str) -> None:
        """Take a host's power away."""
        one = self.hosts[host]
        if one.process is not None:
            one.process.kill()
            one.process.wait()
            one.process = None

    def start(self, host: str) -> None:
        """Power a host on and wait until its sshd answers."""
        self.boot(host)
        self.wait(host)

    def boot(self, host: str) -> None:
        """Power a host on."""
        one = self.hosts[host]
        space = _space(self.rig, host)
        for controller in _controllers():
            group = _CGROUPS / controller / f"{_PREFIX}-{self.rig}" / host
            group.mkdir(parents=True, exist_ok=True)
            if controller == "cpu":
                # Otherwise all hosts together weigh as one of this machine's own tasks.
                (group.parent / "cpu.shares").write_text(str(_SHARES * len(self.hosts)))
            if controller == "cpuset":
                for name in ("cpuset.cpus", "cpuset.mems"):
                    for level in (group.parent, group):
                        (level / name).write_text((level.parent / name).read_text())
        joined = "".join(
            f"echo $$ > {_CGROUPS / one_of / f'{_PREFIX}-{self.rig}' / host / 'cgroup.procs'}; "
            for one_of in _controllers()
        )
        inner = (
            f"exec unshare --mount --uts --ipc --pid --cgroup --fork --kill-child sh -c {shlex.quote(_BOOT)}"
        )
        # Not by `ip netns exec`, which hides the control groups behind another /sys.
        line = ["nsenter", f"--net=/run/netns/{space}", "sh", "-c", f"{joined}{inner}"]
        environment = {
            "PATH": os.environ["PATH"],
            "TREE": str(self.tree),
            "HOME_DIR": str(one.folder),
            "NAME": host,
            "DISKS": " ".join(one.disks),
            "CONTROLLERS": " ".join(name for name in _controllers() if name not in ("systemd", "unified")),
        }
        log = (one.folder / "boot.log").open("ab")
        # Whatever becomes of the tests, the host dies with them.
        one.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *line],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )

    def wait(self, host: str) -> None:
        """Wait until a host's sshd answers."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            done = subprocess.run(
                ["ssh", "-F", str(self.ssh_config), host, "true"], capture_output=True, text=True, check=False
            )
            if done.returncode == 0:
                return
            process = self.hosts[host].process
            if time.monotonic() > deadline or process is None or process.poll() is not None:
                log = (self.hosts[host].folder / "boot.log").read_text()
                raise AssertionError(f"{host} did not come up: {log}{done.stderr}")
            time.sleep(0.1)


def lacking() -> str:
    """What this machine lacks to have such hosts; empty where it lacks nothing."""
    if os.geteuid() != 0:
        return "hosts with systemd need root"
    if missing := [tool for tool in _TOOLS if shutil.which(tool) is None]:
        return f"{', '.join(missing)} is missing: apt-get install debootstrap openssh-client"
    if not (_CGROUPS / "memory").is_dir():
        return "hosts with systemd need control groups of version 1 here"
    return ""


@contextmanager
def systemd_hosts(
    folder: Path, names: Sequence[str], *, disks: int = 2, disk_bytes: int = 2_000_000_000
) -> Iterator[SystemdHosts]:
    """Hosts of these names, up, with empty disks each; nothing is left of them afterwards."""
    number = os.getpid() % 250
    rig = f"{os.getpid()}"
    _remove_leftovers()
    folder.mkdir(parents=True, exist_ok=True)
    made = SystemdHosts(rig, folder, _base_tree())
    network = NETWORK.format(number=number)
    try:
        _bridge(rig, network)
        for index, name in enumerate(names, start=10):
            home = folder / name
            for part in ("upper", "work", "root"):
                (home / part).mkdir(parents=True)
            attached = tuple(
                _disk(folder / f"{_PREFIX}-{rig}-{name}-{disk}.img", disk_bytes) for disk in range(disks)
            )
            made.hosts[name] = SystemdHost(name, f"{network}.{index}", home, attached)
            _wire(rig, name, f"{network}.{index}", index)
        _prepare(made, f"{network}.1")
        for name in names:
            made.boot(name)
        for name in names:
            made.wait(name)
        yield made
    finally:
        for name in made.hosts:
            made.stop(name)
        _remove(rig, folder)


def _base_tree() -> Path:
    """The Debian that all hosts are overlays on; made once for a list of packages."""
    digest = hashlib.sha256(" ".join(PACKAGES).encode()).hexdigest()[:12]
    tree = _CACHE / f"bookworm-{digest}"
    if not tree.is_dir():
        making = _CACHE / f".making-{os.getpid()}"
        shutil.rmtree(making, ignore_errors=True)
        making.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            ["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", "bookworm", str(making)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr
        for unit in (
            "systemd-udevd.service",
            "systemd-resolved.service",
            "getty.target",
            "e2scrub_reap.service",
        ):
            (making / "etc/systemd/system" / unit).symlink_to("/dev/null")
        making.rename(tree)
    return tree


def _controllers() -> list[str]:
    return [
        one.name
        for one in sorted(_CGROUPS.iterdir())
        if one.is_dir() and not one.is_symlink() and (one / "cgroup.procs").exists()
    ]


def _space(rig: str, name: str) -> str:
    return f"{_PREFIX}-{rig}-{name}"


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


def _bridge(rig: str, network: str) -> None:
    _ip("link", "add", f"{_PREFIX}{rig}", "type", "bridge")
    _ip("address", "add", f"{network}.1/24", "dev", f"{_PREFIX}{rig}")
    _ip("link", "set", f"{_PREFIX}{rig}", "up")


def _wire(rig: str, name: str, address: str, number: int) -> None:
    space, cable = _space(rig, name), f"{_PREFIX}{rig}n{number}"
    _ip("netns", "add", space)
    _ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", space)
    _ip("link", "set", cable, "master", f"{_PREFIX}{rig}", "up")
    _ip("-n", space, "address", "add", f"{address}/24", "dev", "eth0")
    _ip("-n", space, "link", "set", "lo", "up")
    _ip("-n", space, "link", "set", "eth0", "up")


def _disk(image: Path, size_bytes: int) -> str:
    with image.open("wb") as file:
        file.truncate(size_bytes)
    done = subprocess.run(
        ["losetup", "--find", "--show", "--partscan", str(image)], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def _prepare(made: SystemdHosts, gateway: str) -> None:
    """Keys, names and the first user, as whoever installs an operating system leaves them."""
    key = made.folder / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    lines = "".join(f"{host.address} {host.name}\n" for host in made.hosts.values())
    made.hosts_file.write_text(f"127.0.0.1 localhost\n{gateway} controller {socket.gethostname()}\n{lines}")
    known, config = [], []
    for host in made.hosts.values():
        etc = host.folder / "upper/etc"
        (etc / "ssh").mkdir(parents=True)
        host_key = etc / "ssh/ssh_host_ed25519_key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(host_key)], check=True)
        known.append(f"{host.name},{host.address} {host_key.with_suffix('.pub').read_text().strip()}\n")
        config.append(f"Host {host.name}\n  HostName {host.address}\n  HostKeyAlias {host.name}\n")
        (etc / "hostname").write_text(f"{host.name}\n")
        (etc / "hosts").write_text(made.hosts_file.read_text())
        # systemd would make one that is the same on all hosts from the tree's.
        (etc / "machine-id").write_text(hashlib.md5(f"{made.rig}{host.name}".encode()).hexdigest() + "\n")
        _first_user(made, host, key.with_suffix(".pub").read_text())
        if host.disks:
            units = etc / "systemd/system"
            (units / "multi-user.target.wants").mkdir(parents=True)
            names = " ".join(disk.removeprefix("/dev/") for disk in host.disks)
            (units / "rig-nodes.service").write_text(_NODES_UNIT)
            script = host.folder / "upper/usr/local/sbin/rig-nodes"
            script.parent.mkdir(parents=True)
            script.write_text(_NODES.format(disks=names))
            (units / "multi-user.target.wants/rig-nodes.service").symlink_to(
                "/etc/systemd/system/rig-nodes.service"
            )
    (made.folder / "known_hosts").write_text("".join(known))
    common = (
        f"Host *\n  User {USER}\n  IdentityFile {key}\n  IdentitiesOnly yes\n  StrictHostKeyChecking yes\n"
        f"  UserKnownHostsFile {made.folder / 'known_hosts'}\n  BatchMode yes\n  ConnectTimeout 5\n"
    )
    made.ssh_config.write_text("".join(config) + common)


def _first_user(made: SystemdHosts, host: SystemdHost, public: str) -> None:
    etc = host.folder / "upper/etc"
    for name, line in (
        ("passwd", f"{USER}:x:1000:1000::/home/{USER}:/bin/bash\n"),
        ("group", f"{USER}:x:1000:\n"),
        ("shadow", f"{USER}:*:19000:0:99999:7:::\n"),
    ):
        (etc / name).write_text((made.tree / "etc" / name).read_text() + line)
    (etc / "shadow").chmod(0o640)
    (etc / "sudoers.d").mkdir(mode=0o750)
    (etc / "sudoers.d/admin").write_text(f"{USER} ALL=(ALL) NOPASSWD: ALL\n")
    home = host.folder / f"upper/home/{USER}"
    (home / ".ssh").mkdir(parents=True, mode=0o700)
    (home / ".ssh/authorized_keys").write_text(public)
    for path in (home, home / ".ssh", home / ".ssh/authorized_keys"):
        os.chown(path, 1000, 1000)


def _remove_leftovers() -> None:
    """Remove what rigs left whose tests are gone."""
    for bridge in Path("/sys/class/net").glob(f"{_PREFIX}[0-9]*"):
        rig = bridge.name.removeprefix(_PREFIX)
        if rig.isdigit() and not Path(f"/proc/{rig}").exists():
            _remove(rig, None)


def _remove(rig: str, folder: Path | None) -> None:
    for process in _inhabitants(rig):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    spaces = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
    for line in spaces.splitlines():
        if (name := line.split()[0] if line.split() else "").startswith(f"{_PREFIX}-{rig}-"):
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)
    subprocess.run(["ip", "link", "delete", f"{_PREFIX}{rig}"], check=False, capture_output=True)
    deadline = time.monotonic() + PATIENCE_S
    while _inhabitants(rig) and time.monotonic() < deadline:
        time.sleep(0.05)
    for controller in _CGROUPS.iterdir():
        group = controller / f"{_PREFIX}-{rig}"
        if group.is_dir():
            for level in sorted((*(path for path in group.rglob("*") if path.is_dir()), group), reverse=True):
                with suppress(OSError):
                    level.rmdir()
    shown = subprocess.run(
        ["losetup", "--list", "--noheadings", "--output", "NAME,BACK-FILE"],
        capture_output=True,
        text=True,
        check=True,
    )
    for line in shown.stdout.splitlines():
        name, _, image = line.strip().partition(" ")
        if f"/{_PREFIX}-{rig}-" in image:
            subprocess.run(["losetup", "--detach", name], check=False, capture_output=True)
    if folder is not None:
        for path in folder.glob(f"{_PREFIX}-{rig}-*.img"):
            path.unlink()


def _inhabitants(rig: str) -> list[int]:
    """The processes of all hosts of a rig; each is in a control group of its host."""
    group = _CGROUPS / "pids" / f"{_PREFIX}-{rig}"
    return [int(pid) for procs in group.rglob("cgroup.procs") for pid in procs.read_text().split()]
