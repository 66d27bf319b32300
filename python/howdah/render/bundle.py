"""The parts of a module of Ansible as the one file that it has to be."""

from __future__ import annotations

import ast
from functools import cache
from importlib import resources

_PACKAGE = "howdah.render.modules"
_END = (
    "\n\n"
    "# Ansible puts its arguments in the place of what follows; the comment beneath makes it do so.\n"
    'main("<<INCLUDE_ANSIBLE_MODULE_COMPLEX_ARGS>>")\n'
    "# <<INCLUDE_ANSIBLE_MODULE_JSON_ARGS>>\n"
)
PROGRAMS = ("howdah_host", "howdah_look", "howdah_daemon", "howdah_hdfs", "howdah_key", "howdah_conf")
"""The modules that playbooks name."""
OF_KERBEROS = ("howdah_secrets", "howdah_doors")
"""Those that they name where there is Kerberos alone."""


@cache
def bundled(program: str) -> str:
    """A module's whole text: what it imports, the parts that it needs, itself, and its beginning."""
    parts: dict[str, str] = {}
    imports: set[str] = set()
    _collect(program, parts, imports)
    *needed, (_, own) = parts.items()
    bodies = [f"# --- {name}\n\n{_body(text)}" for name, text in (*needed, (program, own))]
    head = ast.get_docstring(ast.parse(own), clean=False)
    plain = sorted(line for line in imports if line.startswith("import "))
    chosen = sorted(imports - set(plain))
    return (
        "#!/usr/bin/python3\n"
        f'"""{head}"""\n\nfrom __future__ import annotations\n\n'
        + "\n".join([*plain, *chosen])
        + "\n\n"
        + "\n\n".join(bodies)
        + _END
    )


def _collect(name: str, parts: dict[str, str], imports: set[str]) -> None:
    """A module's source after those of the modules that it imports, each once."""
    if name in parts:
        return
    source = resources.files(_PACKAGE).joinpath(f"{name}.py").read_text(encoding="utf-8")
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith(f"{_PACKAGE}."):
            _collect((statement.module or "").removeprefix(f"{_PACKAGE}."), parts, imports)
        elif isinstance(statement, ast.Import | ast.ImportFrom) and ast.unparse(statement) != _FUTURE:
            imports.add(ast.unparse(statement))
    parts[name] = source


_FUTURE = "from __future__ import annotations"


def _body(source: str) -> str:
    """A source without its docstring and imports."""
    lines = source.splitlines()
    last = max(
        (
            statement.end_lineno or 0
            for index, statement in enumerate(ast.parse(source).body)
            if isinstance(statement, ast.Import | ast.ImportFrom) or index == 0
        ),
        default=0,
    )
    return "\n".join(lines[last:]).strip("\n") + "\n"
