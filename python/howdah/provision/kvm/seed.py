"""The small disk from which cloud-init learns who a machine is."""

from __future__ import annotations

from io import BytesIO

from howdah.model.machines import WantedMachine
from howdah.provision.first_boot import digest, meta_data, network_text, user_data
from howdah.provision.kvm.api import pycdlib

_LABEL = "cidata"
"""By which cloud-init's NoCloud source finds it."""


def seed_image(machine: WantedMachine) -> bytes:
    """An ISO image with the three files that cloud-init reads."""
    image = pycdlib.PyCdlib()
    image.new(joliet=3, rock_ridge="1.09", vol_ident=_LABEL)
    for number, (name, text) in enumerate(_files(machine).items()):
        data = text.encode()
        short = f"/FILE{number}.;1"
        image.add_fp(BytesIO(data), len(data), short, rr_name=name, joliet_path=f"/{name}")
    written = BytesIO()
    image.write_fp(written)
    image.close()
    return written.getvalue()


def seed_digest(machine: WantedMachine) -> str:
    """By which a seed that is there is told from the planned one."""
    return digest(*_files(machine).values())


def _files(machine: WantedMachine) -> dict[str, str]:
    return {
        "meta-data": meta_data(machine),
        "user-data": user_data(machine),
        "network-config": network_text(machine),
    }
