"""Redaction of one note: the redacted text and its replacements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from spacy.tokens import Doc, Span

from ..annotation.notes import PhiSpan
from ..annotation.phi import CATEGORY
from ..errors import RedactionError
from ..ids import id_text
from ..merger import PHI_GROUP, SEARCHED_GROUP, require_read
from ..text.tokens import text_of
from .key import AnyKey, Key, as_key, find_key, random_key
from .phi_text import ALONE, PhiText, Shared, apply_styles, whole_characters
from .policy import Policy, find_policy
from .styles import STYLES

_NEVER_KEPT = ("NAME", "CONTACT", "ID")
"""PHI categories that no preset policy keeps."""

_OFTEN_KEPT = ("AGE", "PROFESSION", "STATE", "COUNTRY")
"""PHI types that preset policies keep, in whole or in part."""


class Replacement(NamedTuple):
    """One replacement.

    old (tuple[int, int]): Start and end (exclusive) in the note, in characters.
    new (tuple[int, int]): The same in the redacted text.
    type (str): PHI type.
    text (str): The replacement.
    """

    old: tuple[int, int]
    new: tuple[int, int]
    type: str
    text: str


@dataclass(frozen=True)
class Redacted:
    """A redacted note.

    text (str): The redacted text.
    replacements (tuple[Replacement, ...]): The replacements, in order.
    """

    text: str
    replacements: tuple[Replacement, ...]

    @property
    def error(self) -> str:
        """Why it is withheld: it is not, so this is empty."""
        return ""

    def moved(self, start: int, end: int) -> tuple[int, int]:
        """Map a range of characters of the note (`end` exclusive) to the redacted text.

        A range that touches a replacement is extended to include all of it.
        """
        return self._moved(start, 0), self._moved(end, 1)

    def _moved(self, place: int, side: int) -> int:
        shift = 0
        for old, new, _, _ in self.replacements:
            if place < old[0] + side:
                break
            if place < old[1] + side:
                return new[side]
            shift = new[1] - old[1]
        return place + shift


@dataclass(frozen=True)
class Withheld:
    """What stands in the place of a text that could not be redacted.

    error (str): Why, without quoting the text.
    text (None): There is no redacted text.
    replacements (tuple[()]): Nothing was replaced.
    """

    error: str
    text: None = None
    replacements: tuple[()] = ()


def redact(
    doc: Doc, policy: str | Policy = "tag", *, patient_id: str = "", key: AnyKey | None = None
) -> Redacted:
    """Replace the PHI of a doc.

    doc (Doc): A doc processed by a pipeline with `phi_merger`.
    policy (str | Policy): A style ("tag" writes "[PATIENT]"), a preset or a file; see
        `find_policy`.
    patient_id (str): The patient; surrogates are the same in all of a patient's notes. Defaults to
        `doc.user_data["patient_id"]`; without one, the note has a patient of its own.
    key (AnyKey | None): The secret for surrogates, at least 16 bytes; by default that of the
        environment variable `SPACY_DEID_KEY`, or else a random one per process.
    RAISES (RedactionError): If `doc` is not a doc or was not fully searched for PHI, the key is too
        short, or there is no such policy.
    """
    if not isinstance(doc, Doc):
        hint = "; call spacy_deid.deidentify(text) for a text" if isinstance(doc, str) else ""
        raise RedactionError(
            f"redact expects a Doc, which nlp(text) returns, and not {type(doc).__name__}{hint}"
        )
    redactor = Redactor(policy, process_key() if key is None else key)
    patient_id = id_text(patient_id) or id_text(doc.user_data.get("patient_id"))
    return redactor.redact(doc.text, find_phi(doc), patient_id)


def process_key() -> Key:
    """The user's key, or else a random one that lasts as long as this process."""
    return find_key() or _random_key_of_process()


@lru_cache(maxsize=1)
def _random_key_of_process() -> Key:
    return random_key()


class Redactor:
    """Replaces the PHI of notes under one policy.

    policy (str | Policy): The policy; see `find_policy`.
    key (AnyKey): The secret for surrogates; see `as_key`.
    RAISES (RedactionError): If there is no such policy, or the key is too short.
    """

    def __init__(self, policy: str | Policy, key: AnyKey) -> None:
        self.policy = find_policy(policy)
        self.key = as_key(key)

    def redact(
        self,
        text: str,
        spans: Iterable[PhiSpan],
        patient_id: str = "",
        *,
        whole: str = "",
        shared: Shared = ALONE,
    ) -> Redacted:
        """Replace the PHI of a text.

        text (str): The text.
        spans (Iterable[PhiSpan]): Its PHI; spans that overlap are joined.
        patient_id (str): The patient; by default each note counts as a patient of its own.
        whole (str): Identifies the note if `text` is only a part of it: its full text, or a hash
            of it. Patients without an id draw by it.
        shared (Shared): What all texts of the note tell of dates and names, likewise.
        RAISES (RedactionError): If a span is not inside the text, or its type is not a PHI type.
        """
        phi = _checked(text, spans)
        patient_id = id_text(patient_id)
        patient = f"patient {patient_id}"
        if not patient_id:
            patient = f"note {self.key.digest(whole or text).hex()}"
        note = PhiText(text, phi, self.key, patient, self.policy.date_shift, shared)
        values = apply_styles(note, lambda span: STYLES[self.policy.style_of(span.type)])
        return _replace(text, phi, values)


def find_phi(doc: Doc) -> tuple[PhiSpan, ...]:
    """The PHI that `phi_merger` found in a doc, and entities added to `doc.ents` since.

    All redaction goes through this function, so that a doc that was never searched cannot pass for
    one without PHI.

    RAISES (RedactionError): If `phi_merger` did not run or failed, a part of the doc was not
        searched (`Doc.from_docs`), its tokens were merged since, another pipe wrote to its group,
        or a detector ran that it did not read.
    """
    if PHI_GROUP not in doc.spans or SEARCHED_GROUP not in doc.spans:
        raise RedactionError(
            "the doc was not searched for PHI: it went through no pipeline with phi_merger of this "
            "version, or phi_merger failed"
        )
    require_read(doc)
    try:
        searched = list(doc.spans[SEARCHED_GROUP])
        spans = [*doc.spans[PHI_GROUP], *(ent for ent in doc.ents if ent.label_ in CATEGORY)]
    except IndexError as error:  # spans outlive a change of the doc's tokens
        raise RedactionError(
            "tokens of the doc were merged after it was searched for PHI: put the pipe that merges "
            "them before the detectors, or redact the doc first"
        ) from error
    if not _cover(searched, text_of(doc)):
        raise RedactionError(
            "a part of the doc was not searched for PHI, as it was joined from several docs: join "
            "the texts and run the pipeline on the whole, or redact each doc by itself"
        )
    if not all(span.label_ in CATEGORY for span in spans):
        raise RedactionError(
            f"a span of the group '{PHI_GROUP}' has no PHI type: let no other pipe write to it"
        )
    return join_spans(PhiSpan(span.start_char, span.end_char, span.label_) for span in spans)


def _cover(spans: Sequence[Span], text: str) -> bool:
    """Whether sorted spans cover a text; blanks, as `Doc.from_docs` adds them, do not count."""
    ends = [0, *(span.end_char for span in spans)]
    starts = [*(span.start_char for span in spans), len(text)]
    return not any(text[end:start].strip() for end, start in zip(ends, starts, strict=True))


def _checked(text: str, spans: Iterable[PhiSpan]) -> tuple[PhiSpan, ...]:
    """The spans, sorted and joined, as those that are not would leave PHI in the text."""
    given = list(spans)
    for span in given:
        if not 0 <= span.start <= span.end <= len(text):
            raise RedactionError("a span of PHI is not inside the text")
        if span.type not in CATEGORY:
            raise RedactionError("the type of a span is not a PHI type, such as PATIENT or DATE")
    return join_spans(whole_characters(text, span) for span in given)


def join_spans(spans: Iterable[PhiSpan]) -> tuple[PhiSpan, ...]:
    """Sort spans and join those that overlap.

    A joined span gets the type of the longest, but names, numbers and contacts take precedence, as
    a policy that keeps places, dates or ages must not keep a name with them; and ages, professions,
    states and countries come last.
    """
    groups: list[list[PhiSpan]] = []
    end = 0
    for span in sorted(spans):
        if groups and span.start < end:
            groups[-1].append(span)
        else:
            groups.append([span])
        end = max(end, span.end)
    return tuple(_joined(group) for group in groups)


def _joined(group: list[PhiSpan]) -> PhiSpan:
    def rank(span: PhiSpan) -> tuple[bool, bool, int]:
        never, often = CATEGORY[span.type] in _NEVER_KEPT, span.type in _OFTEN_KEPT
        return never, not often, span.end - span.start

    chosen = max(group, key=rank)
    return replace(chosen, start=group[0].start, end=max(span.end for span in group))


def _replace(text: str, spans: Sequence[PhiSpan], values: Sequence[str]) -> Redacted:
    """The text with each span replaced by its value."""
    written = ""
    replacements = []
    done = 0
    for span, value in zip(spans, values, strict=True):
        written += text[done : span.start]
        new = (len(written), len(written) + len(value))
        replacements.append(Replacement((span.start, span.end), new, span.type, value))
        written += value
        done = span.end
    return Redacted(written + text[done:], tuple(replacements))
