"""The decorator that makes a function a command."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, getdoc, signature
from typing import Any, get_type_hints

import typer
from typer.core import TyperCommand

from .commands import IMPORTED, SUMMARIES, make_app
from .messages import fail


class Command(TyperCommand):
    """A command that also takes the former names of its options."""

    former: Mapping[str, str] = {}

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments; former names of options are replaced by current ones."""
        split = (arg.partition("=") for arg in args)
        return super().parse_args(
            ctx, [f"{self.former.get(name, name)}{sign}{value}" for name, sign, value in split]
        )


def command(name: str, **former: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function a command; an error that the user can correct ends it with exit code 2.

    Its help is its line in `SUMMARIES` and its docstring. A parameter that is a dataclass stands
    for its fields, each an option.

    **former (str): Former names of options that still work, each with the name of today.
    """
    names = {_flag(old): _flag(new) for old, new in former.items()}
    cls = type("Command", (Command,), {"former": names})

    def register(function: Callable[..., None]) -> Callable[..., None]:
        app = IMPORTED[name] = make_app(add_completion=False)
        text = f"{SUMMARIES[name]}\n\n{getdoc(function)}"
        return app.command(name, cls=cls, help=text)(_exit_on_error()(_flat(function)))

    return register


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}" if len(name) > 1 else f"-{name}"


def _flat(function: Callable[..., None]) -> Callable[..., None]:
    """The function with the fields of its dataclasses as parameters."""
    parameters: list[Parameter] = []
    groups: dict[str, Any] = {}
    for parameter in signature(function, eval_str=True).parameters.values():
        group = parameter.annotation
        if not is_dataclass(group):
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY))
            continue
        types = get_type_hints(group, include_extras=True)
        groups[parameter.name] = group
        parameters += (
            Parameter(f.name, Parameter.KEYWORD_ONLY, default=f.default, annotation=types[f.name])
            for f in fields(group)
        )

    @wraps(function)
    def flat(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{f.name: values.pop(f.name) for f in fields(group)})
        function(**values)

    flat.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return flat


@contextmanager
def _exit_on_error() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:  # typer ends the command silently
        raise
    except (ValueError, OSError) as error:
        fail(str(error))
        raise typer.Exit(2) from None
