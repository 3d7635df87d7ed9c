"""Write docs/reference/cli.md: all commands, arguments and options of the command line.

python scripts/cli_page.py
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import typer

from spacy_deid.cli import app
from spacy_deid.files import replacing

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "cli.md"


def cli_page() -> str:
    """The page, in Markdown."""
    group: Any = typer.main.get_command(app)
    parts = ["# Command line", "Made by `python scripts/cli_page.py`; do not edit.", group.help]
    parts += _table("option", [param for param in group.params if "completion" not in param.name])
    for name, command in sorted(group.commands.items()):
        parts += [f"## {name}", *_command(name, command.load())]
    return "\n\n".join(parts) + "\n"


def _command(name: str, command: Any) -> list[str]:
    text, *examples = re.split(r"^Examples?:$", inspect.cleandoc(command.help), flags=re.MULTILINE)
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    options = [param for param in command.params if param.param_type_name == "option"]
    usage = " ".join(["spacy-deid", name, "[OPTIONS]", *map(_name, arguments)])
    lines = "\n".join(line for line in "".join(examples).splitlines() if line)
    return [
        f"```text\n{usage}\n```",
        text.strip(),
        *_table("argument", arguments),
        *_table("option", options),
        *([f"```text\n{lines}\n```"] if lines else []),
    ]


def _table(kind: str, params: list[Any]) -> list[str]:
    rows = [
        f"| `{_name(param)}` | {param.help or ''}{_default(param)} |".replace("  ", " ")
        for param in params
        if not getattr(param, "hidden", False)
    ]
    return ["\n".join([f"| {kind} | |", "|---|---|", *rows])] if rows else []


def _name(param: Any) -> str:
    if param.param_type_name == "argument":
        return str(param.metavar or param.name.upper())
    return "`, `".join(sorted(param.opts, key=len, reverse=True))


def _default(param: Any) -> str:
    value = param.default
    if value in (None, "") or value is False or param.param_type_name == "argument":
        return ""
    return f" Default: `{value}`."


if __name__ == "__main__":
    with replacing(PAGE) as file:
        file.write(cli_page().encode("utf-8"))
