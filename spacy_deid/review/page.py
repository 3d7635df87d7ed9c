"""The review page: notes beside their redaction."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..annotation.notes import Note
from ..annotation.phi import CATEGORY
from ..merger import Origin
from ..pages import write_page
from ..redaction import Redacted, RedactionError, Redactor
from .colors import COLORS
from .findings import Finding

_LINE_END = re.compile(r"\r\n|\r|\n")
_CONTROLS = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n\r"} | {127: 0x2421}
"""Control characters, invalid in HTML, mapped to their Unicode symbols."""


@dataclass(frozen=True)
class Piece:
    """A part of a line: one PHI span or the text between.

    old (str): The text in the note.
    new (str): The redacted text.
    type (str): PHI type; empty for other text.
    number (int): Index of the PHI in the note.
    origin (Origin | None): Its origin, if known.
    """

    old: str
    new: str
    type: str = ""
    number: int = 0
    origin: Origin | None = None

    @property
    def category(self) -> str:
        """PHI category."""
        return CATEGORY.get(self.type, "OTHER")

    @property
    def hint(self) -> str:
        """Type and origin of the PHI, without its text."""
        facts = [self.type]
        if self.origin is not None:
            sources, rule, score = self.origin
            facts.append(f"found by {' and '.join(sources)}")
            if rule and rule not in sources:
                facts.append(f"rule {rule}")
            facts.append(f"score {score:.2f}")
        return " · ".join(facts)


@dataclass(frozen=True)
class NoteView:
    """A note on the page.

    id (str): Its name on the page.
    lines (list[list[Piece]]): Its lines.
    types (Counter[str]): Number of PHI by type.
    """

    id: str
    lines: list[list[Piece]]
    types: Counter[str]


def write_review(
    findings: Iterable[Finding],
    path: Path,
    title: str,
    redactor: Redactor,
    *,
    redacted_only: bool = False,
) -> Counter[str]:
    """Write notes and their redacted text side by side as one HTML file.

    findings (Iterable[Finding]): The notes with their PHI.
    path (Path): The file, written atomically.
    title (str): Its heading.
    redactor (Redactor): Replaces the PHI.
    redacted_only (bool): Whether to omit the original notes and their ids, which may name a
        patient. Otherwise the page contains PHI.
    RETURNS (Counter[str]): Number of PHI by type.
    RAISES (RedactionError): If the policy cannot replace the PHI of a note.
    """
    views = [
        _view(finding, f"Note {number}" if redacted_only else finding.note.id, redactor)
        for number, finding in enumerate(findings, 1)
    ]
    types: Counter[str] = Counter()
    for view in views:
        types += view.types
    write_page(
        path,
        "review",
        private=not redacted_only,
        title=title,
        notes=views,
        types={name: types[name] for name in CATEGORY if types[name]},
        category=CATEGORY,
        colors=COLORS,
        policy=redactor.policy.name,
        redacted_only=redacted_only,
    )
    return types


def _view(finding: Finding, name: str, redactor: Redactor) -> NoteView:
    lines: list[list[Piece]] = [[]]
    for piece in _pieces(finding, redactor):
        if piece.type:
            lines[-1].append(piece)
            continue
        first, *others = _LINE_END.split(piece.old)
        lines[-1] += [Piece(first, first)] if first else []
        lines += [[Piece(line, line)] if line else [] for line in others]
    return NoteView(name, lines, Counter(span.type for span in finding.note.spans))


def _pieces(finding: Finding, redactor: Redactor) -> Iterator[Piece]:
    """A note's text, split at the boundaries of PHI."""
    text, done = finding.note.text, 0
    redacted = _redact(finding.note, redactor)
    for number, ((start, end), _, phi_type, new) in enumerate(redacted.replacements):
        between = _shown(text[done:start])
        yield Piece(between, between)
        origin = finding.origins.get(start)
        yield Piece(_shown(text[start:end]), _shown(new), phi_type, number, origin)
        done = end
    yield Piece(_shown(text[done:]), _shown(text[done:]))


def _redact(note: Note, redactor: Redactor) -> Redacted:
    try:
        return redactor.redact(note.text, note.spans)
    except RedactionError:
        raise
    except Exception as error:  # the message may quote the note
        raise RedactionError(
            f"the policy '{redactor.policy.name}' failed on note {note.id} ({type(error).__name__})"
        ) from None


def _shown(text: str) -> str:
    return text.translate(_CONTROLS)
