"""Note layouts: whole templates with insertions, or sections assembled from fragments."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .carriers import CarrierStock
from .cast import Patient
from .library import Library, Template
from .template import Node, Nodes, Text

_HEADING_STYLES = (
    "{h}:\n",
    "{h}:\n",
    "{h}: ",
    "{h}: ",
    "{h}: ",
    "{h}\n",
    "{h}\n\n",
    "# {h}\n",
    "## {h}\n",
    "**{h}**\n",
    "**{h}:** ",
    "{h} - ",
    "{h} -- ",
    "[{h}] ",
    "{h}\t",
    "{h}:\t",
    "{h} | ",
    "=== {h} ===\n",
    "*** {h} ***\n",
    "<{h}> ",
    "* {h}: ",
    "> {h}\n",
    "{n}. {h}: ",
    "{n}) {h}\n",
    "{h}.  ",
    "",
)
_LIST_STYLES = (" ",) * 8 + (
    "  ",
    "\n",
    "\n- ",
    "\n* ",
    "\n\u2022 ",
    "\n#",
    " / ",
    "; ",
    " | ",
    "\n\t",
)
_SECTION_BREAKS = ("\n\n", "\n\n", "\n\n", "\n", "\n\n\n", "\n------\n", "\n\n\n\n")
_SECTIONS = (
    # name, probability, minimum and maximum of fragments
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
_PHI_FRAGMENTS = ("sentence", "course", "contact", "followup", "social", "family")
_ANY_FRAGMENTS = (*_PHI_FRAGMENTS, "opening", "negative")
_SWAP_SHARE = 0.3
_PLANT_SHARE = 0.07
_INSERT_SHARE = 0.5
_WHOLE_SHARE = 0.7
_SHORT_SHARE = 0.15
_CARRIED_SENTENCES = (8, 45)
_TRIES = 12


@dataclass
class Composer:
    """Composes one note as a single template.

    library (Library): Templates of the set.
    headings (Mapping[str, Sequence[str]]): Headings of each section.
    stock (CarrierStock): Carriers of the set; may be empty.
    patient (Patient): The patient.
    rng (random.Random): Random generator.
    """

    library: Library
    headings: Mapping[str, Sequence[str]]
    stock: CarrierStock
    patient: Patient
    rng: random.Random
    _used: set[str] = field(default_factory=set, repr=False)

    def whole(self) -> Nodes:
        """A hand-written note that fits the patient, sometimes with extra sentences."""
        nodes = self._pick(self.library.notes).nodes
        if self.rng.random() < _INSERT_SHARE:
            return self._insert(nodes)
        return nodes

    def short(self) -> Nodes:
        """A few fragments without headings: a call, a nurse's line, a message."""
        rng = self.rng
        fragments = [self._fragment(rng.choice(_ANY_FRAGMENTS)) for _ in range(rng.randint(1, 5))]
        ends = [self._fragment("header")] if rng.random() < 0.3 else []
        fragments = ends + fragments
        if rng.random() < 0.5:
            fragments.append(self._fragment("signature"))
        return _joined(fragments, rng.choice((" ", " ", "\n", "\n", "\n\n", " | ", "  ")))

    def sections(self) -> Nodes:
        """Sections with headings between a header and a signature."""
        rng = self.rng
        style, case = rng.choice(_HEADING_STYLES), rng.choice(("", "", "upper", "lower", "title"))
        chosen = [section for section in _SECTIONS if rng.random() < section[1]]
        for i in range(2, len(chosen)):
            if rng.random() < _SWAP_SHARE:
                chosen[i - 1], chosen[i] = chosen[i], chosen[i - 1]
        parts = [self._fragment("header")] if rng.random() < 0.85 else []
        for number, (name, _, low, high) in enumerate(chosen, 1):
            body = self._carried() if name == "body" else self._section(name, low, high)
            if body:
                parts.append((Text(self._heading(name, style, case, number)), *body))
        if rng.random() < 0.8:
            parts.append(self._fragment("signature"))
        return _joined([part for part in parts if part], rng.choice(_SECTION_BREAKS))

    def any(self) -> Nodes:
        """A note of any layout."""
        if self.library.notes and (self.rng.random() < _WHOLE_SHARE or not self.library.grammar):
            return self.whole()
        return self.short() if self.rng.random() < _SHORT_SHARE else self.sections()

    def _pick(self, templates: Sequence[Template]) -> Template:
        """A template that fits the patient and is new to the note, if found in a few tries."""
        for _ in range(_TRIES):
            template = self.rng.choice(templates)
            fits = template.fits(self.patient.gender, self.patient.age)
            if fits and template.name not in self._used:
                break
        self._used.add(template.name)
        return template

    def _fragment(self, name: str) -> Nodes:
        templates = self.library.grammar.get(name)
        return self._pick(templates).nodes if templates else ()

    def _section(self, name: str, low: int, high: int) -> Nodes:
        rng = self.rng
        fragments = [self._fragment(name) for _ in range(rng.randint(low, high))]
        if rng.random() < 0.3:
            fragments.insert(rng.randrange(len(fragments) + 1), self._fragment("negative"))
        return _joined([part for part in fragments if part], rng.choice(_LIST_STYLES))

    def _heading(self, name: str, style: str, case: str, number: int) -> str:
        heading = self.rng.choice(self.headings[name])
        return style.format(h=getattr(heading, case)() if case else heading, n=number)

    def _carried(self) -> Nodes:
        """Carrier paragraphs with sentences full of PHI in between."""
        rng = self.rng
        if not self.stock:
            return self._section("negative", 6, 16)
        wanted, sentences = rng.randint(*_CARRIED_SENTENCES), 0
        chosen: list[Nodes] = []
        for _ in range(_TRIES):
            paragraphs = self.stock.paragraphs(self._carrier())
            first = rng.randrange(len(paragraphs)) if paragraphs and rng.random() < 0.5 else 0
            for paragraph in paragraphs[first:]:
                if sentences < wanted:
                    sentences += len(paragraph)
                    chosen.append(self._planted(paragraph))
        return _joined(chosen, rng.choice(("\n", "\n\n")))

    def _carrier(self) -> int:
        for _ in range(_TRIES):
            index = self.rng.randrange(len(self.stock))
            fits = self.stock.fits(index, self.patient.gender, self.patient.age)
            if fits and self.stock.carriers[index].id not in self._used:
                break
        self._used.add(self.stock.carriers[index].id)
        return index

    def _planted(self, sentences: Sequence[Nodes]) -> Nodes:
        parts: list[Nodes] = []
        for sentence in sentences:
            parts.append(sentence)
            if self.rng.random() < _PLANT_SHARE:
                parts.append(self._fragment(self.rng.choice(_PHI_FRAGMENTS)))
        return _joined([part for part in parts if part], " ")

    def _insert(self, nodes: Nodes) -> Nodes:
        """`nodes` with a fragment after one or two of its empty lines."""
        gaps = [i for i, node in enumerate(nodes) if isinstance(node, Text) and "\n\n" in node.text]
        for i in sorted(
            self.rng.sample(gaps, min(len(gaps), self.rng.randint(1, 2))), reverse=True
        ):
            node = nodes[i]
            carried = self.stock and self.rng.random() < 0.5
            fragment = (
                self._carried() if carried else self._fragment(self.rng.choice(_ANY_FRAGMENTS))
            )
            if isinstance(node, Text) and fragment:
                before, after = node.text.split("\n\n", 1)
                inserted = (Text(f"{before}\n\n"), *fragment, Text(f"\n\n{after}"))
                nodes = (*nodes[:i], *inserted, *nodes[i + 1 :])
        return nodes


def _joined(parts: Sequence[Nodes], separator: str) -> Nodes:
    """The parts joined with a separator."""
    nodes: list[Node] = []
    for i, part in enumerate(parts):
        if i:
            nodes.append(Text(separator))
        nodes += part
    return tuple(nodes)
