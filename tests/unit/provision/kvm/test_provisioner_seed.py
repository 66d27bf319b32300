"""The disk that cloud-init reads, read back as an operating system would."""

from __future__ import annotations

from io import BytesIO

import yaml

from support.libvirt_hosts import needs_libvirt
from support.wanted import first_boot, wanted_machine

pytestmark = needs_libvirt


def test_the_three_files_are_in_it() -> None:
    # The extra may be missing, which only these tests ask for.
    from howdah.provision.kvm.hosts import pycdlib  # noqa: PLC0415
    from howdah.provision.kvm.provisioner import seed_digest, seed_image  # noqa: PLC0415

    machine = wanted_machine()
    image = pycdlib.PyCdlib()
    image.open_fp(BytesIO(seed_image(machine)))
    assert image.pvd.volume_identifier.decode().strip() == "cidata"
    for name, key in (("meta-data", "instance-id"), ("user-data", "users"), ("network-config", "ethernets")):
        for path in ({"rr_path": f"/{name}"}, {"joliet_path": f"/{name}"}):
            read = BytesIO()
            image.get_file_from_iso_fp(read, **path)
            assert key in yaml.safe_load(read.getvalue())
    other = wanted_machine(first_boot=first_boot(address="10.0.9.9"))
    assert seed_digest(machine) == seed_digest(wanted_machine())
    assert seed_digest(machine) != seed_digest(other)
