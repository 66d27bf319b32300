"""Real Hadoop daemons, started from the released jars on a configuration, and what they answer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from xml.etree import ElementTree

from support.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
LIB = ROOT / "build/hadoop/3.5.0/lib"
HBASE_LIB = ROOT / "build/hbase/2.6.4/lib"
FETCH = "`make test` fetches them"

_PACKAGES = ("io", "lang", "math", "net", "text", "util", "util.concurrent", "util.zip")
# Hadoop's own start scripts open these on Java 17.
_OPENS = [
    *(f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in _PACKAGES),
    "--add-opens=java.base/sun.security.util=ALL-UNNAMED",
    "--add-opens=java.base/sun.security.x509=ALL-UNNAMED",
]
_SMALL = ["-Xmx192m", "-Xss512k"]
# The jars lack these folders, which the web servers look for even if they serve nothing.
_WEBAPPS = (
    *(f"webapps/{name}" for name in ("hdfs", "datanode", "secondary", "journal")),
    *(f"hbase-webapps/{name}" for name in ("master", "regionserver", "static")),
)

_LOGGING = """\
log4j.rootLogger=INFO,err
log4j.appender.err=org.apache.log4j.ConsoleAppender
log4j.appender.err.target=System.err
log4j.appender.err.layout=org.apache.log4j.PatternLayout
log4j.appender.err.layout.ConversionPattern=%d{ISO8601} %p %c: %m%n
"""

T = TypeVar("T")


class Daemons:
    """Daemons of one configuration; all are stopped, with whatever they started, when the block ends."""

    def __init__(self, conf: Path, logs: Path, *, lib: Path = LIB) -> None:
        self.conf = conf
        self.logs = logs
        self.lib = lib
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        for name in _WEBAPPS:
            (logs / "res" / name).mkdir(parents=True)
        (logs / "res/log4j.properties").write_text(_LOGGING)

    def command(
        self, main: str, *arguments: str, conf: Path | None = None, options: Sequence[str] = _SMALL
    ) -> list[str]:
        """The command line of a Java program on this configuration, small if no options are given."""
        path = f"{conf or self.conf}:{self.logs / 'res'}:{self.lib}/*"
        return ["java", *options, *_OPENS, "-cp", path, main, *arguments]

    def run(self, main: str, *arguments: str, conf: Path | None = None, inside: Sequence[str] = ()) -> str:
        """Run a program to its end, which must be a good one, and return what it printed."""
        command = [*inside, *self.command(main, *arguments, conf=conf)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def start(
        self,
        name: str,
        main: str,
        *arguments: str,
        conf: Path | None = None,
        inside: Sequence[str] = (),
        options: Sequence[str] = _SMALL,
    ) -> None:
        """Start a daemon, its command line behind that of ``inside``; it logs to a file of its own."""
        command = [*inside, *self.command(main, *arguments, conf=conf, options=options)]
        with (self.logs / f"{name}.log").open("wb") as log:
            self._running[name] = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)

    def kill(self, name: str) -> None:
        """End a daemon as a lost host would: at once, with nothing tidied up."""
        process = self._running.pop(name)
        process.kill()
        process.wait()

    def wait(self, what: str, ask: Callable[[], T | None], timeout_s: float = PATIENCE_S) -> T:
        """Ask until there is an answer; a daemon that ended or a long silence fails with its log."""
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            for name, process in self._running.items():
                assert process.poll() is None, f"{name} ended:\n{self._log(name)}"
            try:
                answer = ask()
            except OSError:
                answer = None
            if answer is not None:
                return answer
            time.sleep(0.2)
        raise AssertionError(f"{what}: nothing in {timeout_s} s\n" + "\n".join(map(self._log, self._running)))

    def _log(self, name: str) -> str:
        return f"--- {name}\n" + (self.logs / f"{name}.log").read_text(errors="replace")[-3000:]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._running.values():
            process.terminate()
        for process in self._running.values():
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def read_properties(path: Path) -> dict[str, str]:
    """The properties of a configuration file."""
    root = ElementTree.parse(path).getroot()
    return {one.findtext("name", ""): one.findtext("value", "") for one in root.iter("property")}


def change_properties(path: Path, changed: Mapping[str, str]) -> None:
    """Set properties of a configuration file, which may be new."""
    tree = (
        ElementTree.parse(path)
        if path.exists()
        else ElementTree.ElementTree(ElementTree.Element("configuration"))
    )
    root = tree.getroot()
    assert root is not None
    for one in list(root.iter("property")):
        if one.findtext("name") in changed:
            root.remove(one)
    for name, value in changed.items():
        one = ElementTree.SubElement(root, "property")
        ElementTree.SubElement(one, "name").text = name
        ElementTree.SubElement(one, "value").text = value
    tree.write(path, encoding="utf-8", xml_declaration=True)


def move_paths(conf: Path, root: Path) -> None:
    """Let a configuration's own paths lead to where it is, and those of data below ``root``."""
    for path in conf.glob("*.xml"):
        text = path.read_text().replace("/etc/hadoop/conf", str(conf))
        for top in ("/data/", "/var/"):
            for before in ("<value>", ",", "file://"):
                text = text.replace(f"{before}{top}", f"{before}{root}{top}")
        path.write_text(text)


def get_json(url: str) -> Any:
    """What a daemon's web server answers."""
    request = urllib.request.Request(url, headers={"Accept": "application/json"})
    with urllib.request.urlopen(request, timeout=5) as answer:
        return json.load(answer)


def bean(port: int, name: str) -> dict[str, Any] | None:
    """A bean of a daemon's /jmx by the end of its name; None while it is not there."""
    beans = get_json(f"http://localhost:{port}/jmx")["beans"]
    return next((one for one in beans if one["name"].endswith(name)), None)


def put(url: str, content: bytes) -> None:
    """Create a file through WebHDFS, following it to the DataNode."""
    asked = urllib.request.Request(f"{url}&noredirect=true", method="PUT")
    with urllib.request.urlopen(asked, timeout=10) as answer:
        location = json.load(answer)["Location"]
    with urllib.request.urlopen(
        urllib.request.Request(location, content, method="PUT"), timeout=20
    ) as answer:
        assert answer.status == 201


def get(url: str) -> bytes:
    """Read a file through WebHDFS."""
    with urllib.request.urlopen(url, timeout=20) as answer:
        content: bytes = answer.read()
    return content
