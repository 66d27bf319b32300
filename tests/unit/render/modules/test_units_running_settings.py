"""What a running daemon shows of its settings, compared with what its files give it."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from howdah.render.modules import howdah_conf
from howdah.render.modules.units import changed_settings, differences, page_of

SITE = "hdfs-site.xml"


@contextmanager
def page(shown: Mapping[str, tuple[str, str]], status: int = 200) -> Iterator[int]:
    """A daemon's page with these values and their sources; its port."""
    entries = "".join(
        f"<property><name>{key}</name><value>{value}</value><final>false</final><source>{source}</source></property>"
        for key, (value, source) in shown.items()
    )

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(f"<configuration>{entries}</configuration>".encode())

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


def _daemon(port: int | None, **settings: str) -> dict[str, Any]:
    return {
        "name": "datanode",
        "unit": "hadoop-hdfs-datanode.service",
        "configuration": "abc",
        "page": {"port": port, "ask": "/jmx", "answers": ""},
        "expects": {SITE: {key.replace("_", "."): value for key, value in settings.items()}},
    }


def _differing(shown: Mapping[str, tuple[str, str]], **settings: str) -> list[dict[str, str]]:
    with page(shown) as port:
        daemon = _daemon(port, **settings)
        return differences(daemon, page_of("127.0.0.1", daemon))


def test_a_value_that_the_daemon_has_not_read_is_named_with_both() -> None:
    found = _differing({"dfs.a": ("1", SITE), "dfs.b": ("2", SITE)}, dfs_a="1", dfs_b="3")
    assert found == [{"key": "dfs.b", "planned": "3", "running": "2"}]


def test_a_key_that_it_still_has_from_the_release_is_one_it_has_not_read() -> None:
    found = _differing({"dfs.a": ("1", SITE), "dfs.b": ("0", "hdfs-default.xml")}, dfs_a="1", dfs_b="3")
    assert found == [{"key": "dfs.b", "planned": "3", "running": "0"}]


@pytest.mark.parametrize(
    "shown",
    [
        # Set by the daemon itself, hidden, with other blanks, a variable's value, and a file not loaded yet.
        {"dfs.a": ("h1:8020", "programmatically"), "dfs.z": ("1", SITE)},
        {"dfs.a": ("<redacted>".replace("<", "&lt;"), SITE)},
        {"dfs.a": (" ${x}/y\n ", SITE)},
        {"dfs.a": ("/tmp/y", SITE)},
        {"dfs.a": ("0", "hdfs-default.xml")},
    ],
)
def test_what_is_no_difference(shown: Mapping[str, tuple[str, str]]) -> None:
    assert _differing(shown, dfs_a="${x}/y") == []


def test_without_a_page_what_was_applied_before_tells() -> None:
    former, daemon = (
        _daemon(None, dfs_a="1", dfs_b="2", dfs_c="3"),
        _daemon(None, dfs_a="1", dfs_b="9", dfs_d="4"),
    )
    assert changed_settings("h1", daemon, former) == [
        {"key": "dfs.b", "planned": "9", "running": "2"},
        {"key": "dfs.c", "planned": "", "running": "3"},
        {"key": "dfs.d", "planned": "4", "running": ""},
    ]
    # A host of a former howdah.
    assert changed_settings("h1", daemon, {"name": "datanode"}) == []


def test_with_a_page_it_tells_and_former_files_only_of_what_is_planned_no_more() -> None:
    with page({"dfs.a": ("1", SITE), "dfs.c": ("3", SITE)}) as port:
        daemon = _daemon(port, dfs_a="1")
        assert changed_settings("127.0.0.1", daemon, _daemon(port, dfs_a="0", dfs_c="3")) == [
            {"key": "dfs.c", "planned": "", "running": "3"}
        ]
    with page({"dfs.a": ("1", SITE)}) as port:
        # It runs without that already.
        assert (
            changed_settings("127.0.0.1", _daemon(port, dfs_a="1"), _daemon(port, dfs_a="1", dfs_c="3")) == []
        )


def test_a_daemon_on_former_values_fails_the_deployment_by_its_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(howdah_conf, "show", lambda unit: {"ActiveState": "active"})
    with page({"dfs.a": ("1", SITE)}) as port:
        manifest = {"daemons": [_daemon(port, dfs_a="2")]}
        monkeypatch.setattr(howdah_conf, "applied", lambda: manifest)
        howdah_conf.main(json.dumps({"host": "127.0.0.1"}).encode())
    told = json.loads(capsys.readouterr().out)
    assert told["failed"]
    assert told["wrong"][0]["what"] == "datanode runs with dfs.a = 1, and 2 is planned"


def test_a_page_that_is_not_shown_is_noted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(howdah_conf, "show", lambda unit: {"ActiveState": "active"})
    with page({}, status=403) as port:
        manifest = {"daemons": [_daemon(port, dfs_a="2")]}
        monkeypatch.setattr(howdah_conf, "applied", lambda: manifest)
        howdah_conf.main(json.dumps({"host": "127.0.0.1"}).encode())
    told = json.loads(capsys.readouterr().out)
    assert not told.get("failed")
    assert told["notes"] == ["the settings of datanode were not compared: /conf answers 403"]
