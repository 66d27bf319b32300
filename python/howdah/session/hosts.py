"""This machine, as the stages before a plan see it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from howdah.errors import UserError
from howdah.model.base import WrongValue
from howdah.model.host import Host
from howdah.model.hostname import expand_all, host_and_port
from howdah.planner.local_plan import DEFAULT_DATA_DIR
from howdah.probe import probe_host

_AT_ONCE = 20
"""Hosts that are asked at once."""


def measure_host(
    data_dirs: Sequence[Path], *, limit_s: float, peers: Sequence[str], tell: Callable[[str], None]
) -> Host:
    """This machine probed and measured, by default below the directory that runs use by default.

    Raises UserError where it cannot be measured; nothing stays behind.
    """
    # The Rust module is loaded only where something is measured.
    from howdah.probe.measuring.measure import measure  # noqa: PLC0415

    chosen = [path.absolute() for path in data_dirs] or [DEFAULT_DATA_DIR.absolute()]
    return measure(probe_host(), chosen, limit_s=limit_s, peers=peers, tell=tell)


def probe_hosts(
    patterns: Sequence[str], ssh_config: Path | None, tell: Callable[[str], None]
) -> tuple[Host, ...]:
    """Hosts described over ssh, each as it is named; raises UserError for the first that is not to be had."""
    from howdah.probe.remote import probe_remote  # noqa: PLC0415

    try:
        names = expand_all(patterns)
    except WrongValue as wrong:
        raise UserError(f"--ssh {' '.join(patterns)}", wrong.what, wrong.hint) from wrong

    def ask(name: str) -> Host:
        tell(name)
        return probe_remote(name, ssh_config).model_copy(update={"name": name})

    with ThreadPoolExecutor(_AT_ONCE) as several:
        return tuple(several.map(ask, names))


def listen(address: str, *, limit_s: float, tell: Callable[[str], None]) -> None:
    """Let other hosts measure the network to this one until the time is up; ``tell`` is told where.

    ``address`` is a port, or an address of this host with one. Raises UserError where it is not to be had.
    """
    from howdah.probe.measuring.peers import PORT, Listener  # noqa: PLC0415

    host, port = host_and_port(f"0.0.0.0:{address}" if address.isdigit() else address, "--listen", PORT)
    listener = Listener(host, port)
    tell(f"listening at {host}:{listener.port} for {limit_s:g} s")
    listener.serve(limit_s)
