"""``howdah probe``: what this machine is."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

from rich.console import Console
from ruamel.yaml import YAML

from howdah.cli.arguments import AsJson, parse_measuring_time
from howdah.cli.help import App
from howdah.cli.output import write_text
from howdah.errors import UserError
from howdah.model.host import Host
from howdah.session import inventories as session

app = App()


@app.command("probe")
def probe(
    *,
    json: AsJson = False,
    output: Path | None = None,
    measure: bool = False,
    data_dir: list[Path] | None = None,
    peer: list[str] | None = None,
    listen: str | None = None,
    ssh: list[str] | None = None,
    ssh_config: Path | None = None,
    seconds: str = "60",
) -> None:
    """Describe this machine: processors, memory, disks, file systems, network, virtualisation.

    Needs no privileges. Values that could not be read are listed under `unread` with the reason.

    With `--measure` it also writes, reads and copies files below the data directories, which it removes
    at the end, reads whole disks if permitted, and processes rows in memory. Keep the machine idle meanwhile.

    Options:
      --output, -o  File for the description. Default: print it.
    Measuring:
      --measure  Measure disks, memory and the CPU time per row, in about a minute.
      --data-dir DIR  Directories to measure, one on each disk. Default: howdah-data.
      --peer HOST  Host that runs `howdah probe --listen`, to measure the network to it; repeatable.
      --listen PORT  Port at which other hosts may measure the network to this host, such as 7733.
      --seconds S  Time limit of measuring or listening, in seconds.
    Other hosts:
      --ssh HOST  Host to describe over ssh instead of this one, or a range, w[001-032]; repeatable.
      --ssh-config FILE  ssh configuration with users, keys and jump hosts. Default: ssh's own files.
    Examples:
      howdah probe  # shows this machine as YAML
      howdah probe --json | jq .cpu  # prints JSON for other programs
      howdah probe --output worker-7.yaml  # writes it to a file for an inventory
      howdah probe --measure --data-dir /data1 --data-dir /data2 -o worker-7.yaml  # also measures its speed
      howdah probe --ssh "w[001-032]" -o hosts  # describes hosts over ssh, for howdah inventory add hosts/*
      howdah probe --listen 7733  # on one host: waits for a measurement of the network
      howdah probe --measure --peer worker-8  # on another: measures it
    """
    limit_s = parse_measuring_time(seconds)
    if ssh:
        if measure or listen is not None:
            hint = "measure on the host itself: howdah probe --measure"
            raise UserError("--ssh", "only describes hosts", hint)
        _show_remote(ssh, ssh_config, output, json=json)
        return
    for flag, value in (("--data-dir", data_dir), ("--peer", peer)):
        if value and not measure:
            raise UserError(flag, "has no effect without --measure", "add --measure")
    if listen is not None:
        if measure:
            hint = "run --listen and --measure separately"
            raise UserError("--listen", "only waits for measurements by other hosts", hint)
        session.listen(listen, limit_s=limit_s, report=Console(stderr=True, highlight=False).print)
        return
    host = _measured(data_dir or [], peer or [], limit_s) if measure else session.this_host()
    write_text(_text(host, json=json), output)


def _show_remote(patterns: list[str], ssh_config: Path | None, output: Path | None, *, json: bool) -> None:
    console = Console(stderr=True, highlight=False)
    with console.status("probing") as moving:
        hosts = session.probe_hosts(patterns, ssh_config, lambda name: moving.update(f"probing {name}"))
    if output is None and len(hosts) > 1:
        raise UserError("--ssh", f"describes {len(hosts)} hosts", "give --output DIR for one file per host")
    for host in hosts:
        file = output
        if output is not None and (len(hosts) > 1 or output.is_dir()):
            output.mkdir(parents=True, exist_ok=True)
            file = output / f"{host.name}.{'json' if json else 'yaml'}"
        write_text(_text(host, json=json), file)


def _text(host: Host, *, json: bool) -> str:
    if json:
        return host.model_dump_json(indent=2) + "\n"
    yaml = YAML()
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.width = 100
    stream = StringIO()
    yaml.dump(host.model_dump(mode="json"), stream)
    return stream.getvalue()


def _measured(data_dirs: list[Path], peers: list[str], limit_s: float) -> Host:
    # Progress goes beside the document, which a pipe or a file gets whole.
    console = Console(stderr=True, highlight=False)
    with console.status("measuring") as moving:
        host = session.measure_host(
            data_dirs, limit_s=limit_s, peers=peers, report=lambda step: moving.update(f"measuring {step}")
        )
    for doubt in host.measured.not_measured if host.measured else ():
        console.print(f"not measured: {doubt.what}: {doubt.why}", soft_wrap=True, markup=False)
    return host
