"""The scores once more, plain and slow: loops over tags, straight from the definitions.

Nothing is shared with the package, so that an error would have to be made twice.
"""

from __future__ import annotations

from itertools import product

LETTERS_AND_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
HIPAA = """PATIENT CITY STREET ZIP ORGANIZATION DATE PHONE FAX EMAIL SSN MEDICALRECORD HEALTHPLAN
    ACCOUNT LICENSE VEHICLE DEVICE BIOID AGE""".split()


def tokens(text, tag):
    start, end, phi_type = tag
    result, begun = [], None
    for i in range(start, end + 1):
        inside = i < end and text[i] in LETTERS_AND_DIGITS
        if inside and begun is None:
            begun = i
        if not inside and begun is not None:
            result.append((begun, i, phi_type))
            begun = None
    return result or [(end, end, phi_type)]


def equal(one, other, slack, binary):
    return one[0] == other[0] and abs(one[1] - other[1]) <= slack and (binary or one[2] == other[2])


def members(text, tags, measure, scheme, slack, binary):
    if scheme == "hipaa":
        tags = [tag for tag in tags if tag[2] in HIPAA]
    if measure == "token":
        tags = [token for tag in tags for token in tokens(text, tag)]
    kept = []
    for tag in sorted(tags):
        if not any(equal(tag, other, slack, binary) for other in kept):
            kept.append(tag)
    return kept


def count(gold, system, slack, binary):
    tp, used = 0, set()
    for tag in gold:
        partners = {i for i, other in enumerate(system) if equal(tag, other, slack, binary)}
        tp += bool(partners - used)
        used |= partners
    fn = sum(not any(equal(tag, other, slack, binary) for other in system) for tag in gold)
    return tp, len(system) - len(used), fn


def ratio(part, whole):
    return part / whole if whole else 0.0


def mean_and_sd(values):
    mean = ratio(sum(values), len(values))
    return mean, ratio(sum((value - mean) ** 2 for value in values), len(values)) ** 0.5


def evaluate(notes):
    """Figures by measure, scheme, view and average of notes given as (text, gold, system)."""
    result = {}
    for key in product(("token", "strict", "relaxed"), ("i2b2", "hipaa"), ("typed", "binary")):
        measure, scheme, view = key
        slack, binary = 2 * (measure == "relaxed"), view == "binary"
        rows = [
            count(
                members(text, gold, measure, scheme, slack, binary),
                members(text, system, measure, scheme, slack, binary),
                slack,
                binary,
            )
            for text, gold, system in notes
        ]
        tp, fp, fn = (sum(row[i] for row in rows) for i in range(3))
        p, p_sd = mean_and_sd([ratio(row[0], row[0] + row[1]) for row in rows])
        r, r_sd = mean_and_sd([ratio(row[0], row[0] + row[2]) for row in rows])
        precision, recall = ratio(tp, tp + fp), ratio(tp, tp + fn)
        result[key] = {
            "micro": {
                "precision": precision,
                "recall": recall,
                "f1": ratio(2 * precision * recall, precision + recall),
                "tp": tp,
                "fp": fp,
                "fn": fn,
            },
            "macro": {
                "precision": p,
                "recall": r,
                "f1": ratio(2 * p * r, p + r),
                "precision_sd": p_sd,
                "recall_sd": r_sd,
            },
        }
    return result
