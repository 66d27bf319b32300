"""A session with a vCenter: logged in and out, its tasks waited for, its faults in plain words."""

from __future__ import annotations

import http.client
import ssl
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from howdah.errors import RunFailed, UserError
from howdah.extras import extra
from howdah.model.hostname import host_and_port
from howdah.model.site import VCENTER_PORT
from howdah.services.errors import NotReachable

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


_CONNECT_S = 30
_FIRST_POLL_S, _LONGEST_POLL_S = 0.02, 1.0


class VCenterLogin(NamedTuple):
    """Whom to ask, as whom. The password is nowhere printed."""

    endpoint: str
    user: str
    password: str
    ca_file: Path | None

    def __repr__(self) -> str:
        return f"VCenterLogin({self.endpoint!r}, {self.user!r})"


@contextmanager
def logged_in(login: VCenterLogin) -> Iterator[Any]:
    """The service's content; raises UserError for what is wrong, NotReachable where nobody answers."""
    where = f"--vcenter {login.endpoint}"
    host, port = host_and_port(login.endpoint, "--vcenter", VCENTER_PORT)
    try:
        trust = ssl.create_default_context(cafile=None if login.ca_file is None else str(login.ca_file))
    except (OSError, ssl.SSLError) as error:
        raise UserError(
            f"vcenter.ca_file: {login.ca_file}", "cannot be read as certificates", "give a PEM file"
        ) from error
    try:
        service = connect(
            host=host,
            port=port,
            user=login.user,
            pwd=login.password,
            sslContext=trust,
            httpConnectionTimeout=_CONNECT_S,
        )
    except vim.fault.InvalidLogin as error:
        raise UserError(
            where, f"rejects the password of {login.user}", "check vcenter.user and the password"
        ) from error
    except ssl.SSLError as error:
        why = getattr(error, "verify_message", "") or error.reason
        raise UserError(
            where,
            f"presents an untrusted certificate: {why}",
            "give vCenter's certificate in the site, vcenter.ca_file, and use the certificate's host name",
        ) from error
    except (OSError, http.client.HTTPException, vmodl.MethodFault) as error:
        raise NotReachable(
            where, f"cannot be reached: {said(error)}", "is that a running vCenter?"
        ) from error
    try:
        yield service.content
    except vim.fault.NoPermission as error:
        raise UserError(
            f"vcenter.user: {login.user}",
            f"lacks the privilege {error.privilegeId}",
            "grant the login a role with this privilege on the datacentre",
        ) from error
    except vmodl.MethodFault as error:
        raise RunFailed(
            where, f"answers: {said(error)}", "run the command again: finished changes stay"
        ) from error
    except (OSError, http.client.HTTPException) as error:
        raise NotReachable(
            where, f"no longer answers: {said(error)}", "run the command again: finished changes stay"
        ) from error
    finally:
        # Its sessions end by themselves; a vCenter that is lost must not hide why.
        with suppress(Exception):
            disconnect(service)


def said(error: BaseException) -> str:
    """What a fault says, on one line."""
    text = getattr(error, "msg", None) or str(error) or type(error).__name__.rpartition(".")[2]
    return " ".join(str(text).split())[:300]


def wait_for(task: Any, where: str) -> Any:
    """A task's result; raises RunFailed where it fails, and what it says."""
    poll = _FIRST_POLL_S
    while (info := task.info).state not in (vim.TaskInfo.State.success, vim.TaskInfo.State.error):
        time.sleep(poll)
        poll = min(poll * 1.5, _LONGEST_POLL_S)
    if info.state == vim.TaskInfo.State.error:
        raise RunFailed(where, said(info.error), "fix that, then run the command again") from info.error
    return info.result


def settle(entity: Any) -> None:
    """Wait until everything that is under way on something has ended, well or not."""
    for task in entity.recentTask:
        # A task that ended long ago is gone before it is asked.
        with suppress(vmodl.fault.ManagedObjectNotFound, RunFailed):
            wait_for(task, "")


def properties(content: Any, kind: Any, root: Any, paths: Sequence[str]) -> dict[Any, dict[str, Any]]:
    """Some properties of every object of a kind below another, in as few calls as there are pages."""
    view = content.viewManager.CreateContainerView(root, [kind], True)
    try:
        collector = vmodl.query.PropertyCollector
        walk = collector.TraversalSpec(name="all", path="view", skip=False, type=vim.view.ContainerView)
        spec = collector.FilterSpec(
            objectSet=[collector.ObjectSpec(obj=view, skip=True, selectSet=[walk])],
            propSet=[collector.PropertySpec(type=kind, pathSet=list(paths))],
        )
        page = content.propertyCollector.RetrievePropertiesEx([spec], collector.RetrieveOptions())
        found: dict[Any, dict[str, Any]] = {}
        while page is not None:
            for one in page.objects:
                found[one.obj] = {given.name: given.val for given in one.propSet}
            token = page.token
            page = content.propertyCollector.ContinueRetrievePropertiesEx(token) if token else None
        return found
    finally:
        view.DestroyView()
