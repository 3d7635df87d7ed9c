"""The page of `spacy-deid show`: notes beside their redaction."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ..annotation.phi import CATEGORY
from ..merger import Origin
from ..pages import write_page
from ..redaction import Redacted, RedactionError, Redactor
from .colors import COLORS
from .findings import Finding

_LINE_END = re.compile(r"\r\n|\r|\n")
_CONTROLS = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n\r"} | {127: 0x2421}
"""Control characters, invalid in HTML, mapped to their Unicode symbols."""


class Piece(NamedTuple):
    """A part of a line: PHI, or the text between, which has no type."""

    old: str  # the text in the note
    new: str  # the redacted text
    type: str = ""
    number: int = 0  # index of the PHI in the note
    hint: str = ""  # type and origin of the PHI


class NoteView(NamedTuple):
    """A note on the page: its name there, its lines, the number of its PHI by type."""

    id: str
    lines: list[list[Piece]]
    types: Counter[str]


def write_review(
    findings: Iterable[Finding],
    path: str | Path,
    title: str,
    redactor: Redactor,
    *,
    redacted_only: bool = False,
) -> Counter[str]:
    """Write notes and their redacted text side by side as one HTML file, atomically.

    findings (Iterable[Finding]): The notes with their PHI.
    title (str): The heading of the page.
    redacted_only (bool): Whether to omit the original notes and their ids, which may name a
        patient. Otherwise the page contains PHI.
    RETURNS (Counter[str]): Number of PHI by type.
    RAISES (RedactionError): If the policy cannot replace the PHI of a note.
    """
    views = [
        _view(finding, f"Note {number}" if redacted_only else finding.note.id, redactor)
        for number, finding in enumerate(findings, 1)
    ]
    types = sum((view.types for view in views), Counter[str]())
    write_page(
        Path(path),
        "show",
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
    text, done = finding.note.text, 0
    lines: list[list[Piece]] = [[]]
    for number, replacement in enumerate(_redact(finding, redactor).replacements):
        (start, end), _, phi_type, new = replacement
        _add_text(lines, text[done:start])
        hint = _hint(phi_type, finding.origins.get(start))
        lines[-1].append(Piece(_shown(text[start:end]), _shown(new), phi_type, number, hint))
        done = end
    _add_text(lines, text[done:])
    return NoteView(name, lines, Counter(span.type for span in finding.note.spans))


def _add_text(lines: list[list[Piece]], text: str) -> None:
    first, *others = _LINE_END.split(_shown(text))
    lines[-1].append(Piece(first, first))
    lines += ([Piece(line, line)] for line in others)


def _hint(phi_type: str, origin: Origin | None) -> str:
    if origin is None:
        return phi_type
    is_rule = origin.rule and origin.rule not in origin.sources
    by_rule = f" · rule {origin.rule}" if is_rule else ""
    return f"{phi_type} · found by {origin.finders}{by_rule} · score {origin.score:.2f}"


def _redact(finding: Finding, redactor: Redactor) -> Redacted:
    note = finding.note
    try:
        return redactor.redact(note.text, note.spans, finding.patient_id)
    except RedactionError:
        raise
    except Exception as error:  # the message may quote the note
        raise RedactionError(
            f"the policy '{redactor.policy.name}' failed on note {note.id} ({type(error).__name__})"
        ) from None


def _shown(text: str) -> str:
    return text.translate(_CONTROLS)
