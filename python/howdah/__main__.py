"""Where ``howdah`` and ``python -m howdah`` begin: Ctrl-C ends them politely even while they load."""

from __future__ import annotations

import signal
import sys
import threading
from importlib import import_module
from typing import TYPE_CHECKING

from howdah.errors import Aborted

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_AGAIN_S = 0.05


def main() -> None:
    """Load the command line and run it; the process's exit code says how it went."""
    sys.unraisablehook = _interrupt_again
    try:
        command = import_module("howdah.cli.main")
    except KeyboardInterrupt:
        print("error: stopped by the user", file=sys.stderr)
        sys.exit(Aborted.exit_code)
    command.main()


def _interrupt_again(ignored: UnraisableHookArgs) -> None:
    """Repeat a Ctrl-C that came during a callback, where Python ignores exceptions, a moment later."""
    if issubclass(ignored.exc_type, KeyboardInterrupt):
        main = threading.main_thread().ident, signal.SIGINT
        threading.Timer(_AGAIN_S, signal.pthread_kill, main).start()
    else:
        sys.__unraisablehook__(ignored)


if __name__ == "__main__":
    main()
