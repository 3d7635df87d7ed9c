"""Social security numbers never issued before 2011, when area numbers lost their meaning."""

from __future__ import annotations

from ...phi_text import PhiText
from ..drawing import other_endings, redraw

_UNUSED = tuple(str(area) for area in (*range(734, 750), *range(773, 900)))
_ZEROS = tuple(f"{area:03}" for area in range(1, 100))
_INVALID = ("666", *(str(area) for area in range(900, 1000)))
_GROUPS = tuple(f"{group:02}" for group in range(1, 100))


def social(note: PhiText, digits: str) -> str:
    """The surrogate of nine digits: area, group and serial number are drawn separately.

    An area that is never issued stays one; the leading zero of other areas stays.
    """
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    return "".join(
        (
            note.choice(other_endings(_areas(area), area[-1]), "ssn area", area),
            note.choice(other_endings(_GROUPS, group[-1]), "ssn group", group),
            redraw(note, serial),
        )
    )


def _areas(area: str) -> tuple[str, ...]:
    if area in _INVALID or area == "000":
        return _INVALID
    return _ZEROS if area.startswith("0") else _UNUSED
