"""libvirt's Python, which is compiled where it is installed and may be missing: all goes through here."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from howdah.errors import UserError

_INSTALL = (
    "install it with `pip install 'howdah[kvm]'`; it is compiled, which takes a C compiler, pkg-config and "
    "libvirt's headers (libvirt-dev on Debian, libvirt-devel on Fedora)"
)


def _loaded(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise UserError("--libvirt", f"needs {name}, which is not installed here", _INSTALL) from error


libvirt: Any = _loaded("libvirt")
pycdlib: Any = _loaded("pycdlib")

# libvirt prints every error that it raises as well.
libvirt.registerErrorHandler(lambda context, error: None, None)
