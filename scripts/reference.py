"""Write the reference pages that are made from the code: the command line, and the inventory's keys.

.venv/bin/python scripts/reference.py docs
"""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path
from typing import Any

import typer

from howdah.cli.lazy import COMMANDS
from howdah.cli.main import app
from howdah.markdown import pipe_table

ROOT = Path(__file__).parents[1]
_MADE = "<!-- Written by `scripts/reference.py`; run `make docs` instead of changing it. -->"
_COMMANDS_INTRODUCTION = """\
# The command line

Every command, its arguments and its options, as `howdah COMMAND --help-all` shows them. A command that
succeeds ends with exit code 0. A user's mistake ends with 2 and one message: the place, the problem and the
fix. A run that fails ends with 1 and keeps its record, and Ctrl-C ends with 130.
"""
_INVENTORY_INTRODUCTION = """\
# The inventory's keys

Every key of an inventory, from its JSON schema (`howdah inventory schema`).
[The inventory](inventory.md) explains how to write one.
"""


def main(folder: Path) -> None:
    """Write all pages into a folder."""
    for name, text in pages().items():
        (folder / name).write_text(text)


def pages() -> dict[str, str]:
    """Every page by its file's name."""
    return {"command-line.md": command_line(), "inventory-keys.md": inventory_keys()}


def command_line() -> str:
    """The page of all commands."""
    root: Any = typer.main.get_command(app)
    context = root.make_context("howdah", [], resilient_parsing=True)
    parts = [_MADE, _COMMANDS_INTRODUCTION]
    for name in COMMANDS:
        command = root.get_command(context, name)
        parts.append(_command(f"howdah {name}", command))
        if hasattr(command, "commands"):
            parts += [_command(f"howdah {name} {word}", below) for word, below in command.commands.items()]
    return "\n".join(parts)


def _command(name: str, command: Any) -> str:
    usage = [name, *(_argument(one) for one in command.params if one.param_type_name == "argument")]
    options = [one for one in command.params if one.param_type_name == "option"]
    below = " COMMAND" if hasattr(command, "commands") else ""
    parts = [
        f"## {name}\n",
        f"    {' '.join(usage)}{' [OPTIONS]' if options else ''}{below}\n",
        _prose(command.help),
    ]
    arguments = [
        (f"`{_argument(one)}`", one.help or "") for one in command.params if one.param_type_name == "argument"
    ]
    if any(text for _, text in arguments):
        parts.append(pipe_table(("argument", "meaning"), arguments) + "\n")
    if options:
        rows = [(_flag(option), _meaning(option)) for option in options]
        parts.append(pipe_table(("option", "meaning"), rows) + "\n")
    return "\n".join(parts)


def _argument(argument: Any) -> str:
    name = argument.metavar or argument.name.upper()
    text = name if argument.required else f"[{name}]"
    return f"{text} …" if argument.nargs == -1 else text


def _flag(option: Any) -> str:
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    metavar = "" if option.is_flag else option.metavar or ""
    return f"{names} `{metavar}`" if metavar else names


def _meaning(option: Any) -> str:
    parts = [_prose(option.help or "").strip()]
    default = option.default
    if isinstance(default, int | float | str | Path) and not isinstance(default, bool) and str(default):
        parts.append(f"Default: `{default}`.")
    if option.envvar:
        parts.append(f"Environment: `{option.envvar}`.")
    return " ".join(part for part in parts if part)


def _prose(text: str | None) -> str:
    paragraphs = inspect.cleandoc(text or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs) + "\n"


def inventory_keys() -> str:
    """The page of an inventory's keys."""
    schema = json.loads((ROOT / "schemas/inventory.schema.json").read_text())
    parts = [_MADE, _INVENTORY_INTRODUCTION, _class("Inventory", schema)]
    parts += [_class(name, content) for name, content in schema["$defs"].items()]
    return "\n".join(parts)


def _class(name: str, schema: dict[str, Any]) -> str:
    head = f"## {name}\n\n{_prose(schema.get('description'))}"
    if "enum" in schema:
        return f"{head}\nOne of {', '.join(f'`{value}`' for value in schema['enum'])}.\n"
    required = set(schema.get("required", ()))
    rows = [
        (
            f"`{key}`",
            _type(content),
            "yes" if key in required else "",
            _prose(content.get("description")).strip() + _default(content),
        )
        for key, content in schema["properties"].items()
    ]
    return f"{head}\n{pipe_table(('key', 'type', 'required', 'meaning'), rows)}\n"


def _default(schema: dict[str, Any]) -> str:
    value = schema.get("default")
    return f" Default: `{value}`." if value not in (None, [], "") else ""


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"] if one.get("type") != "null")
    if "const" in schema:
        return f"`{schema['const']}`"
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}"
    return str(schema.get("type", "any"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
