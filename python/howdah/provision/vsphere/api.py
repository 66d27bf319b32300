"""pyVmomi, which makes its classes as it is imported and so has no types: all of it goes through here."""

from __future__ import annotations

from typing import Any

from howdah.extras import extra

with extra("vsphere", "--vcenter"):
    from pyVim.connect import Disconnect, SmartConnect
    from pyVmomi import vim as _vim
    from pyVmomi import vmodl as _vmodl

vim: Any = _vim
"""vSphere's objects and what they are configured by."""
vmodl: Any = _vmodl
"""What calls answer when they fail."""
connect: Any = SmartConnect
disconnect: Any = Disconnect
