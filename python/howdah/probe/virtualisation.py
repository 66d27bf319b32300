"""Whether this is a virtual machine, of which hypervisor, and whether we are in a container."""

from __future__ import annotations

from howdah.model.host import Virtualisation
from howdah.probe.disks import read_mounts
from howdah.probe.tree import FileTree, Inquiry

# What systemd-detect-virt --vm prints, where the usual name differs from it.
_NAMES = {
    "kvm": "KVM",
    "qemu": "QEMU",
    "amazon": "Amazon Nitro",
    "google": "Google Compute Engine",
    "vmware": "VMware",
    "microsoft": "Hyper-V",
    "oracle": "VirtualBox",
    "xen": "Xen",
    "powervm": "PowerVM",
    "zvm": "z/VM",
    "parallels": "Parallels",
    "apple": "Apple",
}
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
