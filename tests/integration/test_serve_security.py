"""A real server under attack: paths, links, sizes, numbers, and its token."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from howdah.serve.security import MOST_BODY_BYTES, PAGE_HEADER, TOKEN_HEADER
from support import records
from support.patience import PATIENCE_S
from support.served import Started, certificate, started
from support.stored import write_run

SECRET = "this is outside of the runs directory"
PASSWORD = "a password that is long enough"
INVENTORY = (Path(__file__).parents[2] / "examples" / "hosts-32.yaml").read_text()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of which some lead elsewhere, beside what nobody is to see."""
    folder = tmp_path_factory.mktemp("security")
    (folder / "secret").mkdir()
    (folder / "secret" / "run.json").write_text(SECRET)
    (folder / "secret.txt").write_text(SECRET)
    runs = folder / "runs"
    write_run(runs, records.pi())
    (runs / "link").symlink_to(folder / "secret")
    for name, file in (("linked-record", "run.json"), ("linked-note", "notes.json")):
        data = records.pi()
        run = write_run(runs, data._replace(record=data.record.model_copy(update={"id": name})))
        (run / file).unlink(missing_ok=True)
        (run / file).symlink_to(folder / "secret.txt")
    data = records.pi()
    run = write_run(runs, data._replace(record=data.record.model_copy(update={"id": "linked-log"})))
    (run / "logs" / "howdah.log").unlink()
    (run / "logs" / "howdah.log").symlink_to(folder / "secret.txt")
    for odd in ("with space", "ünïcode", "quote'\"<b>", "-dash", "a\nline", "%2e%2e"):
        (runs / odd).mkdir()
        (runs / odd / "run.json").write_text(SECRET)
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Started]:
    with started(folder) as one:
        yield one


def raw(server: Started, path: str) -> bytes:
    """The answer to a GET of a path that no client would send so; nothing where it is not even read."""
    asked = urlsplit(server.address)
    with socket.create_connection((asked.hostname, asked.port), timeout=PATIENCE_S) as connection:
        head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nConnection: close\r\n\r\n"
        connection.sendall(head.encode())
        answer = b""
        with suppress(ConnectionResetError):
            while part := connection.recv(65536):
                answer += part
    return answer


@pytest.mark.parametrize(
    "path",
    [
        "/runs/../secret.txt", "/runs/../../secret.txt", "/runs/..%2f..%2fsecret.txt/",
        "/runs/....//secret.txt", "/runs/%2e%2e/secret/", "/runs/..\\secret.txt/", "/runs/secret.txt%00/",
        "//etc/passwd",
        "/assets/../../../../etc/passwd", "/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "/runs/link/",
        "/runs/linked-record/", "/runs/linked-log/", "/runs/linked-note/", "/api/v1/runs/link",
        "/api/v1/runs/linked-record", "/api/v1/runs/linked-log/events", "/compare/link,linked-record/",
        "/runs/link/figures/cpu.svg", "/runs/with%20space/", "/runs/%C3%BCn%C3%AFcode/", "/runs/a%0Aline/",
        "/runs/quote'%22%3Cb%3E/", "/runs/%252e%252e/", "/runs/-dash/", "/studies/../secret/",
        "/studies/..%2Fruns/", "/predictions/..%2fsecret/", "/plans/..%2f..%2fsecret.txt/",
    ],
)  # fmt: skip
def test_no_path_and_no_link_leads_out_of_the_folder(path: str, server: Started) -> None:
    answer = raw(server, path)
    status = int(answer.split(b" ", 2)[1])
    assert status in (400, 404, 409), answer[:300]
    assert SECRET.encode() not in answer
    assert b"root:" not in answer


def test_the_list_shows_no_odd_name_and_of_a_link_only_that_it_is_one(server: Started) -> None:
    known = {
        row["id"]: row for row in httpx.get(f"{server.address}api/v1/runs", timeout=PATIENCE_S).json()["rows"]
    }
    assert set(known) == {records.pi().record.id, "linked-record", "linked-note", "linked-log"}
    linked = [row for name, row in known.items() if name.startswith("linked")]
    assert {row["outcome"] for row in linked} == {"unreadable"}
    assert SECRET not in json.dumps(known)


def test_what_is_too_large_is_refused_and_the_server_goes_on(server: Started) -> None:
    address = f"{server.address}api/v1/inventory/check"
    headers = {PAGE_HEADER: "1", "Content-Type": "application/json"}

    def endless() -> Iterator[bytes]:
        yield b'{"inventory": "'
        for _ in range(2 * MOST_BODY_BYTES // 65536):
            yield b"x" * 65536

    long = json.dumps({"inventory": "x" * MOST_BODY_BYTES})
    assert httpx.post(address, content=long, headers=headers, timeout=PATIENCE_S).status_code == 413
    assert httpx.post(address, content=endless(), headers=headers, timeout=PATIENCE_S).status_code == 413
    assert raw(server, "/" + "x" * 200_000)[:13] in (b"", b"HTTP/1.1 400 ")
    deep = "[" * 50_000
    assert httpx.post(address, content=deep, headers=headers, timeout=PATIENCE_S).status_code in (400, 422)
    # YAML that names itself over and over would fill the memory.
    laughs = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{after}: &{after} [{', '.join([f'*{before}'] * 9)}]\n"
        for before, after in zip("abcdefgh", "bcdefghi", strict=True)
    )
    answer = httpx.post(address, json={"inventory": laughs}, headers={PAGE_HEADER: "1"}, timeout=PATIENCE_S)
    assert answer.status_code == 200
    assert answer.json()
    assert httpx.get(server.address, timeout=PATIENCE_S).status_code == 200


def test_so_many_simulations_at_once_and_no_more(server: Started) -> None:
    asked = {"inventory": INVENTORY, "workload": "terasuite:30TB", "replications": 5}

    async def crowd() -> tuple[Counter[int], int]:
        async with httpx.AsyncClient(base_url=server.address, timeout=None) as client:
            many = [
                asyncio.create_task(
                    client.post(
                        "api/v1/what-if", json={**asked, "page": f"page-{number}"}, headers={PAGE_HEADER: "1"}
                    )
                )
                for number in range(24)
            ]
            while not any(one.done() for one in many):
                await asyncio.sleep(0.05)
            # Pages are read while the simulator is busy.
            page = await client.get("")
            refused = Counter(one.result().status_code for one in many if one.done())
            for one in many:
                one.cancel()
            await asyncio.gather(*many, return_exceptions=True)
        return refused, page.status_code

    refused, page = asyncio.run(crowd())
    assert refused[503] > 0
    assert set(refused) <= {200, 503}
    assert page == 200


def test_from_elsewhere_only_with_tls_and_the_token_which_is_in_no_log(tmp_path: Path) -> None:
    run = write_run(tmp_path / "runs", records.pi()).name
    secret = tmp_path / "secret"
    secret.write_text(f"{PASSWORD}\n")
    secret.chmod(0o600)
    pem = certificate(tmp_path)
    listen = ("--listen", "127.0.0.2", "--certificate", str(pem), "--password-file", "secret")
    said = {"tags": ["good"], "note": "fine"}
    with started(tmp_path, *listen) as server:
        assert server.address.startswith("https://127.0.0.2:")
        trusted = ssl.create_default_context(cafile=pem)
        with httpx.Client(base_url=server.address, verify=trusted, timeout=PATIENCE_S) as client:
            answer = client.get(f"runs/{run}/")
            assert answer.status_code == 303
            assert client.get("api/v1/runs").status_code == 401
            assert client.get("api/v1/openapi.json").status_code == 401
            note = f"api/v1/runs/{run}/annotation"
            assert client.put(note, json=said).status_code == 401
            assert client.get(f"runs/{run}/?token={server.token}").status_code == 303
            assert client.post("api/v1/session", json={"secret": "wrong"}).status_code == 401
            opened = client.post("api/v1/session", json={"secret": PASSWORD})
            assert opened.json() == {"token": server.token}
            assert client.get(f"runs/{run}/").status_code == 200
            # The cookie reads, the header changes.
            assert client.put(note, json=said).status_code == 403
            assert client.put(note, json=said, headers={TOKEN_HEADER: server.token}).status_code == 200
            assert client.get("").headers["strict-transport-security"]
        with pytest.raises(httpx.HTTPError):
            httpx.get(server.address.replace("https", "http"))
        server.process.terminate()
        told = "".join(server.process.communicate(timeout=PATIENCE_S))
        kept = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert kept
        for path in kept:
            content = path.read_bytes()
            assert server.token.encode() not in content, path
            assert path == secret or PASSWORD.encode() not in content, path
        assert server.token not in told
        assert PASSWORD not in told
