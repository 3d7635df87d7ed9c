"""Renders a template and a cast to a note's text and its exact PHI."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

from ..annotation.notes import PhiSpan
from .cast import Cast, Value
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
    """Writes one note.

    cast (Cast): The values of slots.
    grammar (Mapping[str, Sequence[Nodes]]): Entries by name of the grammar file.
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
        self._slots: list[Slot] = []

    def render(self, nodes: Nodes) -> tuple[str, list[PhiSpan]]:
        """The text of `nodes` and its PHI, in order, trimmed of surrounding blanks.

        RAISES (TemplateError): If grammar entries are missing or recursive without end.
        """
        self._parts, self._length, self._spans, self._slots = [], 0, [], []
        self._write(nodes, 0)
        text = "".join(self._parts)
        return text, _merged(text, self._spans, self._slots)

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
                    cased = bool(node.modifier or node.written)
                    value = self.cast.value(node, follows)
                    if value.type:
                        self._add_phi(value, case_is_given=cased)
                        self._slots.append(node)
                    else:
                        self._add(value.text)
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

    def _add_phi(self, value: Value, *, case_is_given: bool) -> None:
        text = value.text.strip()
        lead = "" if self._ends_with(value.lead) else value.lead
        prose = value.type in _PROSE_TYPES and not case_is_given
        if prose and self._at_sentence_start():
            if lead:
                lead = lead[0].upper() + lead[1:]
            else:
                text = text[0].upper() + text[1:]
        self._add(lead)
        start = self._length
        self._add(text)
        self._spans.append(PhiSpan(start, self._length, value.type))

    def _ends_with(self, lead: str) -> bool:
        """Whether the text before a value already ends with its lead: "the {date.day_ordinal}"."""
        return self._last_words().lower().endswith(lead)

    def _at_sentence_start(self) -> bool:
        before = self._last_words()
        return bool(_SENTENCE_START.search(before)) if before else True

    def _last_words(self) -> str:
        """The end of the text so far."""
        return "".join(self._parts[-2:])[-6:]


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
