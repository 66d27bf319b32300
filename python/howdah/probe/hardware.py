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
        hint = "howdah needs Linux with /proc mounted"
        raise UserError(str(tree.root / "proc/cpuinfo"), "lists no processor", hint)
    sockets, cores = _sockets_and_cores(tree, cpus, info)
    model = _model(tree, info)
    # The sysctl is there since Linux 6.1.
    architecture = tree.text("proc/sys/kernel/arch")
    if not architecture:
        answer = tree.answer("cpu architecture", "uname -m", lambda: inquiry.command("uname", "-m"))
        architecture = "unknown" if answer is None else answer.text.strip()
    khz = [tree.integer(f"{_CPUS}/cpu{cpu}/cpufreq/cpuinfo_max_freq") for cpu in cpus]
    most_khz = max((frequency for frequency in khz if frequency is not None), default=None)
    if most_khz is None:
        tree.note("cpu max_hz", f"/{_CPUS}/cpu{cpus[0]}/cpufreq/cpuinfo_max_freq: not there")
    # Intel's own driver says it the other way round.
    turbo_off = tree.integer(f"{_CPUS}/intel_pstate/no_turbo")
    boost = tree.integer(f"{_CPUS}/cpufreq/boost") if turbo_off is None else int(turbo_off == 0)
    return Cpu(
        model=model,
        architecture=architecture,
        sockets=sockets,
        cores=cores,
        threads=len(cpus),
        max_hz=None if most_khz is None else most_khz * 1000,
        caches=_caches(tree, cpus),
        numa_nodes=_numa_nodes(tree),
        smt=tree.text(f"{_CPUS}/smt/control"),
        turbo=None if boost is None else boost == 1,
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
            places = {(processor.get("physical id"), processor.get("core id")) for processor in info}
            places = {place for place in places if None not in place}
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
        info = tree.fields(f"{_NODES}/{name}/meminfo", ":", f"numa {name}")
        memory = info.get(f"Node {number} MemTotal")
        if cpus is not None and memory is not None:
            nodes.append(
                NumaNode(node=int(number), cpus=parse_cpu_list(cpus), memory_bytes=parse_size(memory))
            )
    if not nodes:
        tree.note("numa nodes", f"/{_NODES}: is empty; the kernel may be built without NUMA")
    return tuple(nodes)


_NET = "sys/class/net"
_IFF_UP = 0x1


def read_nics(tree: FileTree) -> tuple[Nic, ...]:
    """Network cards and bonds of them; in a container, which has neither, whatever is up but ``lo``."""
    names = [name for name in tree.names(_NET) if tree.exists(f"{_NET}/{name}/flags")]
    if not names:
        tree.note("nics", f"/{_NET}: is empty")
    parts = ("device", "bonding")
    cards = [name for name in names if any(tree.exists(f"{_NET}/{name}/{part}") for part in parts)]
    cards = cards or [name for name in names if name != "lo" and _is_up(tree, name)]
    return tuple(_read_nic(tree, name) for name in cards)


def _read_nic(tree: FileTree, name: str) -> Nic:
    folder = f"{_NET}/{name}"
    queues = tree.names(f"{folder}/queues")
    receive = sum(queue.startswith("rx-") for queue in queues)
    send = sum(queue.startswith("tx-") for queue in queues)
    # Both files hold a word and the number that stands for it: "802.3ad 4".
    mode = (tree.text(f"{folder}/bonding/mode") or "").split()
    policy = (tree.text(f"{folder}/bonding/xmit_hash_policy") or "").split()
    above, driver = tree.link(f"{folder}/master"), tree.link(f"{folder}/device/driver")
    usual = "bonding" if tree.exists(f"{folder}/bonding") else None
    fact = f"nic {name} speed"
    megabits = tree.integer(f"{folder}/speed", fact)
    if megabits is not None and megabits <= 0:
        tree.note(fact, f"/{folder}/speed: the driver does not report it")
    return Nic(
        name=name,
        driver=driver.name if driver else usual,
        speed_bits_per_s=megabits * 10**6 if megabits and megabits > 0 else None,
        mtu=tree.integer(f"{folder}/mtu", f"nic {name} mtu"),
        rx_queues=receive or None,
        tx_queues=send or None,
        up=_is_up(tree, name),
        bond=Bond(mode=mode[0], hash_policy=policy[0] if policy else None) if mode else None,
        member_of=above.name if above and tree.exists(f"{_NET}/{above.name}/bonding") else None,
    )


def _is_up(tree: FileTree, name: str) -> bool:
    """Switched on and with a carrier, where the driver knows of one."""
    flags = int(tree.text(f"{_NET}/{name}/flags") or "0", 16)
    return bool(flags & _IFF_UP) and tree.text(f"{_NET}/{name}/operstate") in {"up", "unknown"}


def read_network_stack(tree: FileTree) -> NetworkStack:
    """The settings of this network namespace; a container may lack some of them."""

    def setting(folder: str, name: str) -> int | None:
        return tree.integer(f"proc/sys/net/{folder}/{name}", f"network {name}")

    # What /etc/hosts has for the host's own name, with its domain or without.
    own = (tree.text("proc/sys/kernel/hostname") or "").strip().lower().partition(".")[0]
    entries = [line.partition("#")[0].lower().split() or [""] for line in tree.lines("etc/hosts")]
    return NetworkStack(
        rmem_max_bytes=setting("core", "rmem_max"),
        wmem_max_bytes=setting("core", "wmem_max"),
        somaxconn=setting("core", "somaxconn"),
        tcp_mtu_probing=setting("ipv4", "tcp_mtu_probing"),
        arp_filter=setting("ipv4/conf/all", "arp_filter"),
        own_address=next(
            (
                address
                for address, *names in entries
                if own and own in {name.partition(".")[0] for name in names}
            ),
            None,
        ),
    )


# What systemd-detect-virt --vm prints, where the usual name differs from it.
_NAMES = {
    "kvm": "KVM", "qemu": "QEMU", "amazon": "Amazon Nitro", "google": "Google Compute Engine",
    "vmware": "VMware", "microsoft": "Hyper-V", "oracle": "VirtualBox", "xen": "Xen", "powervm": "PowerVM",
    "zvm": "z/VM", "parallels": "Parallels", "apple": "Apple",
}  # fmt: skip
# What the maker's strings of a virtual machine's firmware contain. QEMU's alone does not tell
# whether KVM runs it, so it comes last.
_MAKERS = {
    "Amazon EC2": "Amazon Nitro", "Google Compute Engine": "Google Compute Engine", "VMware": "VMware",
    "Microsoft Corporation Virtual": "Hyper-V", "innotek GmbH": "VirtualBox", "Xen": "Xen", "KVM": "KVM",
    "Parallels": "Parallels", "QEMU": "QEMU",
}  # fmt: skip
# Clocks that only a guest of that hypervisor has.
_CLOCKS = (("kvm-clock", "KVM"), ("hyperv_clocksource", "Hyper-V"), ("xen", "Xen"))
_FIRST_PID_NAMESPACE = "pid:[4026531836]"  # PROC_PID_INIT_INO in the kernel's proc_ns.h


def read_virtualisation(tree: FileTree, inquiry: Inquiry) -> Virtualisation:
    """Who else has a say over this machine's CPUs and disks."""
    is_virtual, hypervisor = _hypervisor(tree, inquiry)
    container = _container(tree, inquiry)
    fact = "steal_share"
    times = tree.fields("proc/stat", " ", fact).get("cpu", "").split()
    # Guests' time follows and is contained in user time already.
    used = [int(time) for time in times[:8]] if len(times) >= 8 else None
    if used is None:
        tree.note(fact, "/proc/stat: no steal time")
    return Virtualisation(
        is_virtual=is_virtual,
        hypervisor=hypervisor,
        container=container,
        steal_share=None if used is None else used[7] / sum(used) if sum(used) else 0.0,
    )


def _hypervisor(tree: FileTree, inquiry: Inquiry) -> tuple[bool, str | None]:
    detected = _detect_virt(inquiry, "--vm")
    if detected is not None:
        return (False, None) if detected == "none" else (True, _NAMES.get(detected, detected))
    clocks = tree.text("sys/devices/system/clocksource/clocksource0/available_clocksource") or ""
    hypervisor = (
        _from_maker(tree)
        or _from_hypervisor_folder(tree)
        or next((name for word, name in _CLOCKS if word in clocks), None)
    )
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
    return next((name for word, name in _MAKERS.items() if word in maker), None)


def _from_hypervisor_folder(tree: FileTree) -> str | None:
    kind = tree.text("sys/hypervisor/type") or tree.text("proc/device-tree/hypervisor/compatible") or ""
    # Xen's first domain has the folder too, and is the host itself.
    if "xen" in kind and "control_d" not in (tree.text("proc/xen/capabilities") or ""):
        return "Xen"
    return "KVM" if "kvm" in kind else None


def _container(tree: FileTree, inquiry: Inquiry) -> str | None:
    marker = _container_marker(tree, inquiry)
    if marker is None:
        return None
    # An image unpacked onto a disk and booted as a machine keeps the marker of its former life.
    root = next((mount for mount in read_mounts(tree) if mount.point == "/"), None)
    on_disk = root is not None and root.top == "/" and tree.link(f"sys/dev/block/{root.number}") is not None
    if on_disk and str(tree.link("proc/self/ns/pid")) == _FIRST_PID_NAMESPACE:
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
