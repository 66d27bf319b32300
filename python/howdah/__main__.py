"""Where ``howdah`` and ``python -m howdah`` begin: Ctrl-C ends them politely even while they load."""

from __future__ import annotations

import sys
from importlib import import_module

from howdah.errors import Aborted


def main() -> None:
    """Load the command line and run it; the process's exit code shows whether it succeeded."""
    try:
        command = import_module("howdah.cli.main")
    except KeyboardInterrupt:
        print("error: stopped by the user", file=sys.stderr)
        sys.exit(Aborted.exit_code)
    command.main()


if __name__ == "__main__":
    main()
