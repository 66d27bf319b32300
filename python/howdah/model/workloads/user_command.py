"""A user's own command, such as spark-submit, hadoop jar, hive -f or a script, and its applications."""

from __future__ import annotations

import shlex
from typing import ClassVar, Final, Literal

from howdah.errors import UserError
from howdah.model.workloads.base import Workload
from howdah.model.workloads.option import Option, StudiedAs

COMMAND: Final = "command"


def _words(text: str, where: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UserError(where, f"has unbalanced quotes: {error}", "quote it as for a shell") from error
    if not words:
        raise UserError(where, "is empty", "give a command such as 'hadoop jar app.jar'")
    return words


COMMAND_LINE: Final = Option[tuple[str, ...]](
    name="command_line",
    field="words",
    help="Command of the suite `command`, if it is not given after `--`.",
    metavar="COMMAND",
    parse=_words,
    studied=StudiedAs("command_line", str, lambda text: _words(text, "command_line")),
    engines=("hadoop",),
    fact="command",
)


class UserCommand(Workload):
    """Runs a command, and follows every application that it starts on YARN."""

    kind: Literal["command"] = COMMAND
    words: tuple[str, ...] = ()
    """The command and its arguments."""

    options = (COMMAND_LINE,)
    programs: ClassVar = {"hadoop": "howdah.engines.hadoop.programs.user_command:user_command"}
    sizes: ClassVar = {"hadoop": "howdah.planner.suite.programs:user_command"}
    not_on: ClassVar = {
        "local": "its applications need YARN",
        "sim": "what it does is unknown",
    }
    limited = False
    reported_phases = ("waiting", "running")

    def in_words(self) -> tuple[str, ...]:
        return (shlex.join(self.words),)

    def progress_bytes(self) -> int:
        return 0
