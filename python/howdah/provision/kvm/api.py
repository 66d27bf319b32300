"""libvirt's Python, which is compiled where it is installed and may be missing: all goes through here."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from howdah.extras import extra

_COMPILED = (
    "; compiling it needs a C compiler, pkg-config and libvirt's headers "
    "(libvirt-dev on Debian, libvirt-devel on Fedora)"
)

with extra("kvm", "--libvirt", note=_COMPILED):
    libvirt: Any = import_module("libvirt")
    pycdlib: Any = import_module("pycdlib")

# libvirt prints every error that it raises as well.
libvirt.registerErrorHandler(lambda context, error: None, None)
