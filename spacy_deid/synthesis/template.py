"""Parser for the slot language of notes and grammar.

A template is text with slots in braces: `{role.form.modifier}` is PHI, `{role.form=text}` PHI with
a default value, `{a|b}` one of several texts, `{@name}` an entry of the grammar, `{n:60-110}` and
`{f:3.5-5.2}` are numbers, `{{` and `}}` are literal braces.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from .roles import FORMS, MODIFIERS, Role, find_role


class TemplateError(ValueError):
    """An error in a template; the message has file, line and reason."""


class Text(NamedTuple):
    """Literal text."""

    text: str


@dataclass(frozen=True)
class Slot:
    """A placeholder for PHI."""

    name: str  # the role's name with its number
    role: Role
    form: str = ""  # form of the value; empty for the plain form
    modifier: str = ""  # change of case, or empty
    default: str = ""  # the value given in the template, which some notes use; or empty

    @property
    def type(self) -> str:
        """PHI type of the slot's values."""
        return _TYPES_OF_FORMS.get(self.form, self.role.type)

    @property
    def case(self) -> str:
        """Case of the values, "upper" or "lower": the modifier's or the default's; else empty."""
        if self.modifier or self.role.kind not in _CASED_KINDS or self.form in _FORMS_OF_OWN_CASE:
            return self.modifier
        if self.default.islower():
            return "lower"
        letters = sum(char.isalpha() for char in self.default)
        return "upper" if self.default.isupper() and letters > _LONGEST_ACRONYM else ""


class Choice(NamedTuple):
    """A choice between sequences of nodes."""

    options: tuple[tuple[Node, ...], ...]


class Entry(NamedTuple):
    """A random entry of the grammar file `name`."""

    name: str


class Number(NamedTuple):
    """A random number between two bounds, with `decimals` digits after the point."""

    low: float
    high: float
    decimals: int


Node = Text | Slot | Choice | Entry | Number
Nodes = tuple[Node, ...]

_TYPES_OF_FORMS = {"user": "USERNAME", "email": "EMAIL"}
_CASED_KINDS = frozenset("person care org place street date profession state".split())
_FORMS_OF_OWN_CASE = frozenset("abbr initials dictation user email".split())
_LONGEST_ACRONYM = 3
# A doubled brace is literal, unless a choice begins with a slot ("{{a}|b}") or ends with one.
_OPENING = r"\{\{(?![@a-z][\w.:-]*(?:=[^{}|]*)?\}(?!\}))"
_TEXT = re.compile(rf"(?:[^{{}}]|{_OPENING}|\}}\}})+")
_TEXT_IN_BRACES = re.compile(rf"(?:[^{{}}|]|{_OPENING})+")
_SLOT = re.compile(r"([a-z][a-z0-9_]*(?:\.[a-z0-9_]+){0,2})(?:(=)(.*))?", re.DOTALL)
_ENTRY = re.compile(r"@([a-z][a-z0-9_]*)")
_NUMBER = re.compile(r"(?:n:(\d+)-(\d+)|f:(\d+\.(\d+))-(\d+\.\d+))")


def parse_template(source: str, where: str, first_line: int = 1) -> Nodes:
    """Parse a template.

    where, first_line: Its file and its first line there, for messages.
    RAISES (TemplateError): If braces do not match or a slot is unknown.
    """
    parser = _Parser(source)
    try:
        return parser.parse()
    except ValueError as error:
        line = first_line + source.count("\n", 0, parser.slot_start)
        raise TemplateError(f"{where}:{line}: {error}") from None


class _Parser:
    """Recursive-descent parser for one template."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.slot_start = 0

    def parse(self) -> Nodes:
        nodes = self._nodes(_TEXT)
        if self.at < len(self.source):
            self.slot_start = self.at
            raise ValueError("'}' without '{'")
        return nodes

    def _nodes(self, text: re.Pattern[str]) -> Nodes:
        """Nodes up to the end, or up to a brace or bar that is not part of a text or slot."""
        nodes: list[Node] = []
        while self.at < len(self.source):
            if match := text.match(self.source, self.at):
                nodes.append(Text(match[0].replace("{{", "{").replace("}}", "}")))
                self.at = match.end()
            elif self._next_is("{"):
                nodes.append(self._braces())
            else:
                break
        return tuple(nodes)

    def _next_is(self, char: str) -> bool:
        return self.source.startswith(char, self.at)

    def _braces(self) -> Node:
        start = self.at
        options: list[Nodes] = []
        while not options or self._next_is("|"):
            self.at += 1
            options.append(self._nodes(_TEXT_IN_BRACES))
        self.slot_start = start
        if not self._next_is("}"):
            raise ValueError("'{' without '}'")
        self.at += 1
        if len(options) == 1:
            return _slot(self.source[start + 1 : self.at - 1])
        return Choice(self._without_padding(options, start))

    def _without_padding(self, options: list[Nodes], start: int) -> tuple[Nodes, ...]:
        """Drop the blanks in `{ {a}|b }` that only keep braces apart, next to other blanks."""
        before = self.source[start - 1 : start]
        if options[0][:1] == (Text(" "),) and (not before or before in " \n\t("):
            options[0] = options[0][1:]
        after = self.source[self.at : self.at + 1]
        if options[-1][-1:] == (Text(" "),) and (not after or after in " \n\t.,;:)"):
            options[-1] = options[-1][:-1]
        return tuple(options)


@cache  # the same few thousand slots stand in all templates
def _slot(content: str) -> Node:
    """The node of braces without alternatives."""
    if match := _ENTRY.fullmatch(content):
        return Entry(match[1])
    if match := _NUMBER.fullmatch(content):
        low, high = float(match[1] or match[3]), float(match[2] or match[5])
        if low > high:
            raise ValueError(f"the range {content[2:]} is upside down")
        return Number(low, high, len(match[4] or ""))
    match = _SLOT.fullmatch(content)
    if not match:
        raise ValueError(f"'{{{content.partition('=')[0]}}}' is not a slot")
    name, equals, default = match.groups("")
    if equals and default.strip() != (default or None):
        raise ValueError(f"the value of '{{{name}=}}' is empty or has blanks around it")
    return _phi(name.split("."), default)


def _phi(parts: list[str], default: str) -> Slot:
    name, *rest = parts
    role = find_role(name)
    modifier = rest.pop() if rest and rest[-1] in MODIFIERS else ""
    form = ".".join(rest)
    if form and form not in FORMS[role.kind]:
        known = ", ".join(sorted(FORMS[role.kind])) or "none"
        raise ValueError(f"role '{name}' has no form '{form}' (its forms: {known})")
    return Slot(name, role, form, modifier, default)
