"""Whatever is wrong with a request, it is refused: where, what and hint, brief, and never a traceback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support import records
from support.served import FROM_PAGE, TOKEN, WITH_TOKEN, ServedClient, client_of
from support.stored import write_run

PARTS = ("where", "what", "hint")
LONGEST = 2000
"""Characters of a refusal, whatever was sent."""
HEADERS = {**FROM_PAGE, **WITH_TOKEN, "Content-Type": "application/json"}
HOSTILE = (
    "NaN", "Infinity", "-Infinity", "1e400", "-1e400", "9" * 5000, "1" + "0" * 400 + ".5", "1e-400",
    r'"\ud800"', r'"\udfff\ud800"', r'"\u0000"', '"a\tb"', '"' + "x" * 300_000 + '"', '"' + "\\" * 9 + '"',
    "[" * 20_000, "{" * 20_000, '{"a":' * 500 + "1" + "}" * 500, "null", "true", "", "{}", "[]", "'", "\x00",
    '"howdah: 1\\ngroups:\\n  - {x: \\"\\\\ud800\\"}"', '"\\ufeff\\ufffe\\uffff"', '"@/etc/passwd"', '"-1"',
    '"terasuite:1e400TB"', '"terasuite:NaN"', '"terasuite:-1TB"', '"1e400"', "-1", "1e308", "0.1",
)  # fmt: skip
"""Pieces of JSON, and of what is none."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wrong")
    write_run(folder / "runs", records.pi())
    return folder


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[ServedClient]:
    with client_of(folder, allow_runs=True, calibration="published") as client:
        yield client


@pytest.fixture(scope="module")
def operations(client: ServedClient) -> list[tuple[str, str, dict[str, Any]]]:
    """Every method, path and description of the API."""
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    return [(method.upper(), path, one) for path, each in paths.items() for method, one in each.items()]


def check_refused(answer: httpx.Response, asked: str) -> None:
    """Fail unless an answer is a success or a refusal with its three parts."""
    if answer.status_code < 400:
        return
    assert answer.status_code < 500, f"{asked}: {answer.status_code} {answer.text[:200]}"
    assert tuple(answer.json()) == PARTS, f"{asked}: {answer.text[:200]}"
    assert answer.json()["what"], asked
    assert len(answer.text) < LONGEST, asked


def properties(client: ServedClient, operation: dict[str, Any]) -> list[str]:
    """The keys that the body of a request has."""
    content = operation["requestBody"]["content"]["application/json"]["schema"]
    name = content["$ref"].rpartition("/")[2]
    schemas = client.get("/api/v1/openapi.json").json()["components"]["schemas"]
    return list(schemas[name]["properties"])


def bodies(keys: list[str]) -> st.SearchStrategy[str]:
    """Texts that begin as JSON of the right keys does, or as any, and go wrong somewhere."""
    value = st.one_of(
        st.sampled_from(HOSTILE),
        st.recursive(
            st.sampled_from(HOSTILE),
            lambda inner: st.one_of(
                st.lists(inner, max_size=3).map(lambda parts: f"[{','.join(parts)}]"),
                inner.map(lambda part: f'{{"hosts":{part}}}'),
                inner.map(lambda part: f'{{"\\ud800":{part}}}'),
            ),
            max_leaves=4,
        ),
        st.text(max_size=20).map(json.dumps),
        st.integers().map(str),
        st.floats(allow_nan=True).map(str),
    )
    named = st.dictionaries(st.sampled_from(keys), value, min_size=1)
    return st.one_of(
        value,
        named.map(lambda pairs: "{" + ",".join(f'"{key}":{part}' for key, part in pairs.items()) + "}"),
    )


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_body_is_answered_with_a_defect(
    data: st.DataObject, client: ServedClient, operations: list[tuple[str, str, dict[str, Any]]]
) -> None:
    for method, path, operation in operations:
        if "requestBody" in operation:
            body = data.draw(bodies(properties(client, operation)), label=path)
            address = path.replace("{name}", records.pi().record.id)
            answer = client.request(method, address, content=body.encode(), headers=HEADERS)
            check_refused(answer, f"{path} {body[:80]}")


@pytest.mark.parametrize(
    "body", [*HOSTILE, b"\xff\xfe\x00", b"\xef\xbb\xbf{}"], ids=lambda body: repr(body[:20])
)
def test_signing_in_is_answered_with_a_refusal_from_elsewhere(body: str | bytes, tmp_path: Path) -> None:
    with client_of(tmp_path, host="0.0.0.0") as client:
        content = body.encode() if isinstance(body, str) else body
        for sent in (content, b'{"secret":' + content + b"}"):
            if sent.startswith(b'{"secret":"') and b"\\ud" not in sent:
                continue  # that is a wrong secret, which is answered a second later
            answer = client.post("/api/v1/session", content=sent, headers=HEADERS)
            assert answer.status_code >= 400
            check_refused(answer, repr(sent[:80]))


@pytest.mark.parametrize(
    "hostile",
    ["%ed%a0%80", "%00", "%ff", "x" * 5_000, "1e400", "NaN", "-1", "a,b", "%2e%2e%2f", "%F0%9F%98%80"],
    ids=lambda hostile: hostile[:20],
)
def test_no_address_is_answered_with_a_defect(
    hostile: str, client: ServedClient, operations: list[tuple[str, str, dict[str, Any]]]
) -> None:
    for method, path, operation in operations:
        queries = [one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"]
        address = path.replace("{name}", hostile).replace("{run}", hostile).replace("{key}", hostile)
        address = address.replace("{number}", hostile)
        if "{" not in path and not queries:
            continue
        sent = f"{address}?{'&'.join(f'{name}={hostile}' for name in queries)}"
        if path.endswith("/events") and "{" not in path:
            continue
        check_refused(client.request(method, sent, headers=HEADERS), f"{method} {sent[:80]}")


def test_a_fault_is_told_at_its_place_and_what_was_sent_is_not_repeated(client: ServedClient) -> None:
    long = "y" * 100_000
    answer = client.post("/api/v1/plan", json={"inventory": "a", "years": long}, headers=HEADERS)
    assert (answer.status_code, answer.json()["where"]) == (422, "years")
    assert "is not a whole number" in answer.json()["what"]
    assert len(answer.text) < 300
    answer = client.post("/api/v1/plan", content=b'{"inventory": "\\ud800"}', headers=HEADERS)
    assert (answer.status_code, answer.json()["where"]) == (400, "body")
    answer = client.post("/api/v1/inventory/check", json={"inventory": f"{long}: 1\n"}, headers=HEADERS)
    assert answer.status_code == 200
    assert len(answer.text) < 5000
    answer = client.get("/?order=sideways", headers={"Accept": "text/html"})
    assert answer.status_code == 422
    assert "<html" in answer.text
    assert "order" in answer.text


def test_a_method_that_is_not_there_is_refused_with_those_that_are(client: ServedClient) -> None:
    answer = client.request("DELETE", "/api/v1/runs", headers=HEADERS)
    assert answer.status_code == 405
    assert tuple(answer.json()) == PARTS
    assert answer.headers["allow"] in answer.json()["hint"]
    assert client.get("/api/v1/nothing").json()["what"]


def test_head_is_get_without_its_body(client: ServedClient) -> None:
    run = records.pi().record.id
    for path in (
        "/",
        f"/runs/{run}/",
        "/api/v1/runs",
        f"/api/v1/runs/{run}",
        "/api/v1/openapi.json",
        "/none",
    ):
        head, get = client.request("HEAD", path), client.get(path)
        assert head.status_code == get.status_code, path
        assert head.headers["content-type"] == get.headers["content-type"]
        assert head.content == b""


def test_what_a_request_must_carry_is_what_the_guard_wants(
    folder: Path, operations: list[tuple[str, str, dict[str, Any]]]
) -> None:
    ways = {"token": WITH_TOKEN, "page": FROM_PAGE}
    with client_of(folder, allow_runs=True) as client:
        for method, path, operation in operations:
            if path.endswith("events"):
                continue
            address = path.replace("{name}", "none").replace("{key}", "none").replace("{number}", "0")
            for carried in ({}, FROM_PAGE, WITH_TOKEN):
                answer = client.request(method, address.replace("{run}", "none"), headers=carried)
                enough = not operation["security"] or any(
                    all(set(ways[name]) <= set(carried) for name in way) for way in operation["security"]
                )
                assert (answer.status_code != 403) == enough, f"{method} {path} with {carried}"
    with client_of(folder, allow_runs=True, host="0.0.0.0") as client:
        client.post("/api/v1/session", json={"secret": TOKEN})
        document = client.get("/api/v1/openapi.json").json()
        assert document["paths"]["/api/v1/runs"]["get"]["security"] == [{"signed-in": []}, {"token": []}]
        assert set(document["components"]["securitySchemes"]) == {"signed-in", "token", "page"}
    for _, path, operation in operations:
        refused = operation["responses"]["422"]["content"]["application/json"]["schema"]["$ref"]
        assert refused.endswith("/Declined"), path
