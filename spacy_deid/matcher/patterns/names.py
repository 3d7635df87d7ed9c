"""Rules for names of persons by what stands beside them: titles, credentials, labels, relatives."""

from __future__ import annotations

import re

from spacy.vocab import Vocab

from ...boundaries import CREDENTIALS, SURE_CREDENTIALS
from ...gazetteers import in_word_list
from ...tokenizer import LETTER, LOWER
from ..rule import Rule
from ..words import (
    INSTITUTION_WORDS,
    STOP_WORDS,
    is_common,
    is_given,
    is_medical,
    may_be_person,
    person_length,
)
from .name_parts import GAP, LAST_FIRST, NAME, WORD

_COURTESY = "mr mrs ms miss mx"
_MR = rf"(?<![\w/])M(?:rs?|s|iss|x)(?![A-Za-z])\.?{GAP}"
_TITLES = r"(?i:drs?|doctors?|prof(?:essor)?)(?![a-z])\.?"
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
_PEOPLE = (
    "daughter son wife husband mother father mom dad sister brother aunt uncle cousin niece nephew "
    "grandson granddaughter grandmother grandfather grandma grandpa friend neighbor neighbour "
    "roommate partner girlfriend boyfriend fiance fiancee dtr husb spouse sibling stepfather "
    "stepmother stepson stepdaughter guardian coworker boss sponsor landlord twin caregiver child "
    "baby hubby bf gf"
)
_PATIENT_LABELS = (
    "patient name pt client candidate re regarding member nok guardian spouse informant hcp proxy "
    "resident subject parent beneficiary insured guarantor"
)


def _is_person(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether all words may be a name's."""
    return may_be_person(match["phi"], vocab)


def _is_no_heading(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a word on the line after a title is no label, as in "told the Tpr.\\nCrew: two"."""
    title = match.string[match.start() : match.start("phi")]
    return "\n" not in title or match.string[match.end() : match.end() + 1] != ":"


def _is_known_person(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether all words may be a name's and the first is a given name that we know."""
    first = re.split(r"[\s.-]", match["phi"])[0]
    return may_be_person(match["phi"], vocab) and is_given(vocab, first)


def _is_carer(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a carer's name is one: a given name that we know, or a surname and nothing else."""
    if _is_known_person(match, vocab):
        return True
    word = re.split(r"[\s-]", match["phi"])[0]
    return (
        not match[0].startswith(("NP ", "PA "))  # the nasopharynx, a view
        and may_be_person(match["phi"], vocab)
        and in_word_list(vocab, word.lower(), "family_name")
        and not (in_word_list(vocab, word.lower(), "eponym") or is_common(vocab, word))
        and (word[1:].islower() or len(word) > 3)
    )


def _is_relative(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a relative's name is one: "father Grant", not "Mother Alzheimer's", "father COPD"."""
    word = re.split(r"[\s,-]|['\u2019]s(?!\w)", match["phi"])[0].rstrip(".")
    if match[0].startswith("Twin "):  # of a town: "Twin Bridges"
        return False
    before = match.string[max(0, match.start() - 2) : match.start()]
    if match[0].startswith("Sister ") and re.fullmatch(r"[\w,] ", before):
        return False  # a nun or a nurse: "with Sister Joan"
    if match[0][0].isupper() and not INSTITUTION_WORDS.isdisjoint(match["phi"].lower().split()):
        return False  # "Mother Joseph Care Center"
    if match["named"]:
        return not is_common(vocab, word) or is_given(vocab, word)
    if len(word) < 2 or is_common(vocab, word):
        return False
    if is_given(vocab, word):
        return not word.isupper() or len(word) > 3
    return not word.isupper() and not in_word_list(vocab, word.lower(), "eponym")


def _is_lower_name(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a small-letter word after "dr" or "mr" is a surname: "dr best", not "dr visit"."""
    word = match["phi"].split("-")[0]
    if word in STOP_WORDS:
        return False
    return not is_common(vocab, word) or (
        in_word_list(vocab, word, "family_name") and word not in _AFTER_DR
    )


def _is_signer(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether what stands in a field for a name begins like one."""
    word = re.split(r"[\s,-]", match["phi"])[0].rstrip(".")
    return is_given(vocab, word) or not (is_common(vocab, word) or is_medical(vocab, word))


def signer_length(text: str, vocab: Vocab) -> int:
    """Length of the name that a field begins with; "LAST, FIRST" counts as one, not "Lopez, MD"."""
    comma = text.find(",")
    if comma < 0:
        return person_length(text, vocab)
    words = text[:comma].split()
    if len(words) > 1 and is_given(vocab, words[0]) and not text[:comma].isupper():
        return person_length(text[:comma], vocab)
    rest = len(text) - len(text[comma + 1 :].lstrip())
    if text[rest:].replace(".", "").lower() in CREDENTIALS | SURE_CREDENTIALS:
        return comma
    return rest + first if (first := person_length(text[rest:], vocab)) else comma


def _is_handle(match: re.Match[str], vocab: Vocab) -> bool:
    """Whether a user's name is no everyday word."""
    return not is_common(vocab, match["phi"])


_AFTER_DR = frozenset(
    "office may will visit note notes call order orders work told said and or".split()
)


_FIELD = r"(?:[ \t]{0,3}[:=|][ \t]{0,20}\n?[ \t]{0,20}|[ ]-{1,2}[ ]|\t{1,4}|[ ]{2,20})"
"""Between a label and the name in its field."""


def _label(words: str) -> str:
    """A pattern for a label of one or several of some words, with "name" or "by" after it."""
    return rf"(?i:{'|'.join(words.split())})(?![a-z])"


RULES: tuple[Rule, ...] = (
    Rule(
        "name.doctor",
        "DOCTOR",
        0.95,
        "dr drs doctor doctors prof professor",
        rf"(?<!\w){_TITLES}{GAP}{{0,1}}(?P<phi>{NAME})",
        cut=person_length,
    ),
    Rule(
        "name.doctors",
        "DOCTOR",
        0.9,
        "dr drs doctor doctors",
        rf"(?<!\w)(?:{_TITLES}{GAP}{WORD},? (?:and|&) |(?i:drs|doctors)\.?{GAP}{WORD}"
        rf"(?:, {WORD}){{0,1}}(?:,? (?:and|&) |, |/))(?P<phi>{WORD})(?!{GAP}{LOWER}{{1,20}}ed )",
        _is_person,
    ),
    Rule(
        "name.doctor_lower",
        "DOCTOR",
        0.85,
        "dr",
        rf"(?<!\w)(?i:dr)\.?[ ](?P<phi>(?:(?:van|von|de|del|la|los|al) ){{0,2}}{LOWER}{{2,20}}"
        rf"(?:-{LOWER}{{2,20}})?)(?!{LETTER})",
        _is_lower_name,
    ),
    Rule(
        "name.titled",
        "PATIENT",
        0.9,
        f"{_COURTESY} rev reverend pastor rabbi imam officer ofc deputy sgt detective trooper tpr "
        "capt cpl pfc judge coach",
        r"(?<![\w/])(?:(?:M(?:rs?|s|x)|Rev|Sgt|Ofc|Tpr|Capt|Cpl)(?![A-Za-z])\.?|"
        r"(?:MRS?|MS|MX|REV)\.(?= {1,2}[A-Z]{2})|MRS(?= )|REV(?= )|Miss|Reverend|Pastor|Rabbi|"
        rf"Imam|Officer|Deputy|Detective|Trooper|PFC|Judge|Coach){GAP}(?P<phi>{NAME})",
        _is_no_heading,
        cut=person_length,
    ),
    Rule(
        "name.titled_lower",
        "PATIENT",
        0.76,
        "mr mrs ms",
        rf"(?<![\w/.])(?:mrs?|ms)\.?[ ](?P<phi>{LOWER}{{3,20}}(?:-{LOWER}{{2,20}})?)(?!{LETTER})",
        _is_person,
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
        _COURTESY,
        rf"{_MR}(?P<phi>{NAME})(?:,[ ]|[ ]\(?)"
        rf"(?:(?i:the|our|my|your|his|her)[ ])?(?:{LOWER}{{3,16}}[ ])?{_CARER}",
        _is_person,
    ),
    Rule(
        "name.carer_titled",
        "DOCTOR",
        0.92,
        f"{_CARERS} {_CARER_LETTERS} social case care",
        rf"{_CARER}[,:]?[ ]\(?{_MR}(?P<phi>{NAME})",
        cut=person_length,
    ),
    Rule(
        "name.credential",
        "DOCTOR",
        0.95,
        _CREDENTIAL_WORDS,
        rf"(?!E[DR][ ]{_SURE}(?!\w))"
        rf"(?P<phi>{NAME}|{LAST_FIRST})(?:,[ ]{{0,2}}|[ ]{{1,2}}){_SURE}(?!\w)",
        _is_person,
        reach=9,
    ),
    Rule(
        "name.credential_unsure",
        "DOCTOR",
        0.88,
        "do pa pt ot slp rd od dc rt aud",
        rf"(?P<phi>{NAME}),[ ]{_UNSURE}(?=[ ]?[\n.,;)(/|]|[ ]{{2}}|\Z)",
        _is_known_person,
        reach=9,
    ),
    Rule(
        "name.titled_credential",
        "DOCTOR",
        0.92,
        _COURTESY,
        rf"{_MR}(?P<phi>{NAME}),[ ]{_UNSURE}(?!\w)",
        _is_person,
    ),
    Rule(
        "name.signed_by",
        "DOCTOR",
        0.93,
        _DOERS,
        rf"{_label(_DOERS)} (?i:by)(?: the)?[ ]?:?[ \t]{{0,8}}(?:{_TITLES} )?"
        rf"(?P<phi>{LAST_FIRST}|{NAME})",
        _is_signer,
        cut=signer_length,
    ),
    Rule(
        "name.doctor_label",
        "DOCTOR",
        0.92,
        _ROLES,
        rf"(?<!\w){_label(_ROLES)}(?:[ ](?i:physicians?|md|provider|surgeon|nurse|doctor|care|"
        rf"manager|practitioner|oncologist|therapist|name)){{0,2}}(?:\(s\))?{_FIELD}"
        rf"(?:{_TITLES} )?(?P<phi>{LAST_FIRST}|{NAME})(?![ ]?:)",
        _is_signer,
        cut=signer_length,
    ),
    Rule(
        "name.copies",
        "DOCTOR",
        0.85,
        "cc",
        rf"(?i:cc):[ \t]{{0,8}}(?P<phi>{NAME})(?:[;,] {{1,2}}(?!{_SURE}(?!\w))(?P<phi2>{NAME}))?",
        _is_person,
        cut=person_length,
    ),
    Rule(
        "name.patient_label",
        "PATIENT",
        0.93,
        _PATIENT_LABELS,
        rf"(?<!\w){_label(_PATIENT_LABELS)}(?:'s)?"
        rf"(?:[ ](?i:name|of kin|contact|full name)){{0,2}}{_FIELD}(?:(?:Mr|Mrs|Ms|Miss)\.? )?"
        rf"(?P<phi>{LAST_FIRST}|{NAME})(?![ ]?:)",
        _is_signer,
        cut=signer_length,
    ),
    Rule(
        "name.patient_bare",
        "PATIENT",
        0.8,
        "patient pt client name",
        rf"(?<!\w)(?i:patient|pt|client)(?:,|[ ](?i:named|is named))? (?P<phi>{NAME})",
        _is_known_person,
        cut=person_length,
    ),
    Rule(
        "name.relative",
        "PATIENT",
        0.91,
        f"{_PEOPLE} named",
        rf"(?<!\w){_label(_PEOPLE)}(?P<named>(?:,| is|'s name is|\u2019s name is)? "
        rf"(?:named|called|name is))?(?:,[ ]|[ ]\(|{GAP})(?P<phi>{NAME})",
        _is_relative,
        cut=person_length,
    ),
    Rule(
        "name.initials",
        "DOCTOR",
        0.85,
        "INITIALS",
        r"(?:(?<=\n)|(?<=\n )|(?<=[.)] )|(?<=[ ]{2}))(?P<phi>[A-Z]{2,4})[:/](?P<phi2>[a-z]{2,4})"
        r"(?=/{0,2}[ \t]{0,8}(?:\n|\r|\Z)|[ ]{2,20}[dDtT][.:])",
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
    Rule(
        "name.handle",
        "USERNAME",
        0.85,
        "@",
        r"(?<![\w.)-])@(?P<phi>[A-Za-z][A-Za-z0-9_]{3,30}(?:\.[A-Za-z0-9_]{2,20})?)(?![\w@])",
        _is_handle,
    ),
    Rule(
        "name.user_label",
        "USERNAME",
        0.92,
        "username user userid login logon portal handle screen",
        r"(?i:user(?: ?(?:name|id))?|log(?:in|on)(?: (?:id|name))?|portal (?:id|user(?:name)?)|"
        r"handle|screen ?name)(?:[ ]?[:=#][ ]{0,8}| is )\(?(?P<phi>[A-Za-z][\w.-]{2,30}[\w])",
        _is_handle,
    ),
    Rule(
        "name.user_after_credential",
        "USERNAME",
        0.8,
        "rn md np pa do lpn pharmd",
        r"(?i:rn|md|np|pa|do|lpn|pharmd)[ ,/|\[(]{1,3}(?P<phi>[a-z]{3,12}[0-9]{1,4})(?![\w%-])",
    ),
)
"""Rules for PATIENT, DOCTOR and USERNAME."""
