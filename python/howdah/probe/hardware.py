"""Processors, NUMA nodes, network interfaces and the hypervisor, from /sys and /proc."""

from __future__ import annotations

from collections import defaultdict
from typing import Literal

from howdah.errors import UserError
from howdah.model.host import Bond, Cache, Cpu, NetworkStack, Nic, NumaNode, Virtualisation
from howdah.probe.disks import read_mounts
from howdah.probe.tree import FileTree, Inquiry, parse_cpu_list, parse_size

_CPUS = "sys/devices/system/cpu"
_NODES = "sys/devices/system/node"
_CACHE_KINDS: dict[str, Literal["data", "instruction", "unified"]] = {
    "Data": "data", "Instruction": "instruction", "Unified": "unified",
}  # fmt: skip


def read_cpu(tree: FileTree, inquiry: Inquiry) -> Cpu:
    """The processors that are on line; raise UserError if the kernel shows none."""
    info: list[dict[str, str]] = []
    for line in tree.lines("proc/cpuinfo", "cpu model"):
        key, _, value = line.partition(":")
        if key.strip() == "processor":
            info.append({})
        if info and key.strip():
            info[-1][key.strip()] = value.strip()
    cpus = parse_cpu_list(tree.text(f"{_CPUS}/online") or "") or tuple(range(len(info)))
    if not cpus:
        raise UserError(
            str(tree.root / "proc/cpuinfo"), "lists no processor", "howdah needs Linux with /proc mounted"
        )
    sockets, cores = _sockets_and_cores(tree, cpus, info)
    return Cpu(
        model=_model(tree, info),
        architecture=_architecture(tree, inquiry),
        sockets=sockets,
        cores=cores,
        threads=len(cpus),
        max_hz=_max_hz(tree, cpus),
        caches=_caches(tree, cpus),
        numa_nodes=_numa_nodes(tree),
        smt=tree.text(f"{_CPUS}/smt/control"),
        turbo=_turbo(tree),
        governor=tree.text(f"{_CPUS}/cpu{cpus[0]}/cpufreq/scaling_governor"),
    )


def _sockets_and_cores(tree: FileTree, cpus: tuple[int, ...], info: list[dict[str, str]]) -> tuple[int, int]:
    sockets: set[str] = set()
    cores: set[str] = set()
    for cpu in cpus:
        topology = f"{_CPUS}/cpu{cpu}/topology"
        package = tree.text(f"{topology}/physical_package_id")
        # Kernels before 5.3 call the list by its second name. Core numbers are no help: they
        # repeat from socket to socket, and on ARM from cluster to cluster.
        siblings = tree.text(f"{topology}/core_cpus_list") or tree.text(f"{topology}/thread_siblings_list")
        if package is None or siblings is None:
            places = {
                (processor["physical id"], processor["core id"])
                for processor in info
                if {"physical id", "core id"} <= processor.keys()
            }
            if places:
                return len({socket for socket, _ in places}), len(places)
            tree.note(
                "cpu topology",
                f"/{_CPUS}/cpu{cpus[0]}/topology and /proc/cpuinfo do not list sockets and cores; counted as "
                f"one socket with one thread per core",
            )
            return 1, len(cpus)
        sockets.add(package)
        cores.add(siblings)
    return len(sockets), len(cores)


def _model(tree: FileTree, info: list[dict[str, str]]) -> str | None:
    first = info[0] if info else {}
    if name := first.get("model name"):
        return name
    # ARM cores have numbers instead of a name.
    if {"CPU implementer", "CPU part"} <= first.keys():
        return f"ARM implementer {first['CPU implementer']} part {first['CPU part']}"
    tree.note("cpu model", "/proc/cpuinfo: lists no model")
    return None


def _architecture(tree: FileTree, inquiry: Inquiry) -> str:
    # The sysctl is there since Linux 6.1.
    if architecture := tree.text("proc/sys/kernel/arch"):
        return architecture
    answer = tree.answer("cpu architecture", "uname -m", lambda: inquiry.command("uname", "-m"))
    return "unknown" if answer is None else answer.text.strip()


def _max_hz(tree: FileTree, cpus: tuple[int, ...]) -> int | None:
    khz = [tree.integer(f"{_CPUS}/cpu{cpu}/cpufreq/cpuinfo_max_freq") for cpu in cpus]
    reported = [frequency for frequency in khz if frequency is not None]
    if not reported:
        tree.note("cpu max_hz", f"/{_CPUS}/cpu{cpus[0]}/cpufreq/cpuinfo_max_freq: not there")
        return None
    return max(reported) * 1000


def _turbo(tree: FileTree) -> bool | None:
    # Intel's own driver says it the other way round.
    off = tree.integer(f"{_CPUS}/intel_pstate/no_turbo")
    if off is not None:
        return off == 0
    on = tree.integer(f"{_CPUS}/cpufreq/boost")
    return None if on is None else on == 1


def _caches(tree: FileTree, cpus: tuple[int, ...]) -> tuple[Cache, ...]:
    # CPUs that name the same list share one instance.
    instances: dict[tuple[int, str, str], set[str]] = defaultdict(set)
    for cpu in cpus:
        folder = f"{_CPUS}/cpu{cpu}/cache"
        for index in tree.names(folder):
            level = tree.integer(f"{folder}/{index}/level")
            kind = tree.text(f"{folder}/{index}/type")
            size = tree.text(f"{folder}/{index}/size")
            shared = tree.text(f"{folder}/{index}/shared_cpu_list")
            if level is not None and kind in _CACHE_KINDS and size and shared:
                instances[level, kind, size].add(shared)
    if not instances:
        tree.note("cpu caches", f"/{_CPUS}/cpu{cpus[0]}/cache: is empty")
    return tuple(
        Cache(level=level, kind=_CACHE_KINDS[kind], size_bytes=parse_size(size), instances=len(sharers))
        for (level, kind, size), sharers in sorted(instances.items())
    )


def _numa_nodes(tree: FileTree) -> tuple[NumaNode, ...]:
    nodes: list[NumaNode] = []
    for name in tree.names(_NODES):
        number = name.removeprefix("node")
        if number == name or not number.isdigit():
            continue
        cpus = tree.text(f"{_NODES}/{name}/cpulist", f"numa {name}")
        memory = _node_memory(tree, name)
        if cpus is not None and memory is not None:
            nodes.append(NumaNode(node=int(number), cpus=parse_cpu_list(cpus), memory_bytes=memory))
    if not nodes:
        tree.note("numa nodes", f"/{_NODES}: is empty; the kernel may be built without NUMA")
    return tuple(nodes)


def _node_memory(tree: FileTree, name: str) -> int | None:
    for line in tree.lines(f"{_NODES}/{name}/meminfo", f"numa {name}"):
        _, match, amount = line.partition("MemTotal:")
        if match:
            return parse_size(amount)
    return None


_NET = "sys/class/net"
_IFF_UP = 0x1


def read_nics(tree: FileTree) -> tuple[Nic, ...]:
    """Network cards and bonds of them; in a container, which has neither, whatever is up but ``lo``."""
    names = [name for name in tree.names(_NET) if tree.exists(f"{_NET}/{name}/flags")]
    if not names:
        tree.note("nics", f"/{_NET}: is empty")
    cards = [
        name
        for name in names
        if tree.exists(f"{_NET}/{name}/device") or tree.exists(f"{_NET}/{name}/bonding")
    ]
    if not cards:
        cards = [name for name in names if name != "lo" and _is_up(tree, name)]
    return tuple(_read_nic(tree, name) for name in cards)


def _read_nic(tree: FileTree, name: str) -> Nic:
    folder = f"{_NET}/{name}"
    queues = tree.names(f"{folder}/queues")
    receive = sum(queue.startswith("rx-") for queue in queues)
    send = sum(queue.startswith("tx-") for queue in queues)
    # Both files hold a word and the number that stands for it: "802.3ad 4".
    mode = (tree.text(f"{_NET}/{name}/bonding/mode") or "").split()
    policy = (tree.text(f"{_NET}/{name}/bonding/xmit_hash_policy") or "").split()
    link = tree.link(f"{_NET}/{name}/master")
    above = link.rsplit("/", 1)[-1] if link else None
    return Nic(
        name=name,
        driver=_driver(tree, name),
        speed_bits_per_s=_speed(tree, name),
        mtu=tree.integer(f"{folder}/mtu", f"nic {name} mtu"),
        rx_queues=receive or None,
        tx_queues=send or None,
        up=_is_up(tree, name),
        bond=(Bond(mode=mode[0], hash_policy=policy[0] if policy else None) if mode else None),
        member_of=(above if above and tree.exists(f"{_NET}/{above}/bonding") else None),
    )


def _is_up(tree: FileTree, name: str) -> bool:
    """Switched on and with a carrier, where the driver knows of one."""
    flags = int(tree.text(f"{_NET}/{name}/flags") or "0", 16)
    return bool(flags & _IFF_UP) and tree.text(f"{_NET}/{name}/operstate") in {"up", "unknown"}


def _speed(tree: FileTree, name: str) -> int | None:
    fact = f"nic {name} speed"
    megabits = tree.integer(f"{_NET}/{name}/speed", fact)
    if megabits is None:
        return None
    if megabits <= 0:
        tree.note(fact, f"/{_NET}/{name}/speed: the driver does not report it")
        return None
    return megabits * 10**6


def _driver(tree: FileTree, name: str) -> str | None:
    link = tree.link(f"{_NET}/{name}/device/driver")
    if link is not None:
        return link.rsplit("/", 1)[-1]
    return "bonding" if tree.exists(f"{_NET}/{name}/bonding") else None


def read_network_stack(tree: FileTree) -> NetworkStack:
    """The settings of this network namespace; a container may lack some of them."""
    return NetworkStack(
        rmem_max_bytes=_setting(tree, "core/rmem_max"),
        wmem_max_bytes=_setting(tree, "core/wmem_max"),
        somaxconn=_setting(tree, "core/somaxconn"),
        tcp_mtu_probing=_setting(tree, "ipv4/tcp_mtu_probing"),
        arp_filter=_setting(tree, "ipv4/conf/all/arp_filter"),
        own_address=_own_address(tree),
    )


def _own_address(tree: FileTree) -> str | None:
    """What /etc/hosts says of the host's own name, with its domain or without."""
    own = (tree.text("proc/sys/kernel/hostname") or "").strip().lower().partition(".")[0]
    for line in (tree.text("etc/hosts") or "").splitlines():
        address, *names = line.partition("#")[0].lower().split() or [""]
        if own and own in {name.partition(".")[0] for name in names}:
            return address
    return None


def _setting(tree: FileTree, path: str) -> int | None:
    return tree.integer(f"proc/sys/net/{path}", f"network {path.rsplit('/', 1)[-1]}")


# What systemd-detect-virt --vm prints, where the usual name differs from it.
_NAMES = {
    "kvm": "KVM", "qemu": "QEMU", "amazon": "Amazon Nitro", "google": "Google Compute Engine",
    "vmware": "VMware", "microsoft": "Hyper-V", "oracle": "VirtualBox", "xen": "Xen", "powervm": "PowerVM",
    "zvm": "z/VM", "parallels": "Parallels", "apple": "Apple",
}  # fmt: skip
# What the maker's strings of a virtual machine's firmware contain. QEMU's alone does not tell
# whether KVM runs it, so it comes last.
_MAKERS = (
    ("Amazon EC2", "Amazon Nitro"),
    ("Google Compute Engine", "Google Compute Engine"),
    ("VMware", "VMware"),
    ("Microsoft Corporation Virtual", "Hyper-V"),
    ("innotek GmbH", "VirtualBox"),
    ("Xen", "Xen"),
    ("KVM", "KVM"),
    ("Parallels", "Parallels"),
    ("QEMU", "QEMU"),
)
# Clocks that only a guest of that hypervisor has.
_CLOCKS = (("kvm-clock", "KVM"), ("hyperv_clocksource", "Hyper-V"), ("xen", "Xen"))
_FIRST_PID_NAMESPACE = "pid:[4026531836]"  # PROC_PID_INIT_INO in the kernel's proc_ns.h


def read_virtualisation(tree: FileTree, inquiry: Inquiry) -> Virtualisation:
    """Who else has a say over this machine's CPUs and disks."""
    is_virtual, hypervisor = _hypervisor(tree, inquiry)
    return Virtualisation(
        is_virtual=is_virtual,
        hypervisor=hypervisor,
        container=_container(tree, inquiry),
        steal_share=_steal_share(tree),
    )


def _hypervisor(tree: FileTree, inquiry: Inquiry) -> tuple[bool, str | None]:
    detected = _detect_virt(inquiry, "--vm")
    if detected is not None:
        return (False, None) if detected == "none" else (True, _NAMES.get(detected, detected))
    hypervisor = _from_maker(tree) or _from_hypervisor_folder(tree) or _from_clocks(tree)
    if hypervisor is not None:
        return True, hypervisor
    if any(line.startswith("flags") and " hypervisor" in line for line in tree.lines("proc/cpuinfo")):
        tree.note("hypervisor", "/proc/cpuinfo reports a hypervisor; neither firmware nor clocks identify it")
        return True, None
    if tree.exists("proc/device-tree/hypervisor"):
        tree.note("hypervisor", "/proc/device-tree/hypervisor exists but does not identify it")
        return True, None
    return False, None


def _detect_virt(inquiry: Inquiry, kind: str) -> str | None:
    """What systemd-detect-virt prints (``none``: nothing found); None if it cannot be asked."""
    try:
        answer = inquiry.command("systemd-detect-virt", kind)
    except OSError:
        return None
    # It exits 1 with "none", and in other ways only if it failed.
    text = answer.text.strip()
    return text if answer.exit_code == 0 or text == "none" else None


def _from_maker(tree: FileTree) -> str | None:
    parts = [tree.text(f"sys/class/dmi/id/{name}") for name in ("sys_vendor", "product_name", "bios_vendor")]
    maker = " ".join(part for part in parts if part)
    if maker.startswith("Amazon EC2") and ".metal" in maker:
        return None  # the whole machine is rented, without a hypervisor
    return next((name for word, name in _MAKERS if word in maker), None)


def _from_hypervisor_folder(tree: FileTree) -> str | None:
    kind = tree.text("sys/hypervisor/type") or tree.text("proc/device-tree/hypervisor/compatible") or ""
    # Xen's first domain has the folder too, and is the host itself.
    if "xen" in kind and "control_d" not in (tree.text("proc/xen/capabilities") or ""):
        return "Xen"
    return "KVM" if "kvm" in kind else None


def _from_clocks(tree: FileTree) -> str | None:
    clocks = tree.text("sys/devices/system/clocksource/clocksource0/available_clocksource") or ""
    return next((name for word, name in _CLOCKS if word in clocks), None)


def _container(tree: FileTree, inquiry: Inquiry) -> str | None:
    marker = _container_marker(tree, inquiry)
    if marker is None:
        return None
    # An image unpacked onto a disk and booted as a machine keeps the marker of its former life.
    root = next((mount for mount in read_mounts(tree) if mount.point == "/"), None)
    on_disk = root is not None and root.top == "/" and tree.link(f"sys/dev/block/{root.number}") is not None
    if on_disk and tree.link("proc/self/ns/pid") == _FIRST_PID_NAMESPACE:
        tree.note(
            "container",
            f"marked as {marker}, but / is a whole disk and all processes are visible: treated as a machine",
        )
        return None
    return marker


def _container_marker(tree: FileTree, inquiry: Inquiry) -> str | None:
    detected = _detect_virt(inquiry, "--container")
    if detected is not None:
        return None if detected == "none" else detected
    if tree.exists("run/.containerenv"):
        return "podman"
    if tree.exists(".dockerenv"):
        return "docker"
    groups = tree.text("proc/self/cgroup") or ""
    return next((name for name in ("kubepods", "docker", "lxc") if f"/{name}" in groups), None)


def _steal_share(tree: FileTree) -> float | None:
    fact = "steal_share"
    for line in tree.lines("proc/stat", fact):
        name, *fields = line.split()
        if name == "cpu" and len(fields) >= 8:
            # Guests' time follows and is contained in user time already.
            times = [int(field) for field in fields[:8]]
            return times[7] / sum(times) if sum(times) else 0.0
    tree.note(fact, "/proc/stat: no steal time")
    return None
