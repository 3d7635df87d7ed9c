"""Rules for names of carers by what stands beside them: titles, callings, credentials, labels."""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ...gazetteers import in_word_list
from ...tokenizer import LETTER, LOWER
from ..rule import Rule
from ..words import is_common, may_be_person, person_length
from .common import any_of
from .name_guards import (
    COURTESY,
    FIELD,
    MR,
    TITLES,
    is_known_person,
    is_lower_name,
    is_person,
    is_signer,
    signer_length,
)
from .name_parts import GAP, LAST_FIRST, NAME, WORD

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


def _is_carer(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a carer's name is one: a given name that we know, or a surname and nothing else."""
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
        is_person,
        reach=9,
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
        is_signer,
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
        is_signer,
        cut=signer_length,
    ),
    Rule(
        "name.copies",
        "DOCTOR",
        0.85,
        "cc",
        rf"(?i:cc):[ \t]{{0,8}}(?P<phi>{NAME})(?:[;,] {{1,2}}(?!{_SURE}(?!\w))(?P<phi2>{NAME}))?",
        is_person,
        cut=person_length,
    ),
    Rule(
        "name.initials",
        "DOCTOR",
        0.85,
        "INITIALS",
        r"(?:(?<=\n)|(?<=\n )|(?<=[.)] )|(?<=[ ]{2}))(?P<phi>[A-Z]{2,4})[:/](?P<phi2>[a-z]{2,4})"
        r"(?=/{0,2}[ \t]{0,40}(?:\n|\r|\Z)|[ ]{2,20}(?:[dDtT][.:]|(?i:dict|trans|typed|job)))",
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
