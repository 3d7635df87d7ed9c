"""A template and a cast become a note's text and its exact PHI."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

from ..notes import PhiSpan
from .cast import Cast, Value
from .template import Choice, Entry, Nodes, Number, Slot, TemplateError, Text

_MAX_DEPTH = 12
_SENTENCE_START = re.compile(r"(?:^|[.!?]\s+|\n[ \t]*\n\s*)$")
_PROSE_TYPES = frozenset(["DATE", "AGE", "PROFESSION"])


class Renderer:
    """Writes one note.

    cast (Cast): Who, where and when.
    grammar (Mapping[str, Sequence[Nodes]]): Entries of each grammar file by its name.
    rng (random.Random): Chooses alternatives, entries and numbers.
    """

    def __init__(
        self, cast: Cast, grammar: Mapping[str, Sequence[Nodes]], rng: random.Random
    ) -> None:
        self.cast = cast
        self.grammar = grammar
        self.rng = rng
        self._parts: list[str] = []
        self._length = 0
        self._spans: list[PhiSpan] = []

    def render(self, nodes: Nodes) -> tuple[str, list[PhiSpan]]:
        """The text of `nodes` and its PHI, in order and without blanks at the ends of a span.

        RAISES (TemplateError): If grammar entries are missing or call each other without end.
        """
        self._parts, self._length, self._spans = [], 0, []
        self._write(nodes, 0)
        return "".join(self._parts), self._spans

    def _write(self, nodes: Nodes, depth: int) -> None:
        if depth > _MAX_DEPTH:
            raise TemplateError("grammar entries call each other without end")
        for i, node in enumerate(nodes):
            match node:
                case Text():
                    self._add(node.text)
                case Slot():
                    following = nodes[i + 1] if i + 1 < len(nodes) else None
                    follows = following.text if isinstance(following, Text) else ""
                    self._add_phi(self.cast.value(node, follows))
                case Choice():
                    self._write(self.rng.choice(node.options), depth + 1)
                case Entry():
                    self._write(self._entry(node.name), depth + 1)
                case Number():
                    self._add(self._number(node))

    def _entry(self, name: str) -> Nodes:
        entries = self.grammar.get(name)
        if not entries:
            raise TemplateError(f"the grammar has no file '{name}.txt', which '{{@{name}}}' names")
        return self.rng.choice(entries)

    def _number(self, node: Number) -> str:
        if not node.decimals:
            return str(self.rng.randint(int(node.low), int(node.high)))
        return f"{self.rng.uniform(node.low, node.high):.{node.decimals}f}"

    def _add(self, text: str) -> None:
        if text:
            self._parts.append(text)
            self._length += len(text)

    def _add_phi(self, value: Value) -> None:
        lead, text = value.lead, value.text.strip()
        if value.type in _PROSE_TYPES and self._at_sentence_start():
            if lead:
                lead = lead[0].upper() + lead[1:]
            else:
                text = text[0].upper() + text[1:]
        self._add(lead)
        start = self._length
        self._add(text)
        self._spans.append(PhiSpan(start, self._length, value.type))

    def _at_sentence_start(self) -> bool:
        before = "".join(self._parts[-2:])[-6:]
        return bool(_SENTENCE_START.search(before)) if before else True
