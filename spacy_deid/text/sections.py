"""clinical_sections: detects the sections of a note by their headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np
from spacy.attrs import IDX
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc, Span, SpanGroup

SPANS_KEY = "sections"
"""Key of the sections in `doc.spans`."""

OTHER = "other"
"""Name of a section whose heading is not in `HEADINGS`."""

HEADINGS: Mapping[str, str] = {
    "identification": "identification; identifying data; demographics; patient information; "
    "patient name; patient; name; date of birth; admitted; admission date; date of admission; "
    "discharged; discharge date; date of discharge; date of service; attending; attending "
    "physician; primary care; primary care physician; referring physician",
    "chief_complaint": "chief complaint; chief complaints; presenting complaint; pc; "
    "reason for visit; reason for consultation; reason for consult; reason for admission; "
    "reason for referral; referral reason; complaint",
    "present_illness": "history of present illness; history of the present illness; hpi; history; "
    "present illness; interval history; subjective; s; brief history; history of presenting "
    "complaint; hpc; clinical history; clinical indication; indication; indications; clinical "
    "information; history and physical; interim history; interval events; overnight events; o/n",
    "past_history": "past medical history; pmh; pmhx; past history; medical history; past medical "
    "and surgical history; past medical/surgical history; pmh/psh; active problems; problem list; "
    "past surgical history; psh; pshx; past medical; past psych; medical; comorbidities",
    "family_history": "family history; fh; fhx; fam hx; family hx; family; family medical history; "
    "family psychiatric history",
    "social_history": "social history; sh; shx; soc hx; soc; social hx; social; habits; "
    "substance; substance use; substance abuse history; occupational history; supports; "
    "personal and social history; psychosocial; family and social history; family/social history; "
    "social and family history; social/family history; living situation; past family and social "
    "history; family, social, and allergy history",
    "medications": "medications; meds; current medications; home medications; home meds; current "
    "meds; medications on admission; admission medications; discharge medications; discharge meds; "
    "medication list; medication; outpatient medications; dh; dhx; drug history; rx; "
    "medications prior to admission; preoperative medications",
    "allergies": "allergies; allergy; drug allergies; medication allergies; allergies and "
    "intolerances; adverse reactions; nkda",
    "review_of_systems": "review of systems; ros; systems review; system review",
    "vital_signs": "vital signs; vitals; vs; vital signs and measurements; vitals reviewed",
    "physical_exam": "physical examination; physical exam; examination; exam; pe; o/e; on "
    "examination; objective; o; physical; mental status; mse; general appearance",
    "results": "results; laboratory data; laboratory; laboratory studies; lab data; labs; data; "
    "pertinent data; pertinent results; diagnostic studies; studies; laboratory results; lab "
    "results; imaging; radiology; radiologic data; radiologic studies; x-rays; ekg; ecg; findings; "
    "microbiology; pathology; diagnostic data; comparison; technique; gross description; "
    "microscopic description; gross; investigations",
    "procedures": "procedure; procedures; operation; operations; operative procedure; operation "
    "performed; procedure performed; procedures performed; title of operation; name of procedure; "
    "description of procedure; description of operation; procedure in detail; details of "
    "procedure; operative findings; anesthesia; estimated blood loss; specimens; complications",
    "diagnosis": "diagnosis; diagnoses; admitting diagnosis; admission diagnosis; admission "
    "diagnoses; discharge diagnosis; discharge diagnoses; final diagnosis; final diagnoses; "
    "principal diagnosis; primary diagnosis; secondary diagnoses; preoperative diagnosis; "
    "preoperative diagnoses; postoperative diagnosis; postoperative diagnoses; dx",
    "hospital_course": "hospital course; brief hospital course; course; clinical course; emergency "
    "department course; ed course; course in hospital; treatment course; icu course",
    "assessment_plan": "assessment and plan; assessment/plan; assessment & plan; a/p; a&p; ap; "
    "assessment; a; plan; p; impression; imp; impression and plan; impression/plan; impressions; "
    "conclusion; conclusions; recommendations; recommendation; treatment; treatment plan; "
    "assessment and recommendations; discussion; plan of care; formulation; medical "
    "decision making",
    "discharge": "disposition; discharge disposition; discharge instructions; discharge condition; "
    "condition on discharge; condition at discharge; condition; discharge plan; followup; follow "
    "up; follow-up; follow-up instructions; discharge follow-up; instructions; patient "
    "instructions; discharge diet; code status; activity; diet",
}
"""Headings of each section, in lower case, separated by semicolons."""

KEYWORDS: Mapping[str, str] = {
    "history": "past_history",
    "hx": "past_history",
    "reason": "chief_complaint",
    "indication": "present_illness",
    "indications": "present_illness",
    "medications": "medications",
    "meds": "medications",
    "allergies": "allergies",
    "examination": "physical_exam",
    "exam": "physical_exam",
    "findings": "results",
    "results": "results",
    "studies": "results",
    "imaging": "results",
    "procedure": "procedures",
    "operation": "procedures",
    "diagnosis": "diagnosis",
    "diagnoses": "diagnosis",
    "course": "hospital_course",
    "assessment": "assessment_plan",
    "impression": "assessment_plan",
    "plan": "assessment_plan",
    "instructions": "discharge",
}
"""Sections of upper-case headings that are not in `HEADINGS`, by first or last word."""

SUBHEADINGS = frozenset(
    "constitutional general heent hent head eyes ears nose throat neck chest breasts lungs heart "
    "cardiovascular cardiac cv respiratory pulmonary pulm resp gastrointestinal gi abdomen abd "
    "genitourinary gu gi/gu genitalia rectal pelvic extremities ext musculoskeletal msk neuro "
    "neurologic neurological psychiatric psych skin integumentary endocrine lymph lymphatics back "
    "gait motor sensory reflexes".split()
)
"""Headings within an examination or a review of systems, which do not start a section."""

SECTION_OF: Mapping[str, str] = {
    heading: section for section, headings in HEADINGS.items() for heading in headings.split("; ")
}
"""The section of each known heading."""

# A heading is at the start of a line, before a colon, a dash or the end of the line, or within a
# line between punctuation and a colon. Bounded repeats keep the search linear.
_LINE_HEADING = re.compile(
    r"^[^\S\n]*(?:\d{1,2}[.)][^\S\n]*|[#*=•]{1,6}[^\S\n]*)?"
    r"(?P<heading>[A-Za-z][^\n:]{0,60}?)(?P<mark>[ \t*]{0,8}(?::|\r?$)|[ \t]{1,8}[-–](?=\s))",
    re.MULTILINE,
)
_INLINE_HEADING = re.compile(r"(?<=[.,;:?!)])[ \t]{0,4}(?P<heading>[A-Z][\w ,/&'()-]{0,60}?):")


@Language.factory("clinical_sections", assigns=["doc.spans"])
def make_clinical_sections(nlp: Language, name: str) -> ClinicalSections:
    """Make the section finder."""
    return ClinicalSections(name)


class ClinicalSections(Pipe):
    """Writes the sections of a note to `doc.spans["sections"]`, in order.

    A section extends from its heading to the next one or the end; its `label_` is a key of
    `HEADINGS` or "other". Text before the first heading is in no section.

    name (str): Name of the pipe.
    """

    def __init__(self, name: str = "clinical_sections") -> None:
        self.name = name

    def __call__(self, doc: Doc) -> Doc:
        """Find the sections of a doc.

        doc (Doc): The doc, tokenized.
        RETURNS (Doc): The same doc.
        """
        headings = sorted(find_headings(doc.text).items())
        offsets = doc.to_array(IDX)
        chars = [start for start, _ in headings]
        starts = [int(i) - 1 for i in np.searchsorted(offsets, chars, side="right")]
        doc.spans[SPANS_KEY] = SpanGroup(
            doc,
            name=SPANS_KEY,
            spans=[
                Span(doc, start, end, label=section)
                for start, end, (_, section) in zip(
                    starts, [*starts[1:], len(doc)], headings, strict=False
                )
                if start < end
            ],
        )
        return doc


def find_headings(text: str) -> dict[int, str]:
    """Find the headings in a text.

    text (str): The text.
    RETURNS (dict[int, str]): The section of each heading, by the heading's first character.
    """
    headings = {}
    for match in _INLINE_HEADING.finditer(text):
        section = section_of(match["heading"])
        if section is not None:
            headings[match.start("heading")] = section
    headings.update(_find_line_headings(text))
    return headings


def _find_line_headings(text: str) -> Iterator[tuple[int, str]]:
    """Yield the first character and the section of each heading at the start of a line."""
    for match in _LINE_HEADING.finditer(text):
        heading, mark = match["heading"], match["mark"].strip(" \t\r*")
        section = section_of(heading)
        # Without a colon, a known word may also be an item of a list.
        if section is not None and (mark or (heading[0].isupper() and len(heading) > 2)):
            yield match.start("heading"), section
        elif section is None and looks_like_heading(
            heading, mark, text[match.end() : match.end() + 80]
        ):
            yield match.start("heading"), OTHER


def section_of(heading: str) -> str | None:
    """The section of a heading by its words, or None if it is unknown."""
    words = re.sub(r"\s*/\s*", "/", heading.lower().strip(" \t*-,")).split()
    section = SECTION_OF.get(" ".join(words))
    if section is None and words and heading.isupper() and heading[-1] not in ".,;":
        return KEYWORDS.get(words[0]) or KEYWORDS.get(words[-1])
    return section


def looks_like_heading(heading: str, mark: str, rest: str) -> bool:
    """Whether the start of a line looks like an unknown heading.

    heading (str): Text of the line up to the mark.
    mark (str): A colon, a dash or, at the end of the line, nothing.
    rest (str): Text after the mark.
    RETURNS (bool): Whether it is in capitals, or alone on its line with a colon.
    """
    letters = sum(map(str.isalpha, heading))
    if letters < 4 or len(heading.split()) > 6 or heading.lower() in SUBHEADINGS:
        return False
    if heading.isupper():
        return mark == ":" or (
            not mark and heading[-1] not in ".,;" and letters > 0.8 * len(heading)
        )
    alone = not rest.split("\n", 1)[0].strip(" \t\r*")
    return heading[0].isupper() and mark == ":" and alone
