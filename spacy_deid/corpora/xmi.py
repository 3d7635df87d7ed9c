"""UIMA CAS XMI, as INCEpTION imports and exports it: one file per note.

PHI are the values of the layer `NamedEntity`; other layers are ignored. A `TypeSystem.xml` beside
the files is used, if there is one. Needs `pip install "spacy_deid[annotation]"`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from ..annotation.notes import Note, PhiSpan
from ..errors import install
from ..files import FormatError, read_bytes
from ..xml import check_xml, parse_xml
from .base import CorpusFormat, file_name, one_per_note, save_folder

if TYPE_CHECKING:
    from cassis import Cas, TypeSystem

NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
"""The layer of PHI in INCEpTION; its feature `value` is the PHI type."""

_TYPES = "TypeSystem.xml"
_ONE_AT_A_TIME = Lock()  # warnings are those of the whole process


def entries(path: Path) -> Iterator[tuple[str, Path]]:
    """The XMI files of a folder, one per note."""
    require_cassis()
    return one_per_note(".xmi", path)


def load(file: Path) -> Note:
    """Read a note; its id is the file name."""
    types = file.with_name(_TYPES)
    cas = read_cas(read_bytes(file), read_bytes(types) if types.is_file() else None)
    if not cas.typesystem.contains_type(NAMED_ENTITY):
        raise FormatError("its type system has no layer NamedEntity")
    if cas.sofa_string is None:
        raise FormatError("it has no text, a sofaString")
    spans = []
    for number, entity in enumerate(cas.select(NAMED_ENTITY)):
        label = getattr(entity, "value", None) or ""
        spans.append(PhiSpan(entity.begin, entity.end, label, str(entity.xmiID or number)))
    return Note(file.stem, cas.sofa_string, tuple(spans))


def dump(note: Note) -> dict[str, bytes]:
    """The XMI of a note, by file name."""
    require_cassis()
    check_xml(note.text)
    from cassis import Cas

    cas = Cas(_own_types())
    cas.sofa_string = note.text
    cas.sofa_mime = "text/plain"
    entity = cas.typesystem.get_type(NAMED_ENTITY)
    for span in note.spans:
        cas.add(entity(begin=span.start, end=span.end, value=span.type))
    return {file_name(note.id, ".xmi"): cas.to_xmi().encode("utf-8")}


def read_cas(xmi: bytes, types: bytes | None = None) -> Cas:
    """Read a CAS; annotations of types that are not in the type system are left out.

    xmi (bytes): The XMI.
    types (bytes | None): The type system; by default, only the layer of PHI.
    RAISES (FormatError): If one of them is invalid.
    """
    from cassis import load_cas_from_xmi, load_typesystem

    for content in (xmi, types):
        if content is not None:
            parse_xml(content, forbid_dtd=True)
    with _ONE_AT_A_TIME, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", message="Not mapping")
        try:
            system = load_typesystem(types.decode("utf-8")) if types else _own_types()
            cas: Cas = load_cas_from_xmi(xmi.decode("utf-8"), system, lenient=True)
        except UserWarning:
            raise FormatError("an annotation does not begin and end at characters") from None
        except Exception as error:  # cassis raises errors of many kinds; their messages quote XML
            raise FormatError(f"it cannot be read as a CAS ({type(error).__name__})") from None
    return cas


def require_cassis() -> None:
    """Check that dkpro-cassis is installed.

    RAISES (ValueError): If it is not.
    """
    try:
        import cassis  # noqa: F401
    except ImportError:
        raise ValueError(f"XMI needs dkpro-cassis: {install('annotation')}") from None


@lru_cache(maxsize=1)
def _own_types() -> TypeSystem:
    from cassis import TypeSystem

    types = TypeSystem()
    entity = types.create_type(NAMED_ENTITY, "uima.tcas.Annotation")
    for feature in ("value", "identifier"):
        types.create_feature(entity, feature, "uima.cas.String")
    return types


XMI = CorpusFormat("xmi", (".xmi",), True, entries, load, dump, save_folder)
