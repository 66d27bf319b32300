"""Where clients of a laboratory run: in its own network, where its daemons answer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from howdah.errors import RunFailed
from howdah.lab.enter import client_entry, join_network
from howdah.lab.files import name_options
from howdah.lab.state import LabState
from howdah.namespaces import enter_network


def client_prefix(state: LabState) -> tuple[str, ...]:
    """The beginning of a command line that runs where jobs are submitted.

    Without root that is here; Java is told of the file that has the machines' names.
    """
    if state.spec is not None:
        return client_entry(state.spec, state.hosts_file)
    options = " ".join(f'"{option}"' for option in name_options(state))
    return ("env", f"JDK_JAVA_OPTIONS={options}")


@contextmanager
def network_of(state: LabState) -> Iterator[None]:
    """Be in the network where jobs are submitted, and come back; only for the thread that calls it.

    Without root the laboratory is in this machine's own.
    """
    if state.rootless:
        yield
        return
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        join_network(state.name)
        try:
            yield
        finally:
            _leave(state.name, home)
    finally:
        os.close(home)


def _leave(lab: str, home: int) -> None:
    try:
        enter_network(home)
    except OSError as error:
        raise RunFailed(lab, f"cannot leave its network: {error.strerror}") from error
