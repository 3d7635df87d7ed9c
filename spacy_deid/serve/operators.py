"""Presidio's operators, which replace PHI that a client names."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field

from ..http.errors import RequestError
from ..redaction import Key


def _check_whole(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("it holds half a surrogate pair") from None
    return text


WholeText = Annotated[str, AfterValidator(_check_whole)]
"""A text that an answer can hold."""


class AnalyzerResult(BaseModel):
    """PHI in a text."""

    start: int = Field(ge=0)
    end: int
    score: float = 1.0
    entity_type: str = Field(min_length=1)


class Operator(BaseModel):
    """How to replace PHI, and the settings of that way."""

    type: Literal["replace", "redact", "mask", "hash", "keep"] = "replace"
    new_value: WholeText | None = Field(default=None, description="replace: by default, <TYPE>.")
    masking_char: str = Field(default="*", min_length=1, max_length=1, description="mask")
    chars_to_mask: int | None = Field(default=None, description="mask: by default, all.")
    from_end: bool = Field(default=False, description="mask: from the end.")
    hash_type: Literal["sha256", "sha512"] = Field(default="sha256", description="hash")
    salt: str | None = Field(
        default=None, min_length=16, description="hash: by default, a secret of the server's key."
    )


class AnonymizedItem(BaseModel):
    """One replacement."""

    operator: str
    entity_type: str
    start: int = Field(description="First character, in the new text.")
    end: int = Field(description="One past the last.")
    text: str


def anonymize(
    text: str,
    results: Sequence[AnalyzerResult],
    operators: Mapping[str, Operator],
    key: Key,
    longest: int,
) -> tuple[str, list[AnonymizedItem]]:
    """Replace PHI in a text.

    operators (Mapping[str, Operator]): By type; "DEFAULT" is for all others.
    key (Key): The secret for hashes.
    longest (int): Most characters of the new text: one replacement may be there many times.
    RETURNS (tuple): The new text, and the replacements, the last one first.
    RAISES (RequestError): If a result does not lie in the text, or the new text is too long.
    """
    written, done = "", 0
    items = []
    for start, end, entity_type in _without_overlaps(text, results):
        operator = operators.get(entity_type) or operators.get("DEFAULT") or Operator()
        new = OPERATORS[operator.type](text[start:end], entity_type, operator, key)
        written += text[done:start]
        place = len(written)
        items.append(
            AnonymizedItem(
                operator=operator.type,
                entity_type=entity_type,
                start=place,
                end=place + len(new),
                text=new,
            )
        )
        written += new
        if len(written) > longest:
            raise RequestError(413, f"the new text is longer than {longest:,} characters")
        done = end
    return written + text[done:], items[::-1]


def _without_overlaps(text: str, results: Sequence[AnalyzerResult]) -> list[tuple[int, int, str]]:
    """Start, end and type of each result, as Presidio resolves them.

    Of two of which one lies within the other, the longer stays, and of two of one place, the one
    with the higher score. Those that share a part are cut where the second begins. Neighbours of
    one type with only blanks between them are one.
    """
    for number, result in enumerate(results):
        if not result.start <= result.end <= len(text):
            raise RequestError(422, f"analyzer_results.{number} does not lie in the text")
    spans: list[tuple[int, int, str]] = []
    for result in sorted(results, key=lambda r: (r.start, -r.end, -r.score)):
        start, end, entity_type = result.start, result.end, result.entity_type
        if spans:
            before = spans[-1]
            if end <= before[1]:
                continue
            if entity_type == before[2] and not text[before[1] : start].strip(" "):
                spans[-1] = (before[0], end, entity_type)
                continue
            spans[-1] = (before[0], min(before[1], start), before[2])
        spans.append((start, end, entity_type))
    return spans


def _replace(text: str, entity_type: str, operator: Operator, key: Key) -> str:
    return f"<{entity_type}>" if operator.new_value is None else operator.new_value


def _redact(text: str, entity_type: str, operator: Operator, key: Key) -> str:
    return ""


def _mask(text: str, entity_type: str, operator: Operator, key: Key) -> str:
    wanted = len(text) if operator.chars_to_mask is None else operator.chars_to_mask
    count = max(0, min(len(text), wanted))
    stars = operator.masking_char * count
    return text[: len(text) - count] + stars if operator.from_end else stars + text[count:]


def _hash(text: str, entity_type: str, operator: Operator, key: Key) -> str:
    # Without a secret, the hash of a name or a number is found by trying all of them.
    salt = key.digest("hash") if operator.salt is None else operator.salt.encode("utf-8")
    return hashlib.new(operator.hash_type, salt + text.encode("utf-8")).hexdigest()


def _keep(text: str, entity_type: str, operator: Operator, key: Key) -> str:
    return text


OPERATORS: Mapping[str, Callable[[str, str, Operator, Key], str]] = {
    "replace": _replace,
    "redact": _redact,
    "mask": _mask,
    "hash": _hash,
    "keep": _keep,
}
"""Operators by name."""
