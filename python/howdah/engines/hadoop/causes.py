"""The cause in what Java and Hadoop say of a failure: one line instead of a page."""

from __future__ import annotations

import re

from howdah.services.secrets import without_secrets

_MOST = 400
_JDK = ("java.", "javax.", "jdk.", "sun.", "com.sun.")

_THROWABLE = re.compile(
    r"(?P<type>(?:[a-z_][\w$]*\.)+[A-Z][\w$]*(?:Exception|Error|Failure|Throwable)|[A-Z][\w$]*\.[A-Z][\w$]*Exception)"
    r"(?:\((?P<remote>[\w.$]+)\))?(?:: (?P<message>.*))?$"
)
_FRAME = re.compile(r"^\s*at (?:[\w.-]+@?[\w.-]*/)?(?P<method>[\w.$<>]+)\((?P<place>[^()]*)\)")
_MORE = re.compile(r"^\s*\.\.\. \d+ more$")
_MEMORY = re.compile(
    r"is running .{1,60}? beyond the '(?P<kind>PHYSICAL|VIRTUAL)' memory limit\. Current usage: "
    r"(?P<physical>[\d.]+ ?\w+ of [\d.]+ ?\w+) physical memory used; "
    r"(?P<virtual>[\d.]+ ?\w+ of [\d.]+ ?\w+) virtual"
)
_CLEANING = re.compile(r"^.*cleanup failed for container ", re.MULTILINE)
"""An application master that ended an attempt says so of a container that it could not reach to end it."""
_CALL = re.compile(r"Call From \S+ to (?P<to>\S+) failed on ")
"""Of a call to a daemon the outer exception knows whom it went to, and the inner one why it failed."""
_EXIT = re.compile(r"(?:non-zero exit code|[Ee]xit ?[Cc]ode:?(?: is)?) (?P<code>\d+)")
_KILLED_BY_SIGNAL = 128
_SIGNALS = {1: "SIGHUP", 2: "SIGINT", 6: "SIGABRT", 9: "SIGKILL", 11: "SIGSEGV", 15: "SIGTERM"}


def short_cause(text: str) -> str | None:
    """The cause in one line without secrets; None where nothing is said.

    Of an exception it is the innermost one's name and message, and the first of its frames that is not
    the JDK's own; of a container over its limit what it used; of a program its exit code. What went wrong in
    cleaning up after it is another matter.
    """
    cleaning = _CLEANING.search(text)
    text = text[: cleaning.start()] if cleaning and text[: cleaning.start()].strip() else text
    if not text.strip():
        return None
    memory = _MEMORY.search(text)
    if memory:
        used = memory["physical" if memory["kind"] == "PHYSICAL" else "virtual"]
        return f"its container used {used} of {memory['kind'].lower()} memory and was killed"
    found = innermost(text)
    if found is None:
        code = _EXIT.search(text)
        found = exit_words(int(code["code"])) if code else _first_line(text)
    return without_secrets(found)[:_MOST]


def innermost(text: str) -> str | None:
    """The innermost exception of the last trace in a text, with its place; None where there is none.

    Of a call that failed it is told with whom was called.
    """
    found: str | None = None
    placed = False
    called: str | None = None
    for line in text.splitlines():
        frame = _FRAME.match(line)
        if frame:
            if found is not None and not placed and not frame["method"].startswith(_JDK):
                found, placed = f"{found} (at {frame['place']})", True
            continue
        throwable = None if _MORE.match(line) else _THROWABLE.search(line)
        # What is suppressed or comes later in a log is another matter only if it is an exception of its own.
        if throwable and "Suppressed: " not in line:
            found, placed = _named(throwable), False
            call = _CALL.search(line)
            called = call["to"] if call else called if line.startswith("Caused by: ") else None
    return f"{found}, calling {called}" if found and called and called not in found else found


def exit_words(code: int) -> str:
    """An exit code in words, with the signal that it stands for."""
    signal = _SIGNALS.get(code - _KILLED_BY_SIGNAL)
    return (
        f"its process was ended by {signal} (exit code {code})"
        if signal
        else f"it ended with exit code {code}"
    )


def _named(throwable: re.Match[str]) -> str:
    # An exception of a server's is named in brackets behind the client's own.
    kind = (throwable["remote"] or throwable["type"]).rpartition(".")[2]
    message = (throwable["message"] or "").strip()
    return f"{kind}: {message}" if message else kind


def _first_line(text: str) -> str:
    line = next(line.strip() for line in text.splitlines() if line.strip())
    return line.removeprefix("Error: ")
