"""The cause of a failure from the output of Java and Hadoop: one line instead of a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from howdah.engines.hadoop.target import NodeFinder
from howdah.hadoop.config_files import without_secrets
from howdah.services.history import TaskLogs
from howdah.services.job_facts import AttemptFacts, JobFacts, Kind, TaskFacts, task_number
from howdah.services.resourcemanager import AppFacts

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
"""An application master reports this for a container that it could not reach to end it."""
_CALL = re.compile(r"Call From \S+ to (?P<to>\S+) failed on ")
"""Of a call to a daemon, the outer exception has the target, and the inner one the reason."""
_EXIT = re.compile(r"(?:non-zero exit code|[Ee]xit ?[Cc]ode:?(?: is)?) (?P<code>\d+)")
_KILLED_BY_SIGNAL = 128
_SIGNALS = {1: "SIGHUP", 2: "SIGINT", 6: "SIGABRT", 9: "SIGKILL", 11: "SIGSEGV", 15: "SIGTERM"}

_MASTER = re.compile(r"https?://(?P<node>[^/]+)/node/containerlogs/(?P<container>container_\w+)")
_MASTER_FAILED = "AM Container for"
_LAST_LINES = 2
_FAILED = re.compile(r"Task Id : (attempt_\w+), Status : FAILED")
_LOGGED = re.compile(r"\d{4}-\d\d-\d\d |\d\d/\d\d/\d\d ")
_HEAD = re.compile(r"^\d{4}-\d\d-\d\d \S+ [A-Z]+ +[\w.$]+: ")  # The time, level and class of a log line.
_UNSAID = "Hadoop reports no reason"
_SCALA = re.compile(
    r"(NoSuchMethodError|NoSuchFieldError|NoClassDefFoundError|ClassNotFoundException|AbstractMethodError|"
    r"IncompatibleClassChangeError|Failed to load \S+): .{0,40}?\bscala[./]"
)
"""Classes and methods of Scala change from one of its versions to the next."""
_ADVICE: tuple[tuple[str | re.Pattern[str], str], ...] = (
    ("memory and was killed", "mapreduce.{kind}.memory.mb is too small, or its heap too large"),
    (
        "OutOfMemoryError",
        "give it more heap with mapreduce.{kind}.java.opts, or lower mapreduce.task.io.sort.mb",
    ),
    ("could only be written to", "are enough DataNodes alive, and do they have room?"),
    ("No space left on device|DiskErrorException", "a disk of yarn.nodemanager.local-dirs is full"),
    (
        _SCALA,
        "the program was compiled for another version of Scala than this Spark's, which "
        "`spark-submit --version` shows",
    ),
    ("SIGKILL", "a user ended it, or the kernel did because memory ran out (see dmesg)"),
)


def short_cause(text: str) -> str | None:
    """The innermost exception, memory over its limit, or exit code, in a line without secrets, if any."""
    cleaning = _CLEANING.search(text)
    text = text[: cleaning.start()] if cleaning and text[: cleaning.start()].strip() else text
    if not text.strip():
        return None
    memory = _MEMORY.search(text)
    if memory:
        used = memory["physical" if memory["kind"] == "PHYSICAL" else "virtual"]
        return f"its container used {used} of {memory['kind'].lower()} memory and was killed"
    cause = innermost(text)
    if cause is None:
        first = next(line.strip() for line in text.splitlines() if line.strip())
        cause = first.removeprefix("Error: ")
        if match := _EXIT.search(text):
            code = int(match["code"])
            signal = _SIGNALS.get(code - _KILLED_BY_SIGNAL)
            ended = f"its process was ended by {signal} (exit code {code})"
            cause = ended if signal else f"it ended with exit code {code}"
    return without_secrets(cause)[:_MOST]


def innermost(text: str) -> str | None:
    """The innermost exception of a text's last stack trace, with its place or called address; or None."""
    cause: str | None = None
    placed = False
    called: str | None = None
    for line in text.splitlines():
        frame = _FRAME.match(line)
        if frame:
            if cause is not None and not placed and not frame["method"].startswith(_JDK):
                cause, placed = f"{cause} (at {frame['place']})", True
            continue
        throwable = None if _MORE.match(line) else _THROWABLE.search(line)
        # A later exception in a log replaces the cause, a suppressed one does not.
        if throwable and "Suppressed: " not in line:
            # The server's exception is in brackets behind the client's.
            kind = (throwable["remote"] or throwable["type"]).rpartition(".")[2]
            message = (throwable["message"] or "").strip()
            cause, placed = (f"{kind}: {message}" if message else kind), False
            call = _CALL.search(line)
            called = call["to"] if call else called if line.startswith("Caused by: ") else None
    return f"{cause}, calling {called}" if cause and called and called not in cause else cause


def cause_of(
    job: JobFacts, app: AppFacts | None, logs: TaskLogs, machines: NodeFinder, client: Sequence[str] = ()
) -> str:
    """Return why a job failed, from its attempts and their logs, the ResourceManager, or its client."""
    diagnostics = app.diagnostics if app and app.diagnostics.strip() else job.diagnostics
    if job.state == "killed" or (app is not None and app.final_status == "KILLED"):
        return _sentence(short_cause(diagnostics) or "the job was killed")
    failed = [
        (task, max(tries, key=lambda attempt: attempt.finish_ms or 0))
        for task in job.tasks
        if (tries := [attempt for attempt in task.attempts if attempt.state == "failed"])
    ]
    given_up = [failure for failure in failed if failure[0].state == "failed"] or failed
    decisive = min(given_up, key=lambda failure: failure[1].finish_ms or 0, default=None)
    if decisive is not None:
        return _of_task(*decisive, logs, machines)
    if app is not None and _MASTER_FAILED in diagnostics:
        match = _MASTER.match(app.master_logs)
        node, container = (match["node"], match["container"]) if match else ("", "")
        where = f" on {machines.worker(node.rpartition(':')[0])}" if node else ""
        return _sentence(
            f"its application master failed{where}: {_cause(app.diagnostics, container, node, logs)}"
        )
    return _printed(client) or _sentence(short_cause(diagnostics) or _UNSAID)


def client_error(lines: Sequence[str]) -> str:
    """Return why a client submitted no job: its last exception, or its last output."""
    diagnostics = [line for line in lines if line.strip()]
    # After a program that cannot be loaded, Spark's client ends with another exception.
    scala = [line for line in diagnostics if _SCALA.search(line)]
    diagnostics = scala[-1:] or diagnostics
    last = _HEAD.sub("", diagnostics[-1]).strip() if diagnostics else "the client ended without a message"
    return _sentence(advised(without_secrets(innermost("\n".join(diagnostics)) or last)))


def _of_task(task: TaskFacts, attempt: AttemptFacts, logs: TaskLogs, machines: NodeFinder) -> str:
    number = attempt.number
    tries = sum(tried.state == "failed" for tried in task.attempts)
    often = f" {tries} times, last" if tries > 1 else ""
    where = f" on {machines.worker(attempt.node)}" if attempt.node else ""
    cause = advised(_cause(attempt.error, attempt.container, attempt.node_web, logs), number.kind)
    return _sentence(f"{number.kind} {number.task} failed{often}{where} ({attempt.id}): {cause}")


def _printed(client: Sequence[str]) -> str | None:
    failures = [(at, match[1]) for at, line in enumerate(client) if (match := _FAILED.search(line))]
    if not failures:
        return None
    at, attempt = failures[-1]
    error = takewhile(lambda line: not _LOGGED.match(line), client[at + 1 :])
    number = task_number(attempt)
    cause = advised(short_cause("\n".join(error)) or _UNSAID, number.kind)
    return _sentence(f"{number.kind} {number.task} failed ({attempt}): {cause}")


def _cause(diagnostics: str, container: str, node_web: str, logs: TaskLogs) -> str:
    short = short_cause(diagnostics)
    names_cause = innermost(diagnostics) is not None or (short is not None and "was killed" in short)
    if names_cause or not container:
        return short or _UNSAID
    cause = innermost(logs.tail(container, node_web, "syslog"))
    if cause is None:
        printed = "\n".join(logs.tail(container, node_web, name) for name in ("stdout", "stderr"))
        lines = map(str.strip, printed.splitlines())
        shown = [line for line in lines if line and not line.startswith("log4j:")]
        words = "; ".join(shown[-_LAST_LINES:])
        cause = f"{words} ({short})" if words and short else words or short or ""
    return without_secrets(cause) or _UNSAID


def advised(cause: str, kind: Kind = "map") -> str:
    """Return the cause with advice, if there is any."""
    advice = next((words for form, words in _ADVICE if re.search(form, cause)), None)
    return f"{cause}; {advice.format(kind=kind)}" if advice else cause


def _sentence(text: str) -> str:
    return " ".join(text.split())
