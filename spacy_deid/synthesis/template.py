"""Parser for the slot language of notes and grammar.

A template is text with slots in braces: `{role.form.modifier}` is PHI, `{role.form=text}` PHI with
a value written by the author, `{a|b}` one of several texts, `{@name}` an entry of the grammar,
`{n:60-110}` and `{f:3.5-5.2}` are numbers, `{{` and `}}` are literal braces.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .roles import FORMS, MODIFIERS, Role, find_role


class TemplateError(ValueError):
    """An error in a template; the message has file, line and reason."""


@dataclass(frozen=True)
class Text:
    """Literal text."""

    text: str


@dataclass(frozen=True)
class Slot:
    """A placeholder for PHI.

    name (str): The role as written, with its number.
    role (Role): The role.
    form (str): Form of the value; empty for the plain form.
    modifier (str): Change of case, or empty.
    written (str): The value written by the note's author, which some notes keep; or empty.
    """

    name: str
    role: Role
    form: str = ""
    modifier: str = ""
    written: str = ""

    @property
    def type(self) -> str:
        """PHI type of the slot's values."""
        return _TYPES_OF_FORMS.get(self.form, self.role.type)


@dataclass(frozen=True)
class Choice:
    """A choice between sequences of nodes."""

    options: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True)
class Entry:
    """A random entry of the grammar file `name`."""

    name: str


@dataclass(frozen=True)
class Number:
    """A random number between two bounds, with `decimals` digits after the point."""

    low: float
    high: float
    decimals: int


Node = Text | Slot | Choice | Entry | Number
Nodes = tuple[Node, ...]

_TYPES_OF_FORMS = {"user": "USERNAME", "email": "EMAIL"}
_JOB_NUMBER = re.compile(r"(?:#|\bno\.?|\bnumber|\bid)[ \t]*:?[ \t]*$", re.IGNORECASE)
_SLOT_FIRST = re.compile(r"\{\{[@a-z][\w.:-]*(?:=[^{}|]*)?\}(?!\})")
_PLAIN = re.compile(r"[^{}|]+")
_SLOT = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z0-9_]+){0,2}")
_ENTRY = re.compile(r"@([a-z][a-z0-9_]*)")
_INTEGER = re.compile(r"n:(\d+)-(\d+)")
_DECIMAL = re.compile(r"f:(\d+\.(\d+))-(\d+\.\d+)")


def parse_template(source: str, where: str, first_line: int = 1) -> Nodes:
    """Parse a template.

    source (str): Its text.
    where (str): Its file, for messages.
    first_line (int): Its first line in the file, for messages.
    RETURNS (Nodes): Its nodes.
    RAISES (TemplateError): If braces do not match or a slot is unknown.
    """
    return _Parser(source, where, first_line).parse()


class _Parser:
    """Recursive-descent parser for one template."""

    def __init__(self, source: str, where: str, first_line: int) -> None:
        self.source = source
        self.where = where
        self.first_line = first_line
        self.at = 0

    def parse(self) -> Nodes:
        nodes = self._nodes("")
        if self.at < len(self.source):
            raise self._error("'}' without '{'", self.at)
        return nodes

    def _nodes(self, stops: str) -> Nodes:
        """Nodes up to one of the characters `stops` (not consumed) or the end."""
        nodes: list[Node] = []
        text: list[str] = []
        while self.at < len(self.source):
            char = self.source[self.at]
            if char in "{}" and self._is_literal(char, stops):
                text.append(char)
                self.at += 2
            elif char == "{":
                if text:
                    nodes.append(Text("".join(text)))
                    text = []
                nodes.append(self._braces())
            elif char in stops or char == "}":
                break
            else:
                plain = _PLAIN.match(self.source, self.at + 1)
                end = plain.end() if plain else self.at + 1
                text.append(self.source[self.at : end])
                self.at = end
        if text:
            nodes.append(Text("".join(text)))
        return tuple(nodes)

    def _is_literal(self, char: str, stops: str) -> bool:
        """Whether this is a doubled brace, not a choice that begins or ends with a slot."""
        if not self.source.startswith(char * 2, self.at):
            return False
        return not stops if char == "}" else not _SLOT_FIRST.match(self.source, self.at)

    def _braces(self) -> Node:
        start = self.at
        self.at += 1
        options = [self._nodes("|}")]
        while self._peek() == "|":
            self.at += 1
            options.append(self._nodes("|}"))
        if self._peek() != "}":
            raise self._error("'{' without '}'", start)
        self.at += 1
        if len(options) == 1:
            return self._slot(self.source[start + 1 : self.at - 1], start)
        return Choice(self._without_padding(options, start))

    def _peek(self) -> str:
        return self.source[self.at : self.at + 1]

    def _without_padding(self, options: list[Nodes], start: int) -> tuple[Nodes, ...]:
        """Drop the blanks in `{ {a}|b }` that only keep braces apart, next to other blanks."""
        before = self.source[start - 1 : start]
        if options[0][:1] == (Text(" "),) and (not before or before in " \n\t("):
            options[0] = options[0][1:]
        after = self._peek()
        if options[-1][-1:] == (Text(" "),) and (not after or after in " \n\t.,;:)"):
            options[-1] = options[-1][:-1]
        return tuple(options)

    def _slot(self, content: str, start: int) -> Node:
        """The node of braces without alternatives."""
        if match := _ENTRY.fullmatch(content):
            return Entry(match[1])
        if match := _INTEGER.fullmatch(content):
            return self._number(match[1], match[2], 0, start)
        if match := _DECIMAL.fullmatch(content):
            return self._number(match[1], match[3], len(match[2]), start)
        name, equals, written = content.partition("=")
        if not _SLOT.fullmatch(name):
            raise self._error(f"'{{{name}}}' is no slot", start)
        if equals and written.strip() != (written or None):
            raise self._error(f"the value of '{{{name}=}}' is empty or has blanks around it", start)
        return self._phi(name.split("."), written, start)

    def _number(self, low: str, high: str, decimals: int, start: int) -> Number:
        if float(low) > float(high):
            raise self._error(f"the range {low}-{high} is upside down", start)
        return Number(float(low), float(high), decimals)

    def _phi(self, parts: list[str], written: str, start: int) -> Slot:
        name, *rest = parts
        try:
            role = find_role(name)
        except ValueError as error:
            raise self._error(str(error), start) from None
        if role.base == "job" and _JOB_NUMBER.search(self.source[max(0, start - 12) : start]):
            role = find_role(f"jobnumber{role.number}")  # "Job# {job}" is the dictation's number
        modifier = rest.pop() if rest and rest[-1] in MODIFIERS else ""
        form = rest.pop(0) if rest else ""
        if rest or (form and form not in FORMS[role.kind]):
            known = ", ".join(sorted(FORMS[role.kind])) or "none"
            wrong = ".".join([form, *rest])
            raise self._error(f"role '{name}' has no form '{wrong}' (its forms: {known})", start)
        return Slot(name, role, form, modifier, written)

    def _error(self, problem: str, at: int) -> TemplateError:
        line = self.first_line + self.source.count("\n", 0, at)
        return TemplateError(f"{self.where}:{line}: {problem}")
