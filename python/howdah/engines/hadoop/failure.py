"""Why a job failed, in one sentence: who, where, and the cause from the task's own log."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from howdah.engines.hadoop.causes import innermost, short_cause
from howdah.engines.hadoop.machines import Machines
from howdah.services.job import AttemptFacts, JobFacts, Kind, TaskFacts, task_number
from howdah.services.resourcemanager import AppFacts
from howdah.services.secrets import without_secrets
from howdah.services.task_log import Container, TaskLogs

_MASTER = re.compile(r"https?://(?P<node>[^/]+)/node/containerlogs/(?P<container>container_\w+)")
_MASTER_FAILED = "AM Container for"
_LAST_LINES = 2
_FAILED = re.compile(r"Task Id : (attempt_\w+), Status : FAILED")
_LOGGED = re.compile(r"\d{4}-\d\d-\d\d |\d\d/\d\d/\d\d ")
_HEAD = re.compile(r"^\d{4}-\d\d-\d\d \S+ [A-Z]+ +[\w.$]+: ")
"""When a line was logged, how grave it is and by which class."""
_UNSAID = "Hadoop does not say why"

_ADVICE = (
    (re.compile("memory and was killed"), "mapreduce.{kind}.memory.mb is too small, or its heap too large"),
    (
        re.compile("OutOfMemoryError"),
        "give it more heap with mapreduce.{kind}.java.opts, or lower mapreduce.task.io.sort.mb",
    ),
    (re.compile("could only be written to"), "are enough DataNodes alive, and have they room?"),
    (
        re.compile("No space left on device|DiskErrorException"),
        "a disk of yarn.nodemanager.local-dirs is full",
    ),
    (
        re.compile("SIGKILL"),
        "somebody ended it, or the kernel because the machine was out of memory (dmesg says so)",
    ),
)


def cause_of(
    job: JobFacts, app: AppFacts | None, logs: TaskLogs, machines: Machines, client: Sequence[str] = ()
) -> str:
    """Why a job did not succeed: its attempts and their logs say, or the ResourceManager, or its client."""
    said = app.diagnostics if app and app.diagnostics.strip() else job.diagnostics
    if job.state == "killed" or (app is not None and app.final_status == "KILLED"):
        return _sentence(short_cause(said) or "the job was killed")
    decisive = _decisive(job)
    if decisive is not None:
        return _of_task(*decisive, logs, machines)
    if app is not None and _MASTER_FAILED in said:
        return _of_master(app, logs, machines)
    printed = _printed(client)
    if printed is not None:
        return printed
    return _sentence(short_cause(said) or _UNSAID)


def said_by_client(lines: Sequence[str]) -> str:
    """Why a client submitted no job: its last exception, or the last thing it said."""
    said = [line for line in lines if line.strip()]
    found = innermost("\n".join(said))
    words = found or (_HEAD.sub("", said[-1]).strip() if said else "the client ended without a word")
    return _sentence(_advised(without_secrets(words), "map"))


def _decisive(job: JobFacts) -> tuple[TaskFacts, AttemptFacts] | None:
    """The first task that used up its attempts, or else any that failed, and its last attempt that did."""
    failed = [
        (task, max(tries, key=lambda one: one.finish_ms or 0))
        for task in job.tasks
        if (tries := [one for one in task.attempts if one.state == "failed"])
    ]
    given_up = [one for one in failed if one[0].state == "failed"] or failed
    return min(given_up, key=lambda one: one[1].finish_ms or 0, default=None)


def _of_task(task: TaskFacts, attempt: AttemptFacts, logs: TaskLogs, machines: Machines) -> str:
    number = attempt.number
    tries = sum(one.state == "failed" for one in task.attempts)
    where = f" on {machines.worker(attempt.node)}" if attempt.node else ""
    who = f"{number.kind} {number.task} failed{where}"
    if tries > 1:
        who = f"{number.kind} {number.task} failed {tries} times, last{where}"
    cause = _cause(attempt.error, attempt.container, attempt.node_web, logs)
    return _sentence(f"{who} ({attempt.id}): {_advised(cause, number.kind)}")


def _printed(client: Sequence[str]) -> str | None:
    """The last failed attempt that the client printed, with its error; None where it printed none."""
    found = [number for number, line in enumerate(client) if _FAILED.search(line)]
    if not found:
        return None
    first = found[-1]
    match = _FAILED.search(client[first])
    assert match is not None
    error = takewhile(lambda line: not _LOGGED.match(line), client[first + 1 :])
    cause = short_cause("\n".join(error)) or _UNSAID
    number = task_number(match[1])
    return _sentence(f"{number.kind} {number.task} failed ({match[1]}): {_advised(cause, number.kind)}")


def _of_master(app: AppFacts, logs: TaskLogs, machines: Machines) -> str:
    """An application master that did not start, or ended before its job had."""
    found = _MASTER.match(app.master_logs)
    node, container = (found["node"], found["container"]) if found else ("", "")
    where = f" on {machines.worker(node.rpartition(':')[0])}" if node else ""
    return _sentence(
        f"its application master failed{where}: {_cause(app.diagnostics, container, node, logs)}"
    )


def _cause(said: str, container: str, node_web: str, logs: TaskLogs) -> str:
    """What is said if that names a cause; else the exception in the container's log, or its last words."""
    short = short_cause(said)
    names_cause = innermost(said) is not None or (short is not None and "was killed" in short)
    if names_cause or not container:
        return short or _UNSAID
    box = Container(container, node_web)
    found = innermost(logs.tail(box, "syslog"))
    if found is None:
        printed = [
            line.strip() for name in ("stdout", "stderr") for line in logs.tail(box, name).splitlines()
        ]
        told = [line for line in printed if line and not line.startswith("log4j:")]
        words = "; ".join(told[-_LAST_LINES:])
        found = f"{words} ({short})" if words and short else words or short or ""
    return without_secrets(found) or _UNSAID


def _advised(cause: str, kind: Kind) -> str:
    advice = next((words for form, words in _ADVICE if form.search(cause)), None)
    return f"{cause}; {advice.format(kind=kind)}" if advice else cause


def _sentence(text: str) -> str:
    return " ".join(text.split())
