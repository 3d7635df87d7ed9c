"""WebAnno TSV 3.3, as INCEpTION imports and exports it: one file per note, a token a line.

PHI are the values of the layer `NamedEntity`; other layers are ignored. Offsets count UTF-16 units.
The text is in `#Text=` lines, one sentence after another, and annotations are made of whole tokens.
So we cut tokens where PHI begins or ends, and sentences at line ends outside of PHI, with blank
lines at the end of the sentence before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ..annotation.notes import Note, PhiSpan, check_spans
from ..files import FormatError, read_bytes
from .base import CorpusFormat, file_name, one_per_note, save_folder
from .offsets import places, unit_offsets
from .xmi import NAMED_ENTITY

_HEADER = "#FORMAT=WebAnno TSV 3."
_TOKEN = re.compile(r"\w+|[^\w\s]")
_STACKED = re.compile(r"(?<!\\)\|")
_NUMBERED = re.compile(r"(.*)\[(\d+)\]", re.DOTALL)
_ESCAPED = re.compile(r"\\(->|.)", re.DOTALL)
_IN_TEXT = {"\\": "\\", "\t": "t", "\n": "n", "\f": "f", "\r": "r", "\b": "b"} | {
    chr(code): chr(code) for code in range(32) if not 7 < code < 14
}
_FROM_TEXT = {escape: char for char, escape in _IN_TEXT.items()}
_IN_VALUE = re.compile(r"[\\\[\]|_;*]|->")


def load(file: Path) -> Note:
    """Read a note; its id is the file name."""
    lines = read_bytes(file).decode("utf-8-sig").split("\n")
    if not lines[0].startswith(_HEADER):
        raise FormatError("its first line is not that of WebAnno TSV 3")
    body = _Body(_value_column(lines))
    for number, line in enumerate(lines, 1):
        body.read(number, line.removesuffix("\r"))
    return Note(file.stem, *body.finish())


def dump(note: Note) -> dict[str, bytes]:
    """The TSV of a note, by file name; PHI that overlaps cannot be written.

    RAISES (FormatError): If PHI does.
    """
    if reason := check_spans(note.text, note.spans):
        raise FormatError(f"{reason}, which WebAnno TSV cannot hold")
    offsets = unit_offsets(note.text, utf16=True)
    number_at = {at: i for i, span in enumerate(note.spans) for at in range(span.start, span.end)}
    lines = [f"{_HEADER}3", f"#T_SP={NAMED_ENTITY}|value", ""]
    for sentence, (first, last) in enumerate(_sentences(note.text, number_at), 1):
        lines.append("")
        lines += [f"#Text={_escape(line)}" for line in note.text[first:last].split("\n")]
        for token, (start, end) in enumerate(_tokens(note.text, first, last, number_at), 1):
            value = "_"
            if (number := number_at.get(start)) is not None:
                label = _IN_VALUE.sub(r"\\\g<0>", note.spans[number].type)
                value = f"{label}[{number + 1}]"
            place = f"{sentence}-{token}\t{offsets[start]}-{offsets[end]}"
            lines.append(f"{place}\t{_escape(note.text[start:end])}\t{value}\t")
    return {file_name(note.id, ".tsv"): "".join(f"{line}\n" for line in lines).encode("utf-8")}


@dataclass
class _Body:
    """The text and the annotations that were read so far; offsets are those of the file."""

    column: int | None  # the column of PHI types, if there is one
    text: list[str] = field(default_factory=list)
    units: int = 0  # length of the text in UTF-16 units
    waiting: str = ""  # the text of a sentence whose first token was not read yet
    spans: dict[str, tuple[int, int, str]] = field(default_factory=dict)
    tokens: list[tuple[str, int, int, str]] = field(default_factory=list)  # those with PHI

    def read(self, number: int, line: str) -> None:
        """Read a line."""
        if line.startswith("#"):
            if line.startswith("#Text="):
                self.waiting += f"{_unescape(line.removeprefix('#Text='))}\n"
        elif line:
            fields = line.split("\t")
            try:
                start, end = map(int, fields[1].split("-"))
                value = "_" if self.column is None else fields[self.column]
            except (ValueError, IndexError):
                raise FormatError(f"line {number} is not a token as WebAnno writes it") from None
            self._place_sentence(number, start)
            if value != "_":
                self.tokens.append((fields[0], start, end, fields[2]))
                self._annotate(fields[0], start, end, value)

    def finish(self) -> tuple[str, tuple[PhiSpan, ...]]:
        """The text and the PHI."""
        if self.waiting:
            raise FormatError("its last sentence has no tokens")
        text = "".join(self.text).removesuffix("\n")
        place = places(unit_offsets(text, utf16=True))
        for token, start, end, covered in self.tokens:
            if text[place.get(start, 0) : place.get(end, 0)] not in (covered, _unescape(covered)):
                raise FormatError(f"token {token} is not at its offsets, in UTF-16 units")
        return text, tuple(
            PhiSpan(place.get(start, -1), place.get(end, -1), label, key)
            for key, (start, end, label) in self.spans.items()
        )

    def _place_sentence(self, number: int, start: int) -> None:
        """Add the text of a sentence, which begins at its first token."""
        if not self.waiting:
            return
        if self.units == start + 1:  # no line end after the sentence before
            self.text[-1] = self.text[-1].removesuffix("\n")
            self.units -= 1
        if not self.units <= start:
            raise FormatError(f"line {number} is not where its sentence begins")
        self.text += [" " * (start - self.units), self.waiting]
        self.units = start + unit_offsets(self.waiting, utf16=True)[-1]
        self.waiting = ""

    def _annotate(self, token: str, start: int, end: int, value: str) -> None:
        for part in _STACKED.split(value):
            numbered = _NUMBERED.fullmatch(part)
            label, key = numbered.groups() if numbered else (part, f"{token} {len(self.spans)}")
            first = self.spans[key][0] if key in self.spans else start
            self.spans[key] = (first, end, "" if label == "*" else _unescape_value(label))


def _value_column(lines: list[str]) -> int | None:
    """The column of PHI types, by the header."""
    column = 3
    for line in lines[1:]:
        if not line.startswith(("#T_SP=", "#T_RL=", "#T_CH=")):
            return None
        name, *features = filter(None, line.strip().partition("=")[2].split("|"))
        if name == NAMED_ENTITY and "value" in features:
            return column + features.index("value")
        column += max(1, len(features))
    return None


def _sentences(text: str, number_at: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    start = 0
    for match in re.finditer(r"\n(?!\n|\Z)", text):
        end = match.start()
        if end > start and end not in number_at:
            yield start, end
            start = end + 1
    if text:
        yield start, len(text)


def _tokens(
    text: str, first: int, last: int, number_at: Mapping[int, int]
) -> Iterator[tuple[int, int]]:
    """The tokens of a sentence: words, signs, and blanks at its start and at the ends of PHI."""
    cuts = [at for at in range(first + 1, last) if number_at.get(at) != number_at.get(at - 1)]
    for start, end in zip([first, *cuts], [*cuts, last], strict=True):
        found = [match.span() for match in _TOKEN.finditer(text, start, end)]
        if start == first or start in number_at:
            begin = found[0][0] if found else end
            if begin > start:
                yield start, begin
        yield from found
        if found and found[-1][1] < end and start in number_at:
            yield found[-1][1], end


def _escape(text: str) -> str:
    return "".join(f"\\{_IN_TEXT[char]}" if char in _IN_TEXT else char for char in text)


def _unescape(text: str) -> str:
    return _ESCAPED.sub(lambda match: _FROM_TEXT.get(match[1], match[0]), text)


def _unescape_value(text: str) -> str:
    return _ESCAPED.sub(lambda match: {"t": "\t", "n": "\n"}.get(match[1], match[1]), text)


WEBANNO = CorpusFormat("webanno", (), True, partial(one_per_note, ".tsv"), load, dump, save_folder)
