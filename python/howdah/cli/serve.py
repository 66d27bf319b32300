"""``howdah serve``: everything in a browser, live."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from howdah.cli.arguments import CalibrationFile, PredictionsDir, RunsDir
from howdah.cli.help import App
from howdah.errors import UserError
from howdah.extras import check_extras
from howdah.files import (
    DEFAULT_JOBS_DIR,
    DEFAULT_PREDICTIONS_DIR,
    DEFAULT_RUNS_DIR,
    check_jobs_dir,
    read_password,
)
from howdah.serve.places import DEFAULT_PORT, LOOPBACK, ServeSettings

_LEAST_PASSWORD = 12

app = App()


@app.command("serve")
def serve(
    *,
    port: Annotated[int, typer.Option(min=0, max=65535)] = DEFAULT_PORT,
    listen: str | None = None,
    certificate: Path | None = None,
    key: Path | None = None,
    password_file: Path | None = None,
    allow_runs: bool = False,
    read_only: bool = False,
    plan: list[Path] | None = None,
    inventory: Path | None = None,
    conf: list[Path] | None = None,
    calibration: CalibrationFile = None,
    runs_dir: RunsDir = DEFAULT_RUNS_DIR,
    studies_dir: Path = Path("study"),
    predictions_dir: PredictionsDir = DEFAULT_PREDICTIONS_DIR,
    jobs_dir: Annotated[Path, typer.Option(envvar="HOWDAH_JOBS_DIR")] = DEFAULT_JOBS_DIR,
    export: Path | None = None,
) -> None:
    """Show runs, studies, plans and predictions in a browser, updated during runs.

    Only this machine can reach the server unless --listen is given. Notes, tags, stopping and starting runs
    need the token, which is in a file that only this user can read.

    Options:
      --port  Port; 0 picks any free port.
      --listen ADDRESS  Address that other machines can reach, such as 0.0.0.0; needs --certificate. Default:
          only this machine.
      --certificate FILE  PEM file with the certificate and its chain, for TLS.
      --key FILE  The certificate's key, if it is in another file.
      --password-file FILE  File with a password that can be used instead of the token.
      --allow-runs  Add a page that starts runs; needs the token.
      --read-only  Allow no changes: no notes, no tags, no stops.
      --plan FILE  Plan to open on the Plan page; repeatable.
      --inventory FILE  Inventory to start planning from, instead of a plan.
      --conf DIR  Configuration directory to check against the rules and the first plan; repeatable.
      --studies-dir DIR  Directory of studies.
      --jobs-dir DIR  Directory of imported applications.
      --export DIR  Write the pages as files into this directory and exit.
    Examples:
      howdah serve  # shows the runs of this directory at http://127.0.0.1:8642/
      howdah serve --plan plan.yaml --conf /etc/hadoop/conf
          # also opens a plan, and checks a cluster against it
      howdah serve --allow-runs  # also starts runs: local, simulated and on a lab
      howdah serve --listen 0.0.0.0 --certificate cluster.pem --key cluster.key  # serves other machines
      howdah serve --listen 0.0.0.0 --certificate cluster.pem --password-file secret  # with a password
      howdah serve --export public  # writes the same pages as files, for any web server
    """
    check_jobs_dir(jobs_dir)
    settings = ServeSettings(
        runs_dir=runs_dir,
        studies_dir=studies_dir,
        predictions_dir=predictions_dir,
        jobs_dir=jobs_dir,
        plans=tuple(plan or ()),
        inventory=inventory,
        conf=tuple(conf or ()),
        calibration=calibration,
        allow_runs=allow_runs,
        read_only=read_only,
        host=listen or LOOPBACK[0],
    )
    _check(settings, listen, certificate, key, secret=password_file is not None)
    check_extras("howdah serve", "charts", "statistics")
    if export is not None:
        from howdah.serve.export import export as write  # noqa: PLC0415

        with Console(stderr=True, highlight=False).status("") as status:
            count = write(settings, export, lambda address: status.update(f"  {escape(address)}"))
        print(f"export  {export / 'index.html'} and {count - 1} pages more")
        return
    password = read_password("--password-file", password_file) if password_file is not None else None
    if password is not None and len(password) < _LEAST_PASSWORD:
        problem = f"has a password of {len(password)} characters"
        raise UserError(f"--password-file {password_file}", problem, f"use {_LEAST_PASSWORD} or more")
    # What serves takes a second to import, which no mistake above should wait for.
    from howdah.serve import server  # noqa: PLC0415

    pem = server.Certificate(certificate, key) if certificate else None
    server.serve(settings, port=port, password=password, certificate=pem, report=_show_address)


def _show_address(address: str, token: str, file: Path) -> None:
    """Print the address; the token itself only to a terminal, whose output is not kept."""
    if sys.stdout.isatty():
        print(f"serve   {address}#token={token}")
        print("        the part behind # allows changes; Ctrl-C ends the server")
    else:
        print(f"serve   {address}")
        print(f"token   in {file}")
    sys.stdout.flush()


def _check(
    settings: ServeSettings, listen: str | None, certificate: Path | None, key: Path | None, *, secret: bool
) -> None:
    if settings.read_only and settings.allow_runs:
        raise UserError("--read-only", "conflicts with --allow-runs", "give one of them")
    if not settings.loopback and certificate is None:
        problem = "needs --certificate, so that no secret is sent unencrypted"
        hint = "add --certificate FILE, or leave out --listen and forward the port with ssh -L"
        raise UserError(f"--listen {listen}", problem, hint)
    if key is not None and certificate is None:
        raise UserError("--key", "needs --certificate", "add --certificate FILE")
    if secret and settings.loopback:
        hint = "leave it out; on this machine the token suffices"
        raise UserError("--password-file", "needs --listen", hint)
    if settings.runs_dir.exists() and not settings.runs_dir.is_dir():
        where = f"--runs-dir {settings.runs_dir}"
        raise UserError(where, "is a file", "give the directory that holds the runs")
    # Files must exist; a page shows why it cannot read its file.
    calibration = None if settings.calibration == "published" else settings.calibration
    files: list[tuple[str, Path | None]] = [("--plan", plan) for plan in settings.plans]
    files.append(("--inventory", settings.inventory))
    files.append(("--calibration", Path(calibration) if calibration is not None else None))
    for flag, file in files:
        if file is not None and not file.is_file():
            raise UserError(f"{flag} {file}", "is not a file", "give an existing file")
    for path in settings.conf:
        if not path.is_dir():
            problem = "not a directory" if path.exists() else "no such directory"
            raise UserError(f"--conf {path}", problem, "give one such as /etc/hadoop/conf")
