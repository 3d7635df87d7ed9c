"""Surrogates of internet domains."""

from __future__ import annotations

from ..phi_text import PhiText

_PROVIDERS = frozenset(
    "gmail.com googlemail.com yahoo.com ymail.com rocketmail.com hotmail.com outlook.com live.com "
    "msn.com aol.com aim.com icloud.com me.com mac.com mail.com gmx.com gmx.net proton.me "
    "protonmail.com zoho.com fastmail.com comcast.net verizon.net att.net sbcglobal.net "
    "bellsouth.net cox.net charter.net earthlink.net juno.com optonline.net frontier.com "
    "windstream.net centurylink.net roadrunner.com yahoo.co.uk hotmail.co.uk btinternet.com".split()
)
_KINDS = frozenset(
    "com org net edu gov mil int info biz health care clinic hospital med doctor example "
    "local".split()
)
_SECOND_LEVEL = frozenset("co com org net edu ac gov nhs gob med".split())
_KEPT_LABELS = frozenset("www mail email webmail smtp alumni students".split())
_LABELS = (
    "alderfield amberlake ashbrook aspenvale baycrest beechmont birchway bluemere brightwell "
    "broadmere calderbrook cedarvale clearmont coldspring copperhill cresthaven dovefield eastmere "
    "elmcrest emberton fairhollow fernbank foxmeadow glenhaven goldenfern greyfield harborlight "
    "hawthornebay hazelmont highmere hollybank ironbridge ivyfield juniperway kestrelbay lakemont "
    "larkfield lindenbrook longmere maplecrest meadowlight millhaven mossbank northbrook oakmere "
    "orchardway pinehollow plumfield quailridge ravensmere redfern riverlight rosebank rowanhill "
    "sandmere silverbrook southmere stonecrest sunfield thornbank timberlake valemont waterlight "
    "westfern whitemere willowbank windcrest woodhollow"
).split()


def surrogate_domain(note: PhiText, domain: str) -> str:
    """Another domain of the same kind; that of a mail provider with users everywhere stays.

    note (PhiText): The note whose patient's draws count.
    domain (str): The domain ("mail.mercy.org"), in any letter case.
    RETURNS (str): The other one ("mail.cedarvale.org"): country and kind stay.
    """
    lower = domain.lower()
    if lower in _PROVIDERS:
        return domain
    labels = lower.split(".")
    suffix = _suffix(labels)
    names = [_label(note, label) for label in labels[: len(labels) - len(suffix)]]
    surrogate = ".".join(names + suffix) if names else _label(note, lower)
    return surrogate.upper() if domain.isupper() else surrogate


def is_provider(domain: str) -> bool:
    """Whether a domain is that of a common mail provider."""
    return domain.lower() in _PROVIDERS


def _suffix(labels: list[str]) -> list[str]:
    """The end of a domain that says its kind and country; an unusual one becomes "com"."""
    if len(labels) < 2:
        return []
    last = labels[-1]
    country = len(last) == 2 and last.isalpha()
    if country and len(labels) > 2 and labels[-2] in _SECOND_LEVEL:
        return labels[-2:]
    return [last if country or last in _KINDS else "com"]


def _label(note: PhiText, label: str) -> str:
    if label in _KEPT_LABELS:
        return label
    options = [name for name in _LABELS if name != label]
    return note.choice(options, "domain", label)
