"""How names are written: what joins their parts, and the possessive."""

from __future__ import annotations

JOINERS = frozenset((",", ".", "-", "'", "\u2019"))
"""Tokens that may stand between two parts of a name."""

LONGEST_JOINT = 3
"""Most tokens between two parts of a name."""

POSSESSIVES = ("'s", "\u2019s", "'S", "\u2019S")
"""Endings, and tokens, of the possessive."""
