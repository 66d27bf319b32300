#!/bin/sh
# need-python.sh PYTHON: fail unless that Python is new enough and can make virtual environments.
if ! "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    printf 'error: %s: is %s; howdah needs Python 3.11 or later\n' "$1" "$("$1" --version 2>&1)" >&2
    printf '       sudo apt-get install python3.11-venv && make PYTHON=python3.11 demo\n' >&2
    exit 2
fi
if ! "$1" -c 'import venv, ensurepip' 2>/dev/null; then
    printf 'error: %s: cannot make virtual environments\n       sudo apt-get install python3-venv\n' "$1" >&2
    exit 2
fi
