"""Renders a template with the values of a note to its text and its exact PHI."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from itertools import zip_longest

from ..annotation.notes import PhiSpan
from .library import Template
from .note_values import NoteValues
from .template import Choice, Entry, Nodes, Number, Slot, TemplateError, Text

_MAX_DEPTH = 12
_SENTENCE_START = re.compile(r"(?:^|[.!?]\s+|\n[ \t]*\n\s*)$")
_NAME_GAPS = frozenset([" ", ", ", ","])
_NICK_GAPS = frozenset([(' "', '" '), (" (", ") "), (" '", "' "), (" \u201c", "\u201d ")])
_BEFORE_DATES = frozenset(["weekday", "weekday_short", "holiday", "month", "month_day", "season"])
_OF_DATES = {  # forms around "of": "the 19th of January", "March of 2017"
    "day_ordinal": frozenset(["month", "month_year"]),
    **dict.fromkeys(("month", "season", "holiday"), frozenset(["year"])),
}
_PROSE_TYPES = frozenset(["DATE", "AGE", "PROFESSION"])


class Renderer:
    """Writes one note; `grammar` holds the entries by name of their file."""

    def __init__(
        self, values: NoteValues, grammar: Mapping[str, Sequence[Template]], rng: random.Random
    ) -> None:
        self.values = values
        self.grammar = grammar
        self.rng = rng
        self._parts: list[str] = []
        self._length = 0
        self._spans: list[PhiSpan] = []
        self._slots: list[Slot] = []

    def render(self, nodes: Nodes) -> tuple[str, list[PhiSpan]]:
        """The text of `nodes` and its PHI, in order.

        RAISES (TemplateError): If grammar entries are missing or recursive without end.
        """
        self._parts, self._length, self._spans, self._slots = [], 0, [], []
        self._write(nodes, 0)
        text = "".join(self._parts)
        return text, _merged(text, self._spans, self._slots)

    def _write(self, nodes: Nodes, depth: int) -> None:
        if depth > _MAX_DEPTH:
            raise TemplateError("grammar entries call each other without end")
        for node, following in zip_longest(nodes, nodes[1:]):
            match node:
                case Text():
                    self._add(node.text)
                case Slot():
                    follows = following.text if isinstance(following, Text) else ""
                    self._add_value(node, *self.values.value(node, follows))
                case Choice():
                    self._write(self.rng.choice(node.options), depth + 1)
                case Entry():
                    self._write(self._entry(node.name), depth + 1)
                case Number(low, high, 0):
                    self._add(str(self.rng.randint(int(low), int(high))))
                case Number():
                    self._add(f"{self.rng.uniform(node.low, node.high):.{node.decimals}f}")

    def _entry(self, name: str) -> Nodes:
        entries = self.grammar.get(name)
        if not entries:
            raise TemplateError(f"the grammar has no file '{name}.txt', which '{{@{name}}}' names")
        return self.rng.choice(entries).nodes

    def _add(self, text: str) -> None:
        if text:
            self._parts.append(text)
            self._length += len(text)

    def _add_value(self, slot: Slot, text: str, lead: str) -> None:
        if not slot.type:
            self._add(text)
            return
        text = text.strip()
        before = "".join(self._parts[-2:])[-6:]
        if before.lower().endswith(lead):  # the template has it already: "the {date.day_ordinal}"
            lead = ""
        prose = slot.type in _PROSE_TYPES and not (slot.modifier or slot.default)
        if prose and _SENTENCE_START.search(before):
            lead, text = lead[:1].upper() + lead[1:], text if lead else text[0].upper() + text[1:]
        self._add(lead)
        start = self._length
        self._add(text)
        self._spans.append(PhiSpan(start, self._length, slot.type))
        self._slots.append(slot)


def _merged(text: str, spans: Sequence[PhiSpan], slots: Sequence[Slot]) -> list[PhiSpan]:
    """The spans, those of one name or one date merged into one mention."""
    merged: list[PhiSpan] = []
    i = 0
    while i < len(spans):
        last = i
        while (step := _next_of_mention(text, spans, slots, last)) > last:
            last = step
        merged.append(PhiSpan(spans[i].start, spans[last].end, spans[i].type))
        i = last + 1
    return merged


def _next_of_mention(text: str, spans: Sequence[PhiSpan], slots: Sequence[Slot], i: int) -> int:
    """The next slot in the mention of slot `i` ("Lopez" before ", Maria"), or `i` itself."""
    gaps = [
        text[a.end : b.start] for a, b in zip(spans[i : i + 2], spans[i + 1 : i + 3], strict=False)
    ]
    if not gaps or spans[i].type != spans[i + 1].type:
        return i
    this, following = slots[i], slots[i + 1]
    if this.role.kind == "person" and this.name == following.name:
        if gaps[0] in _NAME_GAPS:
            return i + 1
        around = len(gaps) > 1 and tuple(gaps) in _NICK_GAPS
        return i + 2 if around and slots[i + 2].name == this.name else i
    return i + 1 if this.role.kind == "date" and _is_one_date(this, gaps[0], following) else i


def _is_one_date(this: Slot, gap: str, following: Slot) -> bool:
    """Whether two date slots and the text between them are one date."""
    match gap:
        case " " | ", ":
            begins_another = following.form in _BEFORE_DATES - {"month_day"}
            return this.form in _BEFORE_DATES and not begins_another
        case " of ":
            return following.form in _OF_DATES.get(this.form, ())
        case " the ":
            return this.form.startswith("weekday") and following.form == "day_ordinal"
    return False
