"""Note layouts: whole templates with insertions, or sections assembled from grammar entries."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import TypeVar

from .carriers import Carrier, CarrierSet
from .library import Library, Template
from .note_values import Patient
from .template import Node, Nodes, Text
from .values import Values

T = TypeVar("T", Template, Carrier)

_SECTIONS = (  # name, probability, minimum and maximum of entries
    ("cc", 0.4, 1, 1),
    ("opening", 0.9, 1, 2),
    ("body", 0.85, 1, 3),
    ("negative", 0.75, 3, 10),
    ("social", 0.65, 1, 3),
    ("family", 0.45, 1, 2),
    ("negative", 0.45, 3, 8),
    ("course", 0.6, 1, 5),
    ("contact", 0.5, 1, 3),
    ("sentence", 0.4, 1, 3),
    ("followup", 0.75, 1, 3),
)
_PHI_ENTRIES = ("sentence", "course", "contact", "followup", "social", "family")
_ANY_ENTRIES = (*_PHI_ENTRIES, "opening", "negative")
_SWAP_SHARE = 0.3
_ADDED_SHARE = 0.07  # of the sentences of carriers: an entry with PHI follows
_INSERT_SHARE = 0.5
_WHOLE_SHARE = 0.7
_SHORT_SHARE = 0.15
_CARRIER_SENTENCES = (8, 45)
_BLOCK_SHARE = 0.7
_TRIES = 12


class Composer:
    """Composes one note for a patient as a single template."""

    def __init__(
        self,
        library: Library,
        values: Values,
        carriers: CarrierSet,
        patient: Patient,
        rng: random.Random,
    ) -> None:
        self.library = library
        self.values = values
        self.carriers = carriers
        self.patient = patient
        self.rng = rng
        self._used: set[str] = set()

    def compose(self) -> Nodes:
        """A note of any layout."""
        rng = self.rng
        if self.library.notes and (rng.random() < _WHOLE_SHARE or not self.library.grammar):
            nodes = self._pick(self.library.notes).nodes
            return self._insert(nodes) if rng.random() < _INSERT_SHARE else nodes
        return self._message() if rng.random() < _SHORT_SHARE else self._sections()

    def _message(self) -> Nodes:
        """A few entries without headings: a call, a nurse's line, a message."""
        rng = self.rng
        entries = [self._entry(rng.choice(_ANY_ENTRIES)) for _ in range(rng.randint(1, 5))]
        if rng.random() < 0.3:
            entries.insert(0, self._entry("header"))
        if rng.random() < 0.5:
            entries.append(self._entry("signature"))
        return _joined(entries, rng.choice(self.values.shapes["message"]))

    def _sections(self) -> Nodes:
        """Sections with headings between a header and a signature."""
        rng, shapes = self.rng, self.values.shapes
        shape, case = rng.choice(shapes["heading"]), rng.choice(("", "", "upper", "lower", "title"))
        chosen = [section for section in _SECTIONS if rng.random() < section[1]]
        for i in range(2, len(chosen)):
            if rng.random() < _SWAP_SHARE:
                chosen[i - 1], chosen[i] = chosen[i], chosen[i - 1]
        parts = [self._entry("header")] if rng.random() < 0.85 else []
        for number, (name, _, least, most) in enumerate(chosen, 1):
            body = self._carrier_text() if name == "body" else self._section(name, least, most)
            if body:
                heading = rng.choice(self.values.headings[name])
                heading = getattr(heading, case)() if case else heading
                parts.append((Text(shape.format(h=heading, n=number)), *body))
        if rng.random() < 0.8:
            parts.append(self._entry("signature"))
        return _joined(filter(None, parts), rng.choice(shapes["section"]))

    def _section(self, name: str, least: int, most: int) -> Nodes:
        rng = self.rng
        entries = [self._entry(name) for _ in range(rng.randint(least, most))]
        if rng.random() < 0.3:
            entries.insert(rng.randrange(len(entries) + 1), self._entry("negative"))
        return _joined(filter(None, entries), rng.choice(self.values.shapes["list"]))

    def _pick(self, texts: Sequence[T]) -> T:
        """A text that fits the patient and is new to the note, if found in a few tries."""
        for _ in range(_TRIES):
            text = self.rng.choice(texts)
            fits = text.fits(self.patient.gender, self.patient.age)
            if fits and text.name not in self._used:
                break
        self._used.add(text.name)
        return text

    def _entry(self, name: str) -> Nodes:
        templates = self.library.grammar.get(name)
        return self._pick(templates).nodes if templates else ()

    def _block_or_entry(self) -> Nodes:
        rng = self.rng
        if self.library.blocks and rng.random() < _BLOCK_SHARE:
            return self._pick(self.library.blocks).nodes
        return self._entry(rng.choice(_ANY_ENTRIES))

    def _carrier_text(self) -> Nodes:
        """Carrier paragraphs with entries full of PHI in between."""
        rng = self.rng
        carriers = self.carriers.carriers
        if not carriers:
            return self._section("negative", 6, 16)
        wanted, sentences = rng.randint(*_CARRIER_SENTENCES), 0
        chosen: list[Nodes] = []
        for _ in range(_TRIES):
            paragraphs = self.carriers.paragraphs(self._pick(carriers))
            first = rng.randrange(len(paragraphs)) if paragraphs and rng.random() < 0.5 else 0
            for paragraph in paragraphs[first:]:
                if sentences < wanted:
                    sentences += len(paragraph)
                    chosen.append(self._with_phi(paragraph))
        return _joined(chosen, rng.choice(("\n", "\n\n")))

    def _with_phi(self, sentences: Sequence[Nodes]) -> Nodes:
        parts: list[Nodes] = []
        for sentence in sentences:
            parts.append(sentence)
            if self.rng.random() < _ADDED_SHARE:
                parts.append(self._entry(self.rng.choice(_PHI_ENTRIES)))
        return _joined(filter(None, parts), " ")

    def _insert(self, nodes: Nodes) -> Nodes:
        """`nodes` with a block, an entry or carrier text after one or two of its empty lines."""
        rng = self.rng
        gaps = [i for i, node in enumerate(nodes) if isinstance(node, Text) and "\n\n" in node.text]
        for i in sorted(rng.sample(gaps, min(len(gaps), rng.randint(1, 2))), reverse=True):
            carried = self.carriers.carriers and rng.random() < 0.5
            added = self._carrier_text() if carried else self._block_or_entry()
            node = nodes[i]
            if isinstance(node, Text) and added:
                before, after = node.text.split("\n\n", 1)
                inserted = (Text(f"{before}\n\n"), *added, Text(f"\n\n{after}"))
                nodes = (*nodes[:i], *inserted, *nodes[i + 1 :])
        return nodes


def _joined(parts: Iterable[Nodes], separator: str) -> Nodes:
    nodes: list[Node] = []
    for i, part in enumerate(parts):
        if i:
            nodes.append(Text(separator))
        nodes += part
    return tuple(nodes)
