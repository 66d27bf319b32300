"""Whether HDFS, YARN and HBase serve clients, several times a second, and the longest time without."""

from __future__ import annotations

import http.client
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from support.systemd_hosts import SystemdHosts

_PAUSE_S = 0.2
_ROW = Path(__file__).with_name("Row.java")
_CLASSES = "/etc/hbase/conf:/etc/hadoop/conf:/opt/hbase-2.6.4/lib/*"


class Service:
    """One service, and how long it served nobody at most."""

    def __init__(self, name: str, ask: Callable[[], bool]) -> None:
        self.name = name
        self.longest_s = 0.0
        self.served = 0
        self._ask = ask
        self._last = time.monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def begin(self) -> None:
        """Ask from now on."""
        self._thread.start()

    def end(self) -> None:
        """Ask no longer."""
        self._ended.set()
        self._thread.join()
        self._note(served=False)

    def restart(self) -> float:
        """The longest time since the last call that nobody was served."""
        self._note(served=False)
        longest, self.longest_s, self.served = self.longest_s, 0.0, 0
        self._last = time.monotonic()
        return longest

    def _work(self) -> None:
        while not self._ended.is_set():
            if self._ask():
                self._note(served=True)
            time.sleep(_PAUSE_S)

    def _note(self, *, served: bool) -> None:
        now = time.monotonic()
        self.longest_s = max(self.longest_s, now - self._last)
        if served:
            self.served += 1
            self._last = now


@contextmanager
def services(hosts: SystemdHosts, names: Sequence[str]) -> Iterator[list[Service]]:
    """HDFS, YARN and HBase on these hosts, asked meanwhile."""
    addresses = [hosts.hosts[name].address for name in names]
    number = iter(range(10**9))

    def makes_a_name() -> bool:
        path = f"/webhdfs/v1/names/{next(number)}?op=MKDIRS&user.name=hdfs"
        return any(_answer(address, 9870, "PUT", path)[0] == 200 for address in addresses)

    def has_a_manager() -> bool:
        path = "/ws/v1/cluster/info"
        return any('"haState":"ACTIVE"' in _answer(address, 8088, "GET", path)[1] for address in addresses)

    with _rows(hosts, names[0]) as row:
        found = [Service("HDFS", makes_a_name), Service("YARN", has_a_manager), Service("HBase", row)]
        for service in found:
            service.begin()
        yield found
        for service in found:
            service.end()


@contextmanager
def _rows(hosts: SystemdHosts, name: str) -> Iterator[Callable[[], bool]]:
    """Whether a row was written and read since the last call, by HBase's own client on a host."""
    Path(f"/proc/{hosts.hosts[name].init}/root/tmp/Row.java").write_text(_ROW.read_text())
    script = f"cd /; exec java -cp '{_CLASSES}' /tmp/Row.java 2>/dev/null"
    words = ["nsenter", "-t", str(hosts.hosts[name].init), "-a", "--", "runuser", "-u", "hbase", "--"]
    process = subprocess.Popen([*words, "sh", "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    read = threading.Event()
    stream = process.stdout

    def follow() -> None:
        for _ in stream:
            read.set()

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    try:
        assert read.wait(180), "no row was written"

        def served() -> bool:
            found = read.is_set()
            read.clear()
            return found

        yield served
    finally:
        hosts.run(name, "pkill", "-f", "/tmp/Row.java", check=False)
        process.wait(timeout=30)


def _answer(address: str, port: int, method: str, path: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection(address, port, timeout=5)
    try:
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException):
        return 0, ""
    finally:
        connection.close()
