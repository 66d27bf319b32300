"""Who may read, compute and change: on this machine and from elsewhere."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from howdah.serve.security import MOST_BODY_BYTES, Keys
from support import records
from support.served import FROM_PAGE, HOSTILE, TOKEN, WITH_TOKEN, ServedClient, client_of
from support.stored import write_run

SAID = {"tags": ["good"], "note": "fine"}


@pytest.fixture
def run(tmp_path: Path) -> str:
    return write_run(tmp_path / "runs", records.pi()).name


def annotate(client: ServedClient, run: str, headers: dict[str, str]) -> int:
    return client.put(f"/api/v1/runs/{run}/annotation", json=SAID, headers=headers).status_code


def test_reading_is_free_here_and_changing_needs_the_token(tmp_path: Path, run: str) -> None:
    with client_of(tmp_path) as client:
        assert client.get("/").status_code == 200
        assert client.get(f"/api/v1/runs/{run}").status_code == 200
        for headers in ({}, FROM_PAGE, {"X-Howdah-Token": "wrong"}, {"Cookie": f"howdah={TOKEN}"}):
            assert annotate(client, run, headers) == 403
        assert client.put(f"/api/v1/runs/{run}/annotation?token={TOKEN}", json=SAID).status_code == 403
        assert not (tmp_path / "runs" / run / "notes.json").exists()
        assert annotate(client, run, WITH_TOKEN) == 200
        assert client.get("/api/v1/runs?tag=good").json()["found"] == 1


def test_a_page_of_another_site_can_do_nothing(tmp_path: Path, run: str) -> None:
    with client_of(tmp_path) as client:
        elsewhere = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
        assert annotate(client, run, {**WITH_TOKEN, **elsewhere}) == 403
        # Without the header that only a page of this server can send, nothing is computed either.
        assert client.post("/api/v1/inventory/check", json={"inventory": ""}).status_code == 403
        answer = client.request("OPTIONS", "/api/v1/plan", headers={"Origin": "https://evil.example"})
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_a_foreign_name_of_this_address_is_refused(tmp_path: Path, run: str) -> None:
    with client_of(tmp_path) as client:
        assert client.get("/", headers={"Host": "evil.example"}).status_code == 421
        assert client.get("/", headers={"Host": "127.0.0.1.evil.example:8642"}).status_code == 421
        for host in ("localhost:8642", "127.0.0.1", "[::1]:8642"):
            assert client.get("/", headers={"Host": host}).status_code == 200


def test_read_only_means_read_only(tmp_path: Path, run: str) -> None:
    with client_of(tmp_path, read_only=True) as client:
        assert annotate(client, run, WITH_TOKEN) == 403
        assert client.post(f"/api/v1/runs/{run}/stop", headers=WITH_TOKEN).status_code == 403
        assert client.post("/api/v1/starts", json={}, headers=WITH_TOKEN).status_code == 403
        page = client.get(f"/runs/{run}/").text
        assert "annotate" not in page
    assert {path.name for path in tmp_path.iterdir()} == {"runs"}


def test_starting_runs_is_not_even_there_unless_it_is_allowed(tmp_path: Path, run: str) -> None:
    with client_of(tmp_path) as client:
        assert client.get("/start/").status_code == 404
        asked = {"engine": "local", "suite": "pi"}
        assert client.post("/api/v1/starts", json=asked, headers=WITH_TOKEN).status_code == 404


@pytest.mark.parametrize("secret", [TOKEN, "a password that is long"])
def test_from_elsewhere_one_signs_in_first(tmp_path: Path, run: str, secret: str) -> None:
    with client_of(tmp_path, host="0.0.0.0", password="a password that is long") as client:
        answer = client.get(f"/runs/{run}/", follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, f"/sign-in/?then=/runs/{run}/")
        assert client.get("/api/v1/runs").status_code == 401
        assert client.get("/api/v1/events").status_code == 401
        assert client.get("/sign-in/").status_code == 200
        assert client.post("/api/v1/session", json={"secret": "wrong"}).status_code == 401
        opened = client.post("/api/v1/session", json={"secret": secret})
        assert opened.json() == {"token": TOKEN}
        cookie = opened.headers["set-cookie"]
        for word in ("HttpOnly", "Secure", "SameSite=strict"):
            assert word in cookie
        assert TOKEN not in cookie
        assert client.get(f"/runs/{run}/").status_code == 200
        # A cookie reads; a page of this very server changes things with it, and nobody else's does.
        assert annotate(client, run, {}) == 403
        elsewhere = {**FROM_PAGE, "Sec-Fetch-Site": "cross-site"}
        assert annotate(client, run, elsewhere) == 403
        assert annotate(client, run, {**FROM_PAGE, "Sec-Fetch-Site": "same-site"}) == 403
        assert annotate(client, run, {**FROM_PAGE, "Sec-Fetch-Site": "same-origin"}) == 200
        assert annotate(client, run, WITH_TOKEN) == 200
        assert client.get("/").headers["strict-transport-security"]


def test_a_cookie_opens_nothing_on_this_machine(tmp_path: Path, run: str) -> None:
    keys = Keys(token=TOKEN)
    with client_of(tmp_path) as client:
        opened = client.post("/api/v1/session", json={"secret": TOKEN})
        assert "set-cookie" not in opened.headers
        assert annotate(client, run, {**FROM_PAGE, "Cookie": f"howdah={keys.cookie}"}) == 403


def test_without_a_password_no_password_opens() -> None:
    assert not Keys(token=TOKEN).by_password


def test_every_answer_forbids_to_reach_out(tmp_path: Path, run: str) -> None:
    with client_of(tmp_path) as client:
        for address in (
            "/",
            f"/runs/{run}/",
            "/api/v1/runs",
            "/nothing/",
            "/plan/",
            "/studies/",
            "/predictions/",
        ):
            headers = client.get(address, headers={"Accept": "text/html"}).headers
            assert "default-src 'none'" in headers["content-security-policy"], address
            assert "script-src 'self';" in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"


def test_a_request_that_is_too_large_is_refused(tmp_path: Path, run: str) -> None:
    with client_of(tmp_path) as client:
        long = "x" * (MOST_BODY_BYTES + 1)
        answer = client.post("/api/v1/inventory/check", json={"inventory": long}, headers=FROM_PAGE)
        assert answer.status_code == 413

        async def unannounced() -> AsyncIterator[bytes]:
            for _ in range(20):
                yield b"x" * 100_000

        answer = client.post(
            "/api/v1/inventory/check",
            content=unannounced(),
            headers={**FROM_PAGE, "Content-Type": "application/json"},
        )
        assert answer.status_code == 413
        words = {"tags": [], "note": "x" * 30_000}
        answer = client.put(f"/api/v1/runs/{run}/annotation", json=words, headers=WITH_TOKEN)
        assert answer.status_code == 409


@pytest.mark.parametrize(
    "address",
    [
        "/runs/..%2f..%2fetc/", "/runs/%2e%2e/", "/runs/.%00/", "/runs/a%0ab/", "/api/v1/runs/..%2Frun.json",
        "/studies/../runs/", "/predictions/..%2f/", "/plans/file-9/", "/plans/file-0/", "/plans/file--1/",
        "/assets/..%2f..%2fpyproject.toml", "/compare/..,../", "/compare/%2fetc,%2fusr/",
    ],
)  # fmt: skip
def test_no_address_leaves_its_folder(address: str, tmp_path: Path, run: str) -> None:
    with client_of(tmp_path) as client:
        assert client.get(address).status_code in (404, 409)


def test_a_note_is_text(tmp_path: Path, run: str) -> None:
    with client_of(tmp_path) as client:
        said = {"tags": ["a<b>"], "note": HOSTILE}
        assert client.put(f"/api/v1/runs/{run}/annotation", json=said, headers=WITH_TOKEN).status_code == 200
        for address in ("/", f"/runs/{run}/"):
            page = client.get(address, headers={"Accept": "text/html"}).text
            assert "<script>window" not in page
            assert "<img src=x" not in page


def test_a_tag_is_one_word(tmp_path: Path, run: str) -> None:
    with client_of(tmp_path) as client:
        for tag in ("two words", "", "x" * 65, "a,b", "a\nb"):
            answer = client.put(
                f"/api/v1/runs/{run}/annotation", json={"tags": [tag], "note": ""}, headers=WITH_TOKEN
            )
            assert answer.status_code == 409
