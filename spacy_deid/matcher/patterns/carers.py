"""Rules for names of carers by what stands beside them: titles, callings, credentials, labels."""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ...gazetteers import in_word_list
from ...tokenizer import LETTER, LOWER
from ..rule import Rule
from ..words import is_common, is_given, may_be_person, person_length
from .common import any_of
from .name_guards import (
    COURTESY,
    FIELD,
    MR,
    TITLES,
    is_credentialed,
    is_doctor,
    is_everyday_name,
    is_known_person,
    is_language,
    is_lower_name,
    is_person,
    is_staff,
    signer_length,
)
from .name_parts import EVERYDAY, GAP, GIVEN, LAST, LAST_FIRST, NAME, WORD

_SURE = (
    r"(?:M\.D\.?|D\.O\.|R\.N\.|N\.P\.|P\.A\.|Ph\.?D|PHD|PharmD|Pharm\.D|Psy\.?D|MD|RN|NP|PA-C|"
    r"LCSW|LICSW|LMSW|FNP|FNP-C|FNP-BC|ARNP|APRN|CRNA|CNM|DNP|LPN|LVN|CNA|DPT|OTR/?L?|RPh|DDS|"
    r"DMD|DPM|MBBS|EMT-?[PB]?|LMFT|LPC|RDN|BSN|MSN|CCC-SLP|PGY-?[1-9]|RRT|CHPN|MSW|LMHC|"
    r"NREMT-?P?|RDMS)"
)
_UNSURE = r"(?:DO|PA|PT|OT|SLP|RD|OD|DC|RT|AuD)"
_CREDENTIAL_WORDS = (
    "m.d. m.d d.o. r.n. n.p. p.a. ph.d. ph phd pharmd pharm psyd psy md rn np pa lcsw licsw lmsw "
    "fnp arnp aprn crna cnm dnp lpn lvn cna dpt otr rph dds dmd dpm mbbs emt lmft lpc rdn bsn msn "
    "ccc pgy rrt chpn msw lmhc nremt rdms"
)
_ROLES = (
    "attending attg attn physician physicians pcp md provider surgeon resident intern fellow "
    "consultant evaluator author therapist clinician counselor technologist tech assistant "
    "anesthetist nurse rn crnp cardiologist oncologist nephrologist neurologist psychiatrist "
    "psychologist pathologist radiologist urologist pulmonologist anesthesiologist hospitalist "
    "gastroenterologist endocrinologist rheumatologist dermatologist dentist optometrist "
    "ophthalmologist pharmacist midwife obstetrician pediatrician gynecologist gp dr coordinator "
    "dietitian interpreter examiner transcriptionist dictator referring ordering primary care "
    "requesting admitting supervising co"
)
_DOERS = (
    "signed dictated transcribed reviewed approved verified authenticated performed interpreted "
    "read requested ordered seen examined evaluated referred authorized cosigned attested reported "
    "prepared completed witnessed entered collected drawn"
)
_CARERS = (
    "nurse midwife therapist resident intern surgeon cardiologist aide caseworker physio "
    "physiotherapist counselor counsellor dietitian dietician pharmacist registrar hospitalist "
    "paramedic phlebotomist hygienist podiatrist audiologist optometrist "
    "consultant ophthalmologist anaesthetist interpreter chaplain"
)
_CARER_LETTERS = "rn lpn lvn cna hha np pa msw lcsw licsw sw phn slp crna arnp cm spr str sho"
_CARER = (
    rf"(?<![\w/])(?:(?i:{'|'.join(_CARERS.split())}|(?:social|case) worker|(?:case|care) manager)|"
    rf"{'|'.join(_CARER_LETTERS.upper().split())}|SpR|StR)(?![A-Za-z])"
)

_COMPLAINT = re.compile(r"(?:[A-Z]{1,4}|[A-Z]/[A-Z])(?: [A-Z]{1,4}){0,3}")
_SIGNED = re.compile(r"[ ]{0,2}(?:[\n(/;|0-9]|\Z)|[ ](?:on|at)[ ]|[ ]{2}")
"""After the whole name in a signature: "Lowe MD, Pat on March 14"."""
_FINDINGS = frozenset("nl neg pos soft warm reg rrr htn cad wnl clr intact dm none".split())
_HEADINGS = frozenset(
    "abd ext psy psych neu neuro cv cvs cor hrt resp pul lung chst gu gi gyn msk skin heen ent "
    "neck nck gen lym ros pmh psh fh fhx sh shx hpi all meds ua hcg rvp cbc bmp cmp flu rsv upt "
    "bcx ucx ekg ecg cxr ct mri us vs labs".split()
)
"""What a terse exam's lines begin with: "ABD:soft"."""
_NO_SPEAKERS = frozenset(
    "pharm pharmacy charge triage lab labs tele telemetry radiology bedside resident intern bot "
    "system admin staff team plan caller agent dispatch dispatcher operator rep".split()
)


def _is_copied(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a copy goes to somebody; "CC: SOB" is a chief complaint."""
    word = match["phi"].lower()
    surname = (
        len(word) > 2
        and in_word_list(vocab, word, "family_name")
        and not in_word_list(vocab, word, "medical_term")
    )
    complaint = match[0].startswith("CC") and _COMPLAINT.fullmatch(match["phi"])
    return is_person(match, vocab) and (surname or not complaint)


def _is_typed(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether letters are an author's and a typist's initials, no finding: "EXT:nl"."""
    left, right = match["phi"].lower(), match["phi2"]
    if right in _FINDINGS and len(right) > 2:
        return False
    return left not in _HEADINGS or not (
        right in _FINDINGS or in_word_list(vocab, right, "medical_term")
    )


def _is_reversed(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a given name follows "Lowe MD,", rather than the rest of a sentence."""
    given = match["phi2"].split()[0]
    return (
        is_person(match, vocab)
        and (is_given(vocab, given) or given.lower() == "pat")  # no list of given names has it
        and (
            not (is_common(vocab, given) or given.lower() == "pat")
            or bool(_SIGNED.match(match.string, match.end()))
        )
    )


def _is_speaker(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether somebody with a name speaks in a chat, not "RN" or "Pharm"."""
    words = match["phi"].lower().split()
    return (
        is_person(match, vocab)
        and (not match["phi"].isupper() or is_given(vocab, words[0]))  # no "PACU", no "CALLER"
        and _NO_SPEAKERS.isdisjoint(words)
    )


def _is_carer(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a carer's name is one: a given name that we know, or a surname and nothing else."""
    if is_language(match):
        return False
    if is_known_person(match, vocab):
        return True
    word = re.split(r"[\s-]", match["phi"])[0]
    return (
        not match[0].startswith(("NP ", "PA "))  # the nasopharynx, a view
        and may_be_person(match["phi"], vocab)
        and in_word_list(vocab, word.lower(), "family_name")
        and not (in_word_list(vocab, word.lower(), "eponym") or is_common(vocab, word))
        and (word[1:].islower() or len(word) > 3)
    )


RULES: tuple[Rule, ...] = (
    Rule(
        "name.doctor",
        "DOCTOR",
        0.95,
        "dr drs doctor doctors prof professor",
        rf"(?<!\w){TITLES}{GAP}{{0,1}}(?P<phi>{NAME})",
        is_doctor,
        cut=person_length,
    ),
    Rule(
        "name.doctors",
        "DOCTOR",
        0.9,
        "dr drs doctor doctors",
        rf"(?<!\w)(?:{TITLES}{GAP}{WORD},? (?:and|&) |(?i:drs|doctors)\.?{GAP}{WORD}"
        rf"(?:, {WORD}){{0,1}}(?:,? (?:and|&) |, |/))(?P<phi>{WORD})(?!{GAP}{LOWER}{{1,20}}ed )",
        is_person,
    ),
    Rule(
        "name.doctor_lower",
        "DOCTOR",
        0.85,
        "dr",
        rf"(?<!\w)(?i:dr)\.?[ ](?P<phi>(?:(?:van|von|de|del|la|los|al) ){{0,2}}{LOWER}{{2,20}}"
        rf"(?:-{LOWER}{{2,20}})?)(?!{LETTER})",
        is_lower_name,
    ),
    Rule(
        "name.carer",
        "DOCTOR",
        0.91,
        f"{_CARERS} {_CARER_LETTERS} social case care",
        rf"{_CARER}[ ](?P<phi>{NAME})",
        _is_carer,
        cut=person_length,
    ),
    Rule(
        "name.titled_carer",
        "DOCTOR",
        0.92,
        COURTESY,
        rf"{MR}(?P<phi>{NAME})(?:,[ ]|[ ]\(?)"
        rf"(?:(?i:the|our|my|your|his|her)[ ])?(?:{LOWER}{{3,16}}[ ])?{_CARER}",
        is_person,
    ),
    Rule(
        "name.carer_titled",
        "DOCTOR",
        0.92,
        f"{_CARERS} {_CARER_LETTERS} social case care",
        rf"{_CARER}[,:]?[ ]\(?{MR}(?P<phi>{NAME})",
        cut=person_length,
    ),
    Rule(
        "name.credential",
        "DOCTOR",
        0.95,
        _CREDENTIAL_WORDS,
        rf"(?!E[DR][ ]{_SURE}(?!\w))"
        rf"(?P<phi>{NAME}|{LAST_FIRST})(?:,[ ]{{0,2}}|[ ]{{1,2}}){_SURE}(?!\w)",
        is_credentialed,
        reach=9,
    ),
    Rule(
        "name.credential_given",
        "DOCTOR",
        0.95,
        _CREDENTIAL_WORDS,
        rf"(?P<phi>{LAST})[ ]{_SURE},[ ]{{1,2}}(?P<phi2>{GIVEN})",
        _is_reversed,
        reach=5,
    ),
    Rule(
        "name.credential_everyday",
        "DOCTOR",
        0.95,
        "will may lane",
        rf"(?<![\w-])(?P<phi>{EVERYDAY}),[ ]{{1,2}}(?:{_SURE}|{_UNSURE})(?![\w-])",
        is_everyday_name,
    ),
    Rule(
        "name.credential_unsure",
        "DOCTOR",
        0.88,
        "do pa pt ot slp rd od dc rt aud",
        rf"(?P<phi>{NAME}),[ ]{_UNSURE}(?=[ ]?[\n.,;)(/|]|[ ]{{2}}|\Z)",
        is_known_person,
        reach=9,
    ),
    Rule(
        "name.titled_credential",
        "DOCTOR",
        0.92,
        COURTESY,
        rf"{MR}(?P<phi>{NAME}),[ ]{_UNSURE}(?!\w)",
        is_person,
    ),
    Rule(
        "name.signed_by",
        "DOCTOR",
        0.93,
        _DOERS,
        rf"{any_of(_DOERS)} (?i:by)(?: the)?[ ]?:?[ \t]{{0,8}}(?:{TITLES} )?"
        rf"(?P<phi>{LAST_FIRST}|{NAME})",
        is_staff,
        cut=signer_length,
    ),
    Rule(
        "name.doctor_label",
        "DOCTOR",
        0.92,
        _ROLES,
        rf"(?<!\w){any_of(_ROLES)}(?:[ ](?i:physicians?|md|provider|surgeon|nurse|doctor|care|"
        rf"manager|practitioner|oncologist|therapist|name)){{0,2}}(?:\(s\))?{FIELD}"
        rf"(?:{TITLES} )?(?P<phi>{LAST_FIRST}|{NAME})(?![ ]?:)",
        is_staff,
        cut=signer_length,
    ),
    Rule(
        "name.copies",
        "DOCTOR",
        0.85,
        "cc",
        rf"(?i:cc):[ \t]{{0,8}}(?P<phi>{NAME})(?:[;,] {{1,2}}(?!{_SURE}(?!\w))(?P<phi2>{NAME}))?",
        _is_copied,
        cut=person_length,
    ),
    Rule(
        "name.initials",
        "DOCTOR",
        0.92,
        "INITIALS",
        r"(?:(?<=\n)|(?<=\n )|(?<=[.)] )|(?<=[ ]{2}))(?P<phi>[A-Z]{2,4})[:/](?P<phi2>[a-z]{2,4})"
        r"(?=/{0,2}[ \t]{0,40}(?:\n|\r|\Z)|[ ]{2,20}(?:[dDtT][.:]|(?i:dict|trans|typed|job)))",
        _is_typed,
    ),
    Rule(
        "name.chat",
        "DOCTOR",
        0.75,
        "CLOCK",
        r"(?<![^\n])\[[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:[ ]?[AaPp][Mm])?\][ ]{1,2}"
        rf"(?P<phi>{WORD}(?:[ ]{WORD})?):[ ]",
        _is_speaker,
        reach=1,
    ),
    Rule(
        "name.greeting",
        "DOCTOR",
        0.7,
        "hi hello hey dear",
        r"(?<!\w)(?:Hi|Hello|Hey|Dear)[ ](?P<phi>[A-HJ-Z]),(?=\s)",
    ),
    Rule(
        "name.typist",
        "DOCTOR",
        0.85,
        "t d typed trans transcribed tr dt tt",
        r"(?<!\w)(?i:t|d|typed|trans(?:cribed)?|tr|dt|tt)[.:]{1,2}[ ]{0,2}"
        r"[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{2,4}(?:[ ]{1,2}[0-9]{1,2}:?[0-9]{2})?[,;]?[ ]{1,4}"
        r"(?P<phi>(?!at|by|and|in|on|to|am|pm|hrs|of|the|for|job|doc)[a-z]{2,4})"
        r"(?=[ ]{0,4}(?:\n|\Z|[Jj]ob|#))",
    ),
)
"""Rules for DOCTOR."""
