"""``howdah serve`` as a user starts, ends and kills it, and what it refuses."""

from __future__ import annotations

import os
import pty
import re
import shutil
import signal
import socket
import subprocess
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx
import pytest

from howdah.store.writer import RunWriter
from support import records
from support.command import HOWDAH, environment, howdah, tree
from support.patience import PATIENCE_S, wait_until
from support.served import Started, certificate, started
from support.stored import as_begun, write_killed_run, write_run
from support.whole_site import CONF, WholeSite, whole_site

LINK = re.compile(r'(?:href|src)="([^"#]+)')


def listed(server: Started) -> dict[str, str]:
    """The outcome of every run that the server knows."""
    answer = httpx.get(f"{server.address}api/v1/runs", params={"limit": 100}, timeout=PATIENCE_S)
    return {row["id"]: row["outcome"] for row in answer.json()["rows"]}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--listen", "0.0.0.0"], "--listen 0.0.0.0: needs --certificate"),
        (["--listen", "0.0.0.0", "--password-file", "secret"], "needs --certificate, so that no secret"),
        (["--listen", "0.0.0.0", "--certificate", "none.pem"], "--certificate none.pem: cannot be used"),
        (["--key", "a.key"], "--key: needs --certificate"),
        (["--password-file", "secret"], "--password-file: needs --listen"),
        (["--read-only", "--allow-runs"], "--read-only: conflicts with --allow-runs"),
        (["--runs-dir", "file"], "--runs-dir file: is a file"),
        (["--jobs-dir", "file"], "--jobs-dir file: is a file"),
        (["--port", "70000"], "--port"),
        (["--plan", "none.yaml"], "none.yaml"),
        (["--inventory", "none.yaml"], "none.yaml"),
        (["--conf", "none"], "none"),
        (["--calibration", "none.json"], "none.json"),
        (["--export", "holds"], "--export holds: contains files that are not part of an export"),
    ],
)
def test_what_makes_no_sense_is_refused_with_one_message(
    arguments: list[str], said: str, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("a password that is long\n")
    (tmp_path / "file").touch()
    (tmp_path / "holds").mkdir()
    (tmp_path / "holds" / "something").touch()
    before = tree(tmp_path)
    done = howdah("serve", *arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert done.stderr.startswith("error: ") or "Usage" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert tree(tmp_path) == before


@pytest.mark.parametrize(
    ("content", "mode", "said"),
    [
        ("a password that is long\n", 0o644, "is readable by other users"),
        ("short\n", 0o600, "has a password of 5 characters"),
        (None, 0o600, "cannot be read"),
    ],
)
def test_a_password_that_is_no_secret_is_refused(
    content: str | None, mode: int, said: str, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    if content is not None:
        secret.write_text(content)
        secret.chmod(mode)
    pem = str(certificate(tmp_path))
    done = howdah(
        "serve", "--listen", "127.0.0.2", "--certificate", pem, "--password-file", "secret", cwd=tmp_path
    )
    assert done.returncode == 2
    assert f"--password-file secret: {said}" in done.stderr
    assert "a password" not in done.stderr.replace("has a password", "")


def test_a_port_that_is_taken_is_one_message(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = howdah("serve", "--port", port, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: --port {port}: is used by another program\n")
    assert "--port 0" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_terminal_is_shown_the_token_where_no_browser_sends_it(tmp_path: Path) -> None:
    own, terminal = pty.openpty()
    process = subprocess.Popen(
        [HOWDAH, "serve", "--port", "0"],
        cwd=tmp_path,
        env=environment() | {"XDG_CACHE_HOME": str(tmp_path / "cache"), "COLUMNS": "200"},
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=terminal,
    )
    try:
        os.close(terminal)
        said = b""
        while b"Ctrl-C" not in said:
            said += os.read(own, 4096)
        found = re.search(r"serve +(http://127\.0\.0\.1:\d+/)#token=([\w-]+)", said.decode())
        assert found is not None, said
        (kept,) = (tmp_path / "cache").rglob("token-*")
        assert kept.read_text().strip() == found[2]
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.wait()
        os.close(own)


def test_only_this_machine_reaches_it_unless_it_is_told_otherwise(tmp_path: Path) -> None:
    with started(tmp_path) as server:
        asked = urlsplit(server.address)
        assert asked.hostname == "127.0.0.1"
        wanted = f"{asked.port:04X}"
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        rows += [line.split() for line in Path("/proc/net/tcp6").read_text().splitlines()[1:]]
        listening = {row[1] for row in rows if row[3] == "0A" and row[1].endswith(f":{wanted}")}
        assert listening == {f"0100007F:{wanted}"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_cleanly_while_somebody_listens(number: signal.Signals, tmp_path: Path) -> None:
    write_run(tmp_path / "runs", records.pi())
    with started(tmp_path) as server, httpx.Client(timeout=PATIENCE_S) as client:
        with client.stream("GET", f"{server.address}api/v1/events", timeout=PATIENCE_S) as events:
            arriving = events.iter_bytes()
            assert next(arriving)
            (token,) = (tmp_path / "cache").rglob("token-*")
            assert token.stat().st_mode & 0o777 == 0o600
            server.process.send_signal(number)
            # Whoever listens is told the end, and not left hanging.
            assert list(arriving) == []
        _, complaint = server.process.communicate(timeout=PATIENCE_S)
        assert (server.process.returncode, complaint) == (0, "")
        assert not token.exists()


def test_a_server_that_was_killed_starts_again_clean(tmp_path: Path) -> None:
    names = {write_run(tmp_path / "runs", data).name for data in (records.pi(), records.failed())}
    with started(tmp_path) as first:
        wait_until(lambda: set(listed(first)) == names, "both runs are listed")
        port = str(urlsplit(first.address).port)
        first.process.kill()
        first.process.wait()
        old = first.token
    # Its index may have been cut off anywhere: it is made anew.
    (index,) = (tmp_path / "cache").rglob("runs.sqlite")
    index.write_bytes(index.read_bytes()[:1000])
    with started(tmp_path, "--port", port) as second:
        wait_until(lambda: set(listed(second)) == names, "both runs are listed again")
        assert second.token != old
        answer = httpx.post(
            f"{second.address}api/v1/runs/x/stop", headers={"X-Howdah-Token": old}, timeout=PATIENCE_S
        )
        assert answer.status_code == 403
        second.process.terminate()
        assert second.process.communicate(timeout=PATIENCE_S)[1] == ""


def test_runs_that_appear_grow_and_go_are_shown(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    data = records.terasuite()
    with started(tmp_path) as server:
        # There was no directory at all.
        assert listed(server) == {}
        with RunWriter(runs, as_begun(data.record)) as writer:
            wait_until(lambda: listed(server) == {data.record.id: "running"}, "a run appears")
            writer.finish(data.record)
        wait_until(lambda: listed(server) == {data.record.id: "succeeded"}, "the run has ended")
        killed = write_killed_run(runs, records.pi()).name
        wait_until(lambda: listed(server).get(killed) == "aborted", "a run that was killed appears")
        (runs / killed / "run.json").write_text("{")
        wait_until(lambda: listed(server).get(killed) == "unreadable", "its record is damaged")
        shutil.rmtree(runs / killed)
        wait_until(lambda: killed not in listed(server), "it is removed")
        shutil.rmtree(runs)
        wait_until(lambda: listed(server) == {}, "the directory is removed")


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> WholeSite:
    """One of everything, written once."""
    return whole_site(tmp_path_factory.mktemp("whole"))


@pytest.fixture(scope="module")
def exported(everything: WholeSite) -> Path:
    """The folder of an export of everything."""
    done = howdah("serve", *everything.arguments, "--export", "public", cwd=everything.folder)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"export  public/index\.html and \d+ pages more\n", done.stdout)
    return everything.folder / "public"


@pytest.mark.exam("pages")
def test_an_export_has_every_page_and_every_link_leads_somewhere(
    exported: Path, everything: WholeSite
) -> None:
    pages = {path.relative_to(exported) for path in exported.rglob("index.html")}
    left_out = ("nothing", "runs, filtered", "comparison")
    for name, address in everything.addresses().items():
        assert name in left_out or Path(address) / "index.html" in pages, name
    for page in pages:
        here = f"http://site/{page.parent.as_posix()}/" if page.parent.name else "http://site/"
        for link in LINK.findall((exported / page).read_text()):
            if link.startswith(("http", "data:", "mailto:")):
                continue
            path = urlsplit(urljoin(here, link)).path.lstrip("/")
            place = exported / path / "index.html" if path.endswith("/") or not path else exported / path
            assert place.is_file(), f"{page}: {link}"


@pytest.mark.exam("pages")
def test_an_export_names_no_place_of_this_machine(exported: Path, everything: WholeSite) -> None:
    for page in exported.rglob("*.html"):
        text = page.read_text()
        assert str(everything.folder) not in text, page
        assert "X-Howdah-Token" not in text


def test_an_export_replaces_an_earlier_one(tmp_path: Path) -> None:
    run = write_run(tmp_path / "runs", records.pi())
    assert howdah("serve", "--export", "public", cwd=tmp_path).returncode == 0
    assert (tmp_path / "public" / "runs" / run.name / "index.html").is_file()
    shutil.rmtree(run)
    assert howdah("serve", "--export", "public", cwd=tmp_path).returncode == 0
    assert not (tmp_path / "public" / "runs").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"public", "runs"}


@pytest.mark.exam("pages")
def test_an_export_that_cannot_be_finished_leaves_the_old_one(exported: Path, everything: WholeSite) -> None:
    before = tree(exported)
    conf = str(CONF.with_name("none"))
    done = howdah("serve", "--conf", conf, "--export", "public", cwd=everything.folder)
    assert done.returncode == 2
    assert tree(exported) == before
    assert not list(everything.folder.glob(".new-*")) + list(everything.folder.glob(".old-*"))
