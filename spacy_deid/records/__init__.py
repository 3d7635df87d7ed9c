"""Notes inside files of many formats, read and written with all around them left as it is."""

from ..files import FormatError
from .base import Chunk, Fields, Format, Record, id_text
from .formats import FORMATS, format_of

__all__ = ["FORMATS", "Chunk", "Fields", "Format", "Record", "FormatError", "format_of", "id_text"]
