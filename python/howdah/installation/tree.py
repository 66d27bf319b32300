"""An installation as one file that hosts unpack: the jars, and scripts that start their programs.

Fetched jars are laid out like Apache's tarballs, with a script in the place of theirs: units and class paths
of a configuration fit both. The same jars give the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from howdah.errors import UserError
from howdah.files import sha256_of
from howdah.hadoop.daemons import DAEMONS, DaemonKind, conf_folder
from howdah.installation.digests import cache_folder
from howdah.installation.installation import PARTS, HBaseInstallation, Installation, tarball_class_path
from howdah.installation.java_programs import OPENS, OPENS_OF_HBASE, RESOURCES, tools

_LAUNCHER = RESOURCES / "tree/launch.sh"
_MACHINES = {62: "x86_64", 183: "aarch64", 21: "ppc64le"}
_SKIPPED_FOLDERS = ("share/doc", "logs", "docs", "pids")
"""Folders of a user's own installation that no daemon needs."""
_TOOLS: Mapping[str, Mapping[str, str]] = {
    "hdfs": tools("hdfs", "dfs dfsadmin haadmin fsck"),
    "yarn": tools("yarn", "rmadmin node application"),
    "mapred": tools("mapred", "job"),
    "hadoop": tools("hadoop", "fs jar version"),
}
_HBASE_TOOLS = tools("hbase", "canary pe version")


class PackedTree(NamedTuple):
    """One file that contains an installation."""

    name: str  # ``hadoop-3.5.0``: the folder that it unpacks to.
    path: Path
    sha256: str  # Its digest; every host compares it with the fetched file.
    machine: str = ""  # The processors of its libhadoop, as ``uname -m`` prints them; empty if it has none.

    def for_hosts(self) -> dict[str, object]:
        """Return its entry in a host's manifest."""
        return {
            "file": self.path.name,
            "sha256": self.sha256,
            "bytes": self.path.stat().st_size,
            "machine": self.machine,
        }


def packed(installation: Installation | HBaseInstallation) -> PackedTree:
    """Return the installation as a file in the cache; pack it if it is missing. Raises UserError."""
    product = "hbase" if isinstance(installation, HBaseInstallation) else "hadoop"
    name = f"{product}-{installation.version}"
    members = dict(_fetched(installation, product) if installation.fetched else _own(installation.home))
    state = hashlib.sha256()
    for path, source in sorted(members.items()):
        if isinstance(source, bytes):
            stamp = source
        else:
            stamp = f"{source.stat().st_size} {source.stat().st_mtime_ns}".encode()
        state.update(path.encode() + b"\0" + stamp + b"\0")
    folder = cache_folder() / "trees"
    # The name depends on the content: only a changed installation is packed again.
    packed_file = folder / f"{name}-{state.hexdigest()[:16]}.tar"
    digest_file = packed_file.with_suffix(".sha256")
    if not (packed_file.exists() and digest_file.exists()):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _pack(name, members, packed_file)
            digest_file.write_text(sha256_of(packed_file))
        except OSError as error:
            problem = f"cannot store {name} for the hosts: {error.strerror}"
            raise UserError(str(folder), problem, "free some space, or set HOWDAH_CACHE") from error
    native = None if isinstance(installation, HBaseInstallation) else installation.native
    return PackedTree(name, packed_file, digest_file.read_text(), _machine(native) if native else "")


def _machine(native: Path) -> str:
    """Return the processors of a folder's libhadoop from its ELF header; empty for unknown ones."""
    with (native / "libhadoop.so").open("rb") as file:
        header = file.read(20)
    return _MACHINES.get(int.from_bytes(header[18:20], "little"), "") if header[:4] == b"\x7fELF" else ""


def _pack(name: str, members: Mapping[str, Path | bytes], target: Path) -> None:
    making = target.with_suffix(".making")
    with tarfile.open(making, "w", format=tarfile.PAX_FORMAT) as archive:
        for path, source in sorted(members.items()):
            entry = tarfile.TarInfo(f"{name}/{path}")
            executable = path.startswith(("bin/", "sbin/", "libexec/"))
            entry.mode = 0o755 if executable else 0o644
            content = source if isinstance(source, bytes) else source.read_bytes()
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    making.replace(target)


def _own(home: Path) -> Iterator[tuple[str, Path]]:
    """Yield every file of an installation with the layout of Apache's tarballs."""
    for path in sorted(home.rglob("*")):
        inside = path.relative_to(home).as_posix()
        if path.is_file() and not inside.startswith(_SKIPPED_FOLDERS):
            yield inside, path


def _fetched(
    installation: Installation | HBaseInstallation, product: str
) -> Iterator[tuple[str, Path | bytes]]:
    """Yield fetched jars at their paths in Apache's tarballs, and scripts."""
    for name in ("log4j.properties", "log4j2.properties"):
        yield f"etc/{name}", RESOURCES / name
    pages, below = ("hbase-webapps", "") if product == "hbase" else ("webapps", "share/hadoop/hdfs/")
    for path in sorted((RESOURCES / pages).rglob("*")):
        if path.is_file():
            yield f"{below}{path.relative_to(RESOURCES).as_posix()}", path
    for jar in sorted((installation.home / "lib").glob("*.jar")):
        yield (f"lib/{jar.name}" if product == "hbase" else f"share/hadoop/{_part(jar.name)}/{jar.name}"), jar
    if product == "hbase":
        yield "bin/hbase", _hbase_script()
    else:
        for program in _TOOLS:
            yield f"bin/{program}", _hadoop_script()


def _part(jar: str) -> str:
    """Return the folder of a jar in Apache's tarballs."""
    return next((part for part in PARTS if jar.startswith(f"hadoop-{part}")), "common/lib")


def _daemons(script: str) -> dict[str, DaemonKind]:
    """Return the daemons that a script starts, by their argument of the script."""
    return {kind.command[1]: kind for kind in DAEMONS.values() if kind.command[0] == f"bin/{script}"}


def _hadoop_script() -> bytes:
    cases, commands = [], {}
    for program, mains in _TOOLS.items():
        # ZooKeeper is started by its class name.
        daemons = {} if program == "hadoop" else _daemons(program)
        commands[program] = ", ".join((*daemons, *mains))
        for command, kind in daemons.items():
            cases.append(f'  "{program} {command}") main={kind.main}; own={kind.options}; ;;')
        for command, main in mains.items():
            first_argument = " first=application;" if command == "application" else ""
            cases.append(f'  "{program} {command}") main={main}; own=;{first_argument} ;;')
    return _script(
        PRODUCT="Hadoop",
        CONF="HADOOP_CONF_DIR",
        CONF_DEFAULT=conf_folder("hadoop"),
        ENV="read_env hadoop-env.sh\ncase $program in\n  yarn) read_env yarn-env.sh ;;\n"
        "  mapred) read_env mapred-env.sh ;;\nesac\n",
        CASES="\n".join(cases),
        KNOWN="; ".join(f"{program}: {words}" for program, words in commands.items()),
        OPTIONS=" ".join(OPENS),
        LOGGING='"-Dhadoop.log.dir=${HADOOP_LOG_DIR:-/var/log/hadoop}" '
        '"-Dhadoop.log.file=${HADOOP_LOGFILE:-hadoop.log}" '
        '"-Dhadoop.root.logger=${HADOOP_ROOT_LOGGER:-INFO,console}" "-Dhadoop.home.dir=$home"',
        CLASSPATH=":".join(tarball_class_path(Path("$home/share/hadoop"))),
    )


def _hbase_script() -> bytes:
    commands = {
        **{word: (kind.main, kind.options) for word, kind in _daemons("hbase").items()},
        **{word: (main, "") for word, main in _HBASE_TOOLS.items()},
    }
    cases = (f'  "hbase {word}") main={main}; own={own} ;;' for word, (main, own) in commands.items())
    return _script(
        PRODUCT="HBase",
        CONF="HBASE_CONF_DIR",
        CONF_DEFAULT=conf_folder("hbase"),
        ENV="read_env hbase-env.sh\n",
        CASES="\n".join(cases),
        KNOWN=", ".join(commands),
        OPTIONS=" ".join((*OPENS, *OPENS_OF_HBASE)),
        LOGGING='"-Dhbase.log.dir=${HBASE_LOG_DIR:-/var/log/hbase}" '
        '"-Dhbase.log.file=${HBASE_LOGFILE:-hbase.log}" '
        '"-Dhbase.root.logger=${HBASE_ROOT_LOGGER:-INFO,console}" "-Dhbase.home.dir=$home"',
        CLASSPATH="$home:$home/lib/*",
    )


def _script(**words: str) -> bytes:
    text = _LAUNCHER.read_text()
    for word, content in words.items():
        text = text.replace(f"@{word}@", content)
    return text.encode()
