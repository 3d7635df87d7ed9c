"""The XML of the i2b2 de-identification corpora: one file per note, with standoff PHI tags.

`<deIdi2b2><TEXT><![CDATA[…]]></TEXT><TAGS><NAME id="P0" start="33" end="47" …/></TAGS></deIdi2b2>`.
Releases differ in the names of the root and of the tags (category or type), and in case. XML
parsing turns line ends into LF; offsets count characters after that. We write CR so that it stays.

The corpus of 2006 is read, too: files of many notes, `<RECORD ID="1"><TEXT>`, with the PHI inside
the text, `<PHI TYPE="DOCTOR">…</PHI>`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape

from ..annotation.notes import Note, PhiSpan
from ..annotation.phi import CATEGORY
from ..files import FormatError, read_bytes
from ..xml import parse_i2b2, parse_xml, render_i2b2
from .base import CorpusFormat, check_covered, file_name, note_files, save_folder

# Tags of the 2014 risk-factor track and of the annotation tool.
_OTHER_TAGS = frozenset(
    "DOCTAG MEDICATION DIABETES CAD HYPERTENSION SMOKER FAMILY_HIST OBESE HYPERLIPIDEMIA".split()
)
_IN_ATTRIBUTE = {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


def entries(path: Path) -> Iterator[tuple[str, Path | Element]]:
    """The files at a path, one per note, or the records in those of 2006."""
    for file in note_files(path, ".xml"):
        records = _records(file)
        if not records:
            yield str(file), file
        for number, record in enumerate(records, 1):
            yield f"{file}, record {number}", record


def load(source: Path | Element) -> Note:
    """Read a note; its id is the file name, or that of the record."""
    if isinstance(source, Element):
        return _load_record(source)
    root, text = parse_i2b2(read_bytes(source))
    spans = []
    for tag in chain.from_iterable(child for child in root.iter() if child.tag.upper() == "TAGS"):
        if tag.tag.upper() not in _OTHER_TAGS:
            spans.append(_load_tag(tag.tag, tag.attrib, text))
    return Note(source.stem, text, tuple(spans))


def dump(note: Note) -> dict[str, bytes]:
    """The XML of a note, by file name; the same note always gives the same bytes."""
    tags = "".join(_dump_tag(i, span, note.text) for i, span in enumerate(note.spans))
    return {file_name(note.id, ".xml"): render_i2b2(note.text, tags)}


def _records(file: Path) -> list[Element]:
    """The records of a file of 2006; none of another, or of one that `load` cannot read."""
    with suppress(FormatError, OSError):
        data = read_bytes(file)
        found = b"<RECORD" in data.replace(b"\0", b"")  # in UTF-16, too
        return parse_xml(data).findall("RECORD") if found else []
    return []


def _load_record(record: Element) -> Note:
    texts = record.findall("TEXT")
    if len(texts) != 1:
        raise FormatError(f"it has {'more than one' if texts else 'no'} TEXT element")
    (element,) = texts
    if any(child.tag.upper() == "TAGS" for child in record):
        raise FormatError("its PHI are not in its TEXT; split it into a file for each note")
    text = element.text or ""
    spans = []
    for number, phi in enumerate(element):
        if phi.tag != "PHI" or len(phi):
            raise FormatError(f"element {number} of its TEXT is not a PHI element with text only")
        end = len(text) + len(phi.text or "")
        spans.append(PhiSpan(len(text), end, phi.get("TYPE", ""), f"P{number}"))
        text += (phi.text or "") + (phi.tail or "")
    return Note(record.get("ID", ""), text, tuple(spans))


def _load_tag(name: str, attributes: dict[str, str], text: str) -> PhiSpan:
    values = {key.lower(): value for key, value in attributes.items()}
    tag_id = values.get("id", "")
    try:
        start, end = int(values["start"]), int(values["end"])
    except (KeyError, ValueError):
        raise FormatError(f"tag {tag_id} has no whole numbers for start and end") from None
    span = PhiSpan(start, end, values.get("type") or name, tag_id)
    if "text" in values:
        check_covered(text, [span], values["text"])
    return span


def _dump_tag(number: int, span: PhiSpan, text: str) -> str:
    covered = escape(text[span.start : span.end], _IN_ATTRIBUTE)
    return (
        f'<{CATEGORY[span.type]} id="P{number}" start="{span.start}" end="{span.end}" '
        f'text="{covered}" TYPE="{span.type}" comment="" />\n'
    )


I2B2 = CorpusFormat("i2b2", (".xml",), True, entries, load, dump, save_folder)
