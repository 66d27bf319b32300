"""Files and directories of HDFS over WebHDFS."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from typing import Any, Literal, TypeVar
from urllib.parse import quote, urlsplit

from pydantic import Field

from howdah.services.active import Active
from howdah.services.answer import AnswerPart, member, one_or_many, parse_object
from howdah.services.errors import NotConnected, RefusedByDaemon, Unexpected
from howdah.services.web import Parameter, Sink, Web
from howdah.units import MIB

T = TypeVar("T")

_DRAWS = 6
"""Of two replicas of which one is away, all of so many draws miss the other in 1.6 % of all cases."""
_EXCLUDED = "excludedatanodes"
_MOST_BYTES = 16 * MIB
"""Of what howdah reads, histories alone are longer."""
_HINTS = {
    "AccessControlException": "give a path that you may use, or run as another user",
    "NSQuotaExceededException": "remove something there, have the quota raised, or give another path",
    "DSQuotaExceededException": "remove something there, have the quota raised, or give another path",
    "SafeModeException": "wait until HDFS leaves safe mode",
}


class FileStatus(AnswerPart):
    """A file or a directory."""

    name: str = Field(alias="pathSuffix")
    """Its name in its directory; empty for the one that was asked about."""
    kind: Literal["FILE", "DIRECTORY", "SYMLINK"] = Field(alias="type")
    size_bytes: int = Field(alias="length")
    """Bytes of a file, each once."""
    replication: int
    """Replicas that a file's blocks are to have; 0 for a directory."""
    block_bytes: int = Field(alias="blockSize")
    """A file's block size; 0 for a directory."""
    owner: str
    permission: str
    """Its mode in octal, ``755``."""
    modified_ms: int = Field(alias="modificationTime")
    """When it was last changed, milliseconds since the epoch."""

    @property
    def is_directory(self) -> bool:
        """Whether it is a directory."""
        return self.kind == "DIRECTORY"


class ContentSummary(AnswerPart):
    """What is below a directory, and what may be."""

    size_bytes: int = Field(alias="length")
    """Bytes of the files below it, each once."""
    space_bytes: int = Field(alias="spaceConsumed")
    """Bytes with every replica."""
    files: int = Field(alias="fileCount")
    """Files below it."""
    directories: int = Field(alias="directoryCount")
    """Directories below it, itself included."""
    quota: int
    """The most names it may hold; -1 without a quota."""
    space_quota_bytes: int = Field(alias="spaceQuota")
    """The most bytes it may hold, every replica counted; -1 without a quota."""


class Hdfs:
    """Reads, writes and removes files as the client's user; every method raises ServiceError.

    Paths begin with ``/``.
    """

    def __init__(self, web: Web, active: Active) -> None:
        self._web = web
        self._active = active

    def list(self, path: str) -> list[FileStatus]:
        """What a directory holds, or the file itself if it is one."""
        answer = self._get(path, op="LISTSTATUS")
        statuses = member(answer, "FileStatuses", path)
        return [parse_object(FileStatus, status, path) for status in one_or_many(statuses, "FileStatus")]

    def stat(self, path: str) -> FileStatus | None:
        """A file or a directory; None if there is none."""
        try:
            answer = self._get(path, op="GETFILESTATUS")
        except RefusedByDaemon as error:
            if error.exception == "FileNotFoundException":
                return None
            raise
        return parse_object(FileStatus, member(answer, "FileStatus", path), path)

    def summary(self, path: str) -> ContentSummary:
        """What is below a directory, and its quotas."""
        answer = self._get(path, op="GETCONTENTSUMMARY")
        return parse_object(ContentSummary, member(answer, "ContentSummary", path), path)

    def home(self) -> str:
        """The user's home directory, ``/user/me``."""
        return _field(self._get("/", op="GETHOMEDIRECTORY"), "Path", str, "/")

    def access(self, path: str, action: str = "rwx") -> str | None:
        """Why the user may not do with a path what ``action`` says; None if it is allowed."""
        try:
            with _named(path):
                self._active.ask(
                    lambda url: self._web.get_text(_at(url, path), op="CHECKACCESS", fsaction=action)
                )
        except RefusedByDaemon as error:
            if error.exception == "AccessControlException":
                return error.message
            raise
        return None

    def read(self, path: str, most_bytes: int = _MOST_BYTES) -> bytes:
        """A file's content, which is held in memory; of a longer one than ``most_bytes`` the beginning."""

        def fetch(url: str) -> bytes:
            content = BytesIO()
            self._web.read_to(url, content)
            return content.getvalue()

        locate = partial(self._get, path, op="OPEN", length=most_bytes, noredirect="true")
        return self._at_datanode(path, locate, fetch)

    def read_to(self, path: str, sink: Sink) -> int:
        """Write a file's content to ``sink`` and return how many bytes that were."""
        locate = partial(self._get, path, op="OPEN", noredirect="true")
        return self._at_datanode(path, locate, lambda url: self._web.read_to(url, sink))

    def write(self, path: str, content: bytes, *, overwrite: bool = False) -> None:
        """Create a file, and the directories it lies in."""
        flag = "true" if overwrite else "false"
        locate = partial(self._put, path, op="CREATE", overwrite=flag, noredirect="true")
        self._at_datanode(path, locate, lambda url: self._web.put(url, content))

    def mkdirs(self, path: str, permission: str | None = None) -> None:
        """Make a directory and those above it, with a mode such as ``1777``; no error if it is there."""
        given = {"permission": permission} if permission else {}
        self._put(path, op="MKDIRS", **given)

    def set_policy(self, path: str, policy: str) -> None:
        """Have files that are created below a directory coded by a policy, or kept as ``REPLICATION``."""
        self._put(path, op="SETECPOLICY", ecpolicy=policy)

    def enable_policy(self, policy: str) -> None:
        """Enable an erasure coding policy, which only HDFS's superuser may; no error if it is enabled."""
        self._put("/", op="ENABLEECPOLICY", ecpolicy=policy)

    def delete(self, path: str, *, recursive: bool = True) -> bool:
        """Remove a file or a directory; whether there was one."""
        flag = "true" if recursive else "false"
        with _named(path):
            answer = self._active.ask(
                lambda url: self._web.delete(_at(url, path), op="DELETE", recursive=flag)
            )
        return _field(answer, "boolean", bool, path)

    def _at_datanode(self, path: str, locate: Callable[..., object], act: Callable[[str], T]) -> T:
        """Do something at the DataNode that the NameNode names, or at another while that one is away.

        For minutes the NameNode takes one that has gone for alive. Of a file's replicas it names the same one
        again, unless that is excluded.
        """
        gone: NotConnected | None = None
        away: list[str] = []
        for _ in range(_DRAWS):
            try:
                url = _location(locate(**{_EXCLUDED: ",".join(away)} if away else {}), path)
            except RefusedByDaemon:
                if not away:
                    raise
                # Several DataNodes may share an address, or all that have the block are away.
                away = []
                continue
            try:
                with _named(path):
                    return act(url)
            except NotConnected as error:
                gone = error
                away += _address(url)
        assert gone is not None
        where = f"DataNode {urlsplit(url).netloc}"
        hint = "the NameNode lists it as live: is it running, and can this machine resolve its name?"
        raise NotConnected(where, gone.what, hint) from gone

    def _get(self, path: str, **params: Parameter) -> Any:
        with _named(path):
            return self._active.ask(lambda url: self._web.get_json(_at(url, path), **params))

    def _put(self, path: str, **params: Parameter) -> Any:
        with _named(path):
            return self._active.ask(lambda url: self._web.put(_at(url, path), None, **params))


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Let what HDFS refuses name the path, not the server that was asked for it."""
    try:
        yield
    except RefusedByDaemon as error:
        if not error.exception:
            raise
        raise RefusedByDaemon(
            f"HDFS {path}", error.status, error.exception, error.message, _HINTS.get(error.exception, "")
        ) from error


def _at(url: str, path: str) -> str:
    return f"{url}/webhdfs/v1{quote(path)}"


def _address(url: str) -> list[str]:
    """The IP address of a DataNode, by which alone the NameNode knows what to exclude; empty if unknown."""
    try:
        return [socket.gethostbyname(urlsplit(url).hostname or "")]
    except OSError:
        return []


def _location(answer: object, path: str) -> str:
    """The DataNode to go to, which Hadoop gives as JSON where it is asked not to redirect."""
    return _field(answer, "Location", str, path)


def _field(answer: object, key: str, kind: type[T], path: str) -> T:
    value = answer.get(key) if isinstance(answer, dict) else None
    if not isinstance(value, kind):
        raise Unexpected(path, f"WebHDFS's answer lacks {key}", "is it enabled (dfs.webhdfs.enabled)?")
    return value
