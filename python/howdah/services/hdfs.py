"""Files and directories of HDFS over WebHDFS."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import BytesIO
from typing import Any, BinaryIO, Literal, TypeVar
from urllib.parse import quote, urlsplit

from pydantic import Field

from howdah.services.addresses import Active
from howdah.services.errors import NotConnected, RefusedByDaemon, Unexpected
from howdah.services.web import AnswerPart, Parameter, Web, object_at, parse_list, parse_object
from howdah.units import MIB

T = TypeVar("T")

_DRAWS = 6  # If one of two replicas is unavailable, so many draws miss the other in 1.6 % of cases.
_MOST_BYTES = 16 * MIB  # Only histories are longer.
_HINTS = {
    "AccessControlException": "give a path that you may use, or run as another user",
    "NSQuotaExceededException": "remove something there, have the quota raised, or give another path",
    "DSQuotaExceededException": "remove something there, have the quota raised, or give another path",
    "SafeModeException": "wait until HDFS leaves safe mode",
}


class FileStatus(AnswerPart):
    name: str = Field(alias="pathSuffix")  # Its name in its directory; empty for the requested path itself.
    kind: Literal["FILE", "DIRECTORY", "SYMLINK"] = Field(alias="type")
    size_bytes: int = Field(alias="length")
    replication: int  # The replication factor of a file; 0 for a directory.
    block_bytes: int = Field(alias="blockSize")  # A file's block size; 0 for a directory.
    owner: str
    modified_ms: int = Field(alias="modificationTime")  # Time of its last change, milliseconds since 1970.

    @property
    def is_directory(self) -> bool:
        return self.kind == "DIRECTORY"


class ContentSummary(AnswerPart):
    """Files and bytes below a directory, and their quotas."""

    size_bytes: int = Field(alias="length")  # Bytes of the files below it, each once.
    space_bytes: int = Field(alias="spaceConsumed")
    files: int = Field(alias="fileCount")
    directories: int = Field(alias="directoryCount")  # Including itself.
    quota: int  # The largest number of names; -1 without a quota.
    space_quota_bytes: int = Field(alias="spaceQuota")  # With every replica; -1 without a quota.


class Hdfs:
    """Uses files, by paths from ``/``, as the client's user; every method raises ServiceError."""

    def __init__(self, web: Web, active: Active) -> None:
        self._web = web
        self._active = active

    def list(self, path: str) -> list[FileStatus]:
        """Return the entries of a directory, or a file itself."""
        statuses = object_at(self._get(path, op="LISTSTATUS"), "FileStatuses", path)
        return parse_list(FileStatus, statuses, "FileStatus", path)

    def stat(self, path: str) -> FileStatus | None:
        try:
            answer = self._get(path, op="GETFILESTATUS")
        except RefusedByDaemon as error:
            if error.exception == "FileNotFoundException":
                return None
            raise
        return parse_object(FileStatus, object_at(answer, "FileStatus", path), path)

    def summary(self, path: str) -> ContentSummary:
        """Return the size and quotas of a directory."""
        answer = self._get(path, op="GETCONTENTSUMMARY")
        return parse_object(ContentSummary, object_at(answer, "ContentSummary", path), path)

    def home(self) -> str:
        """Return the user's home directory, ``/user/me``."""
        return _field(self._get("/", op="GETHOMEDIRECTORY"), "Path", str, "/")

    def access(self, path: str, action: str = "rwx") -> str | None:
        """Return why an action on a path is not allowed for the user; None if it is."""
        checked = {"op": "CHECKACCESS", "fsaction": action}
        try:
            with _named(path):
                self._active.query(lambda url: self._web.get_text(_at(url, path), **checked))
        except RefusedByDaemon as error:
            if error.exception == "AccessControlException":
                return error.message
            raise
        return None

    def read(self, path: str, most_bytes: int = _MOST_BYTES) -> bytes:
        """Return a file's content, at most its first ``most_bytes``."""
        content = BytesIO()
        self.read_to(path, content, length=most_bytes)
        return content.getvalue()

    def read_to(self, path: str, sink: BinaryIO, **params: Parameter) -> int:
        """Write a file's content to ``sink`` and return the number of bytes."""
        locate = partial(self._get, path, op="OPEN", noredirect="true", **params)
        return self._at_datanode(path, locate, lambda url: self._web.read_to(url, sink))

    def write(self, path: str, content: bytes, *, overwrite: bool = False) -> None:
        """Create a file and the directories above it."""
        flag = "true" if overwrite else "false"
        locate = partial(self._put, path, op="CREATE", overwrite=flag, noredirect="true")
        self._at_datanode(path, locate, lambda url: self._web.put(url, content))

    def mkdirs(self, path: str, permission: str | None = None) -> None:
        """Create a directory and those above it, with a mode such as ``1777``; no error if it exists."""
        options = {"permission": permission} if permission else {}
        self._put(path, op="MKDIRS", **options)

    def set_policy(self, path: str, policy: str) -> None:
        """Set the erasure coding policy of new files below a directory, or ``REPLICATION``."""
        self._put(path, op="SETECPOLICY", ecpolicy=policy)

    def enable_policy(self, policy: str) -> None:
        """Enable an erasure coding policy as HDFS's superuser; no error if it is enabled."""
        self._put("/", op="ENABLEECPOLICY", ecpolicy=policy)

    def delete(self, path: str, *, recursive: bool = True) -> bool:
        """Remove a file or a directory; return whether it existed."""
        options = {"op": "DELETE", "recursive": "true" if recursive else "false"}
        with _named(path):
            answer = self._active.query(lambda url: self._web.delete(_at(url, path), **options))
        return _field(answer, "boolean", bool, path)

    def _at_datanode(self, path: str, locate: Callable[..., object], act: Callable[[str], T]) -> T:
        """Do something at the DataNode that the NameNode returns, or at another if that one is unavailable.

        The NameNode lists a lost DataNode as live for minutes, and returns the same one again unless it is
        excluded.
        """
        failure: NotConnected | None = None
        excluded: list[str] = []
        for _ in range(_DRAWS):
            try:
                answer = locate(**{"excludedatanodes": ",".join(excluded)} if excluded else {})
                # Without a redirection, the DataNode's URL is in the answer.
                url = _field(answer, "Location", str, path)
            except RefusedByDaemon:
                if not excluded:
                    raise
                # Several DataNodes may share an address, or all with the block may be excluded.
                excluded = []
                continue
            try:
                with _named(path):
                    return act(url)
            except NotConnected as error:
                failure = error
                # The NameNode excludes a DataNode by its IP address, which may be unknown.
                with suppress(OSError):
                    excluded.append(socket.gethostbyname(urlsplit(url).hostname or ""))
        assert failure is not None
        where = f"DataNode {urlsplit(url).netloc}"
        hint = "the NameNode lists it as live: is it running, and can this machine resolve its name?"
        raise NotConnected(where, failure.what, hint) from failure

    def _get(self, path: str, **params: Parameter) -> Any:
        with _named(path):
            return self._active.query(lambda url: self._web.get_json(_at(url, path), **params))

    def _put(self, path: str, **params: Parameter) -> Any:
        with _named(path):
            return self._active.query(lambda url: self._web.put(_at(url, path), None, **params))


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Put the path into HDFS's errors in place of the server."""
    try:
        yield
    except RefusedByDaemon as error:
        if not error.exception:
            raise
        hint = _HINTS.get(error.exception, "")
        raise RefusedByDaemon(f"HDFS {path}", error.status, error.exception, error.message, hint) from error


def _at(url: str, path: str) -> str:
    return f"{url}/webhdfs/v1{quote(path)}"


def _field(answer: object, key: str, kind: type[T], path: str) -> T:
    value = answer.get(key) if isinstance(answer, dict) else None
    if not isinstance(value, kind):
        raise Unexpected(path, f"WebHDFS's answer lacks {key}", "is it enabled (dfs.webhdfs.enabled)?")
    return value
