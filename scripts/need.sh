#!/bin/sh
# need.sh COMMAND WHAT INSTALL: fail with the command that installs a missing prerequisite.
command -v "$1" >/dev/null 2>&1 && exit 0
printf 'error: %s: not found; howdah needs %s\n       %s\n' "$1" "$2" "$3" >&2
exit 2
