"""A release from PyPI: what an index serves is unpacked if it is the released file, and refused otherwise."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from howdah.errors import HowdahError
from howdah.installation import fetch
from howdah.installation.digests import Fetchable

SPARK = Fetchable("spark", "1.0")
FILE = "pyspark-1.0.tar.gz"


def packed(names: dict[str, bytes]) -> bytes:
    """A source distribution with these files."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tree:
        for name, content in names.items():
            member = tarfile.TarInfo(f"pyspark-1.0/{name}")
            member.size = len(content)
            tree.addfile(member, io.BytesIO(content))
    return made.getvalue()


CONTENT = packed(
    {
        "deps/jars/a.jar": b"a" * 3000,
        "deps/jars/b.jar": b"b",
        "deps/jars/connect-repl/c.jar": b"c",
        "deps/jars/notes.txt": b"no jar",
        "pyspark/x.jar": b"x",
    }
)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, bytes]]:
    """An index; what it serves may be changed."""
    files = {FILE: CONTENT}

    class Index(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.rpartition("/")[2]
            if self.path == "/simple/pyspark/":
                listed = [{"filename": each, "url": f"../../files/{each}"} for each in files]
                body = json.dumps({"files": listed}).encode()
            elif self.path.startswith("/files/") and name in files:
                body = files[name]
            else:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class has it
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Index)
    Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/simple")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    digest = hashlib.sha256(CONTENT).hexdigest()
    monkeypatch.setattr(fetch, "_PACKAGES", {("spark", "1.0"): ("pyspark", digest)})
    yield files
    server.shutdown()
    server.server_close()


def test_the_jars_of_the_released_package_are_unpacked(served: dict[str, bytes], tmp_path: Path) -> None:
    arrived: list[float] = []
    fetch.unpack_package(SPARK, tmp_path / "lib", arrived.append)
    assert {jar.name: jar.stat().st_size for jar in (tmp_path / "lib").iterdir()} == {
        "a.jar": 3000,
        "b.jar": 1,
    }
    assert arrived[-1] == 1.0
    assert [path.name for path in tmp_path.iterdir()] == ["lib"]


def test_another_file_of_the_name_is_refused(served: dict[str, bytes], tmp_path: Path) -> None:
    served[FILE] = packed({"deps/jars/a.jar": b"evil"})
    with pytest.raises(HowdahError, match=r"pyspark-1\.0\.tar\.gz of .* differs from the released file"):
        fetch.unpack_package(SPARK, tmp_path / "lib", lambda part: None)
    assert not (tmp_path / "lib").exists()


def test_an_index_without_the_release(served: dict[str, bytes], tmp_path: Path) -> None:
    del served[FILE]
    with pytest.raises(HowdahError, match=r"lists no pyspark-1\.0\.tar\.gz") as error:
        fetch.unpack_package(SPARK, tmp_path / "lib", lambda part: None)
    assert "PIP_INDEX_URL" in str(error.value.hint)
    assert "SPARK_HOME" in str(error.value.hint)


def test_no_index(tmp_path: Path, served: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    with pytest.raises(HowdahError, match="cannot be fetched from http://127"):
        fetch.unpack_package(SPARK, tmp_path / "lib", lambda part: None)
