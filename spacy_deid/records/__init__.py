"""Notes inside files of many formats: only the notes change, everything else stays."""

from ..files import FormatError
from .base import Chunk, Fields, Format, Record, id_text
from .formats import FORMATS, format_of

__all__ = ["FORMATS", "Chunk", "Fields", "Format", "Record", "FormatError", "format_of", "id_text"]
