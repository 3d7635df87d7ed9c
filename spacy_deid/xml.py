"""XML: parsed safely, and that of the i2b2 corpora, in which notes are annotated and redacted."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element
from xml.parsers.expat import ErrorString

from defusedxml.ElementTree import ParseError, fromstring

from .files import FormatError

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # 1.0


def parse_xml(data: bytes | str, *, forbid_dtd: bool = False) -> Element:
    """Parse XML from elsewhere.

    RAISES (FormatError): If it is invalid, or defines entities.
    """
    try:
        return fromstring(data, forbid_dtd=forbid_dtd)
    except ParseError as error:
        # The parser's message may quote the note (an entity's name).
        line, _ = error.position
        raise FormatError(f"broken XML, {ErrorString(error.code)} at line {line}") from None
    except (LookupError, ValueError):
        raise FormatError("its XML defines entities or has an unknown encoding") from None


def check_xml(text: str) -> None:
    """Check that XML can hold a text, with CR escaped.

    RAISES (FormatError): If it cannot.
    """
    if unsafe := _NOT_IN_XML.search(text):
        raise FormatError(f"XML cannot hold its character {unsafe.start()}, U+{ord(unsafe[0]):04X}")


def parse_i2b2(data: bytes) -> tuple[Element, str]:
    """The root of the i2b2 XML of a note, and the note's text.

    RAISES (FormatError): If the XML is invalid or of another kind.
    """
    root = parse_xml(data)
    texts = [element for element in root.iter() if element.tag.upper() == "TEXT"]
    if not texts:
        raise FormatError("it has no TEXT element")
    if any(map(len, texts)):
        raise FormatError(
            "its TEXT holds other elements; those of the i2b2 corpus of 2006 are read by "
            "`spacy-deid convert`, in RECORD elements"
        )
    if len(texts) > 1:
        raise FormatError("it has more than one TEXT element; split it into a file for each note")
    return root, texts[0].text or ""


def render_i2b2(text: str, tags: str = "") -> bytes:
    """The i2b2 XML of a note; the same note always gives the same bytes.

    tags (str): The XML of its tags, a line each.
    RAISES (FormatError): If XML cannot hold the text.
    """
    check_xml(text)
    text = text.replace("]]>", "]]]]><![CDATA[>")
    text = text.replace("\r", "]]>&#13;<![CDATA[")  # parsing would turn a bare CR into LF
    xml = (
        '<?xml version="1.0" encoding="UTF-8" ?>\n'
        f"<deIdi2b2>\n<TEXT><![CDATA[{text}]]></TEXT>\n<TAGS>\n{tags}</TAGS>\n</deIdi2b2>\n"
    )
    return xml.encode("utf-8")
