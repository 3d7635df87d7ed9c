"""The XML of the i2b2 de-identification corpora: one file per note, with standoff PHI tags.

`<deIdi2b2><TEXT><![CDATA[…]]></TEXT><TAGS><NAME id="P0" start="33" end="47" …/></TAGS></deIdi2b2>`.
Releases differ in the names of the root and of the tags (category or type), and in case. XML
parsing turns line ends into LF; offsets count characters after that.
"""

from __future__ import annotations

from functools import partial
from itertools import chain
from pathlib import Path
from xml.sax.saxutils import escape

from ..annotation.notes import Note, PhiSpan
from ..annotation.phi import CATEGORY
from ..files import FormatError
from ..xml import parse_i2b2, render_i2b2
from .base import Format, check_covered, file_name, one_per_note, save_folder

# Tags of the 2014 risk-factor track and of the annotation tool.
_OTHER_TAGS = frozenset(
    "DOCTAG MEDICATION DIABETES CAD HYPERTENSION SMOKER FAMILY_HIST OBESE HYPERLIPIDEMIA".split()
)
_IN_ATTRIBUTE = {'"': "&quot;", "\n": "&#10;", "\t": "&#9;"}


def load(file: Path) -> Note:
    """Read a note; its id is the file name."""
    root, text = parse_i2b2(file.read_bytes())
    spans = []
    for tag in chain.from_iterable(child for child in root.iter() if child.tag.upper() == "TAGS"):
        if tag.tag.upper() not in _OTHER_TAGS:
            spans.append(_load_tag(tag.tag, tag.attrib, text))
    return Note(file.stem, text, tuple(spans))


def dump(note: Note) -> dict[str, bytes]:
    """The XML of a note, by file name; the same note always gives the same bytes."""
    tags = "".join(_dump_tag(i, span, note.text) for i, span in enumerate(note.spans))
    return {file_name(note.id, ".xml"): render_i2b2(note.text, tags)}


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


I2B2 = Format("i2b2", (".xml",), True, partial(one_per_note, ".xml"), load, dump, save_folder)
