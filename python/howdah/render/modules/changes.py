"""What is done to a host, or would be: changes are noted, and made unless only to look."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import time
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Type, Union

Json = Dict[str, Any]  # The contents of a manifest, or of a module's arguments.
Act = Callable[[Json, "HostChanges", Json], None]  # From arguments; adds to the changes and the result.
LOCK = "/run/howdah.lock"
LOCK_PATIENCE_S = 120.0


class HostRefusal(Exception):
    """Something that only a person can decide or mend: what is wrong, and what to do."""

    def __init__(self, problem: str, fix: str = "", code: int = 0) -> None:
        super().__init__(f"{problem}: {fix}" if fix else problem)
        self.what, self.fix, self.code = problem, fix, code  # The exit code of a failed command.


def refused(error: Exception) -> Json:
    """The result of a module that failed."""
    message = str(error) or type(error).__name__
    result: Json = {"failed": True, "msg": message, "what": message, "fix": ""}
    if isinstance(error, HostRefusal):
        result.update(what=error.what, fix=error.fix)
    elif isinstance(error, OSError) and error.strerror:
        result["what"] = f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return result


@contextmanager
def alone(check: bool = False) -> Iterator[None]:
    """Hold the lock on changes of the host: a killed run's module may still be running.

    Raises HostRefusal if another process does not finish. Read-only modules do not wait.
    """
    if check:
        yield
        return
    with open(LOCK, "w") as file:
        deadline = time.monotonic() + LOCK_PATIENCE_S
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    hint = "wait for that deployment, then deploy again"
                    raise HostRefusal("another deployment changes it", hint) from None
            time.sleep(0.2)
        yield


class HostChanges:
    """The changes to one host."""

    def __init__(self, check: bool) -> None:
        self.check = check
        self.changes: List[str] = []
        self.diffs: List[Dict[str, str]] = []
        self.notes: List[str] = []

    def change(
        self, description: str, act: Optional[Callable[[], Any]] = None, before: str = "", after: str = ""
    ) -> None:
        """Note a change, and make it unless only to look."""
        self.changes.append(description)
        if before or after:
            heads = {"before_header": description, "after_header": description}
            self.diffs.append({**heads, "before": before, "after": after})
        if not self.check and act is not None:
            act()


def reported(*failures: Type[Exception]) -> Callable[[Act], Callable[[bytes], None]]:
    """Make a program of a function: arguments as JSON in, the result or the failure as JSON printed."""

    caught: Tuple[Type[Exception], ...] = (HostRefusal, OSError, *failures)

    def program(act: Act) -> Callable[[bytes], None]:
        @wraps(act)
        def main(arguments: bytes) -> None:
            args: Json = json.loads(arguments)
            result: Json = {}
            host = HostChanges(check=bool(args.get("_ansible_check_mode")))
            try:
                act(args, host, result)
            except caught as error:
                result.update(refused(error))
            if "changed" not in result:
                result.update(changed=bool(host.changes), changes=host.changes)
            print(json.dumps(result))

        return main

    return program


def run(*command: str, cwd: Optional[str] = None) -> str:
    """Return a command's output; raise HostRefusal with the end of it if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=cwd, check=False)
    if done.returncode:
        lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
        end = "\n".join(lines[-3:]) or f"exit {done.returncode}"
        raise HostRefusal(f"{' '.join(command)}:\n{end}", code=done.returncode)
    return done.stdout


def read(path: str) -> Optional[str]:
    """A file's text; None if there is none."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None


def write(path: str, content: Union[str, bytes], mode: int, owner: Optional[Tuple[int, int]] = None) -> None:
    """Write a file that is whole at every moment, and at none readable by others than it should be.

    ``owner`` is a user's and a group's number; without it the file belongs to the writing user.
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    staging = f"{path}.howdah-new"
    if os.path.lexists(staging):
        # A killed run's file, or a link by a daemon's user in a directory that root writes to: not followed.
        os.unlink(staging)
    number = os.open(staging, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(number, "wb") as file:
        file.write(content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content)
        file.flush()
        os.fsync(file.fileno())
        if owner is not None:
            os.fchown(file.fileno(), *owner)
        os.fchmod(file.fileno(), mode)
    os.replace(staging, path)
