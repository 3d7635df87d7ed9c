"""The elements of FHIR resources that hold PHI by definition: people, places, ids and dates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import quote, unquote

from ..text.edits import Edit
from .base import FREE_TEXT, RESULT
from .id_types import ID_TYPES
from .json_nodes import Node

PEOPLE: Mapping[str, str] = {
    **{"Patient": "PATIENT", "RelatedPerson": "PATIENT", "Person": "PATIENT"},
    **{"Practitioner": "DOCTOR", "PractitionerRole": "DOCTOR"},
}
"""Resources about people, each with the PHI type of the name."""

PLACES = ("Organization", "Location", "HealthcareService")
"""Resources about places, whose names are those of a HOSPITAL."""

_REFERENCES = {**PEOPLE, **dict.fromkeys(PLACES, "HOSPITAL")}
"""Types of the displayed names of references, by the resource that they refer to."""

GROUPS = ("CareTeam", "Group")
"""Resources that may be named after people."""

_SHARED = frozenset(("DOCTOR", "HOSPITAL"))
"""Types of the names of staff and places, whose identifiers belong to no patient."""

STAFF = frozenset(kind for kind, each in _REFERENCES.items() if each in _SHARED)
"""Resources about staff and places."""

_ROLES = {
    **dict.fromkeys(
        "subject patient beneficiary subscriber policyHolder informationSource source other "
        "reportedReference recipient receiver member entity expressedBy grantor sourcePatientInfo "
        "candidate consentingParty deliverFor deliverTo Task.for Person.target".split(),
        "PATIENT",
    ),
    **dict.fromkeys(
        "author authorReference performer practitioner requester recorder asserter participant "
        "individual actor attester party generalPractitioner sender provider collector verifier "
        "verifiedWith enterer assessor who owner operator responsibleParty careManager referrer "
        "interpreter resultsInterpreter prescriber authenticator onBehalfOf orderer observer "
        "verifiedBy contributor requestor principalInvestigator grantee controller manager agent "
        "whoReference onBehalfOfReference requestProvider informationProvider reporter responsible "
        "causalityAuthor eventParticipant".split(),
        "DOCTOR",
    ),
    **dict.fromkeys(
        "organization custodian managingOrganization serviceProvider location assigner origin "
        "destination facility locationReference payor insurer providedBy managingEntity "
        "performingOrganization requestingOrganization requestOrganization reportingOrganization "
        "participatingOrganization issuer paymentIssuer payee submitter supplier dispenser "
        "deliverFrom site processingFacility currentLocation requestedLocation healthcareService "
        "Organization.partOf Location.partOf".split(),
        "HOSPITAL",
    ),
}
"""The same by element, where the target is unknown."""

_OWNERS = {
    **{re.sub("(?=[A-Z])", "-", element).lower(): each for element, each in _ROLES.items()},
    **{**_REFERENCES, "Account": "PATIENT"},
}
"""Types of the names for which a search looks, by link (`general-practitioner`) or resource."""

_THINGS = frozenset(
    "ActivityDefinition CapabilityStatement CodeSystem ConceptMap Device ImplementationGuide "
    "Library Measure Medication NamingSystem OperationDefinition PlanDefinition Questionnaire "
    "SearchParameter StructureDefinition Substance ValueSet".split()
)
"""Resources whose names are not those of people or places."""

_TARGET = re.compile(
    r"(?:^|/)([A-Z][A-Za-z]+)(?:\?|/[A-Za-z0-9.-]{1,64}(?:/_history/[^/]*)?\Z)"
).search
"""The type of the resource in a reference, relative or absolute, perhaps a search or a version."""

_DATE = re.compile(
    r"[0-9]{4}(?:-(?:0[1-9]|1[0-2])"
    r"(?:-[0-3][0-9](?:[T ][0-9:.]{5,18}(?:Z|[-+][0-9]{2}:?[0-9]{2})?)?)?)?"
).fullmatch
"""A date as FHIR writes it, perhaps with a zone as Java writes it: +0000."""

_HAS_DIGIT = re.compile("[0-9]").search
_CLOCK = re.compile(r"[0-9]{1,2}(?::[0-9]{2}){1,2}(?:\.[0-9]+)?").fullmatch
_DATED = tuple(
    "DateTime dateTime Date date Instant Time time On start end event when whenPrepared "
    "whenHandedOver created creation authored recorded asserted Asserted sent received issued "
    "started lastUpdated lastModified timestamp".split()
)
"""How the elements end that hold a date, dateTime or instant, perhaps without a day.

Some hold a time of day or a code without digits.
"""

_CODED = ("code", "Code", "id", "Id", "version", "Version", "system")
"""How the elements end that hold no date, even if it has a day."""

_DAY = len("2067-01-03")

_NAME = ("family", "given", "text")
_ADDRESS = {
    **{"line": "STREET", "city": "CITY", "district": "LOCATION-OTHER", "state": "STATE"},
    **{"postalCode": "ZIP", "country": "COUNTRY", "text": "STREET"},
}
_WORDS = re.compile(r"\w(?:.*\w)?", re.DOTALL).search  # without the signs around them
_TELECOM = {
    **dict.fromkeys(("phone", "sms", "pager", "other"), "PHONE"),
    **{"fax": "FAX", "email": "EMAIL", "url": "URL"},
}
_CONTACTS = ("telecom", "contact", "ContactPoint")
"""How the elements end that are contacts, also if their system is missing."""

_IDENTIFIERS = (
    *("identifier", "Identifier", "accession", "componentId", "predecessor"),
    *("reference", "requisition", "traceNumber", "userId"),
)
"""How the elements end that are identifiers, also if these have nothing but a value."""

_OF_IDENTIFIERS = frozenset("id extension use type system value period assigner".split())
"""All elements of an identifier. A Quantity may have a code, and so has a Coding."""

_TYPES_OF_IDS = ("0203", "identifier-type")  # end the systems of the types of identifiers
_IDS = {
    **{"subscriberId": "HEALTHPLAN", "preAuthRef": "IDNUM", "serialNumber": "DEVICE"},
    **dict.fromkeys(("uid", "studyUid", "seriesUid", "frameOfReferenceUid"), "IDNUM"),
}
"""Elements that are ids, also where they are strings and no identifiers."""

_ELEMENTS = {
    **{"Account.name": "PATIENT", "FamilyMemberHistory.name": "PATIENT"},
    **{"AuditEvent.agent.name": "DOCTOR", "AuditEvent.agent.altId": "USERNAME"},
    **{"AuditEvent.entity.name": "PATIENT", "AuditEvent.network.address": "IPADDR"},
    **{"AuditEvent.agent.networkString": "IPADDR", "AuditEvent.agent.networkUri": "URL"},
    **dict.fromkeys(("Coverage.class.value", "Coverage.value.value"), "HEALTHPLAN"),  # R4, R5
    "Device.distinctIdentifier": "DEVICE",
    **{"Device.udiCarrier.carrierHRF": "DEVICE", "Device.udiCarrier.carrierAIDC": "DEVICE"},
    **{f"{kind}.{name}": "HOSPITAL" for kind in PLACES for name in ("name", "alias")},
}
"""Other elements of certain resources: the resource, the element around it if any, and its name."""

_SEARCHES = ("reference", "ifNoneExist", "url")
"""Elements that may be searches: conditional references and requests, and links."""

_PARAMETER = re.compile(r"(?:^|[?&])([\w.:%-]+)=([^&]+)").finditer
"""The parameters of a search and their values."""

_VALUE = re.compile(
    r"(?:(?<=[=,])|(?<=%2[Cc]))"
    r"(?:(?:[^,|%]|%(?!2[Cc]|7[Cc]))*(?:\||%7[Cc])(?:[A-Z]{2,5}(?:\||%7[Cc]))?)?"
    r"(?:[A-Za-z]{2}(?=[0-9]{4}-[0-9]{2}-[0-9]{2}))?"
    r"((?:[^,%]|%(?!2[Cc]))+)"
).finditer
"""The values of a parameter, without the systems and types of tokens and the signs of dates."""

_SEARCHED = {
    **{"identifier": "IDNUM", "phone": "PHONE", "telecom": "PHONE", "email": "EMAIL"},
    **dict.fromkeys(("name", "family", "given", "phonetic"), "PATIENT"),
    **{"address": "STREET", "address-city": "CITY", "address-state": "STATE"},
    **{"address-postalcode": "ZIP", "address-country": "COUNTRY"},
}
"""Parameters whose values are PHI, each with its PHI type; names are those of what is searched."""

_IN_QUERY = "/:@[]"  # signs that stay in a value, those of tags among them

_SSN = "us-ssn"  # ends the system of social security numbers
_NAME_PARTS = (
    *("patient-mothersMaidenName", "humanname-own-name", "humanname-partner-name"),
    *("humanname-fathers-family", "humanname-mothers-family"),
)
"""How the URLs of extensions end that hold a part of a name."""

_ADDRESS_PART = "iso21090-ADXP-"  # begins the same for parts of the lines of an address


class Element(NamedTuple):
    """An object in a resource."""

    node: Node = Node(0, 0, None)
    name: str = ""  # of its element
    target: str = ""  # type of the resource to which it refers, if that is known elsewhere


class Part(NamedTuple):
    """A part of a string that is PHI by definition."""

    start: int  # its first character
    end: int  # one past its last
    type: str  # PHI type
    quoted: bool = False  # whether it is percent-encoded, as in a search
    shared: bool = False  # whether it identifies staff or a place, for all patients

    def read(self, text: str) -> str:
        """What it says in a string."""
        part = text[self.start : self.end]
        if not self.quoted:
            return part
        if self.type != "DATE":  # in times, + is the sign of a zone
            part = part[:1] + part[1:].replace("+", " ")  # +1 555 0134
        return unquote(part)

    def edit(self, new: str) -> Edit:
        """The edit that makes it say something else."""
        return Edit(self.start, self.end, quote(new, _IN_QUERY) if self.quoted else new)


def parts_of(value: str, kind: str, name: str, parent: Element, around: Element) -> list[Part]:
    """What is PHI by definition in a string of a resource: mostly all of it or nothing.

    value (str): The string.
    kind (str): Type of the resource.
    name (str): The string's element.
    parent (Element): The object with this element.
    around (Element): The object with that.
    """
    if name in _SEARCHES:
        return list(_parts_of_search(value, str(parent.node.get("url") or "")))
    if name == "display" and (referred := _referred(parent, kind, around.name)):
        return [Part(0, len(value), referred)]
    phi_type = _type_of(value, kind, name, parent)
    if phi_type == "STREET" and name == "text":
        return _address_parts(value, parent.node)
    of_resource = (parent.name, name) == ("identifier", "value")
    shared = of_resource and _SHARED.intersection((_REFERENCES.get(kind), _referred(around, kind)))
    return [Part(0, len(value), phi_type, shared=bool(shared))] if phi_type else []


def _type_of(value: str, kind: str, name: str, parent: Element) -> str:
    """The PHI type of a string; empty if it is none by definition."""
    node, within = parent.node, parent.name
    place = kind if node.get("resourceType") is not None else f"{kind}.{within}"
    found = _IDS.get(within if name == "value" else name) or _ELEMENTS.get(f"{place}.{name}")
    if not found and name == "value":
        found = _identifier_or_contact(node, within)
    found = found or _of_person(kind, name, node, within)
    is_text = len(value) >= FREE_TEXT and " " in value
    dated = name.endswith(_DATED) and _HAS_DIGIT(value) and not _CLOCK(value)
    if not found and dated and not is_text:
        return "DATE"  # "03/04/1956" is not valid FHIR, but it is there
    return found or _date(value, name)


def _date(value: str, name: str) -> str:
    """DATE for a date, if its element may hold one; empty for all else."""
    if not _DATE(value):
        return ""
    full = len(value) >= _DAY and not name.endswith(_CODED)
    return "DATE" if full or name.endswith(_DATED) else ""


def _parts_of_search(search: str, url: str) -> Iterator[Part]:
    """The parts of a search, perhaps a condition without a target, which is that of `url`."""
    target = _TARGET(search) or _TARGET(f"{url}?")
    for parameter in _PARAMETER(search):
        name = unquote(parameter[1])
        found, owner = _searched(name, target[1] if target else "")
        shared = found == "IDNUM" and owner in _SHARED
        for value in _VALUE(search, *parameter.span(2)):
            text = unquote(value[1])
            phi_type = found or _date(text, name)
            if phi_type and not text.endswith("|"):  # a system without a value
                yield Part(*value.span(1), phi_type, quoted=True, shared=shared)


def _searched(name: str, target: str) -> tuple[str, str]:
    """The PHI types of what a parameter looks for, and of the names of who or what has it.

    name (str): The parameter's name, perhaps a chain of links: `subject:Patient.identifier`.
    target (str): Type of the resources that are searched.
    """
    owner = target
    for each in re.split("[.:]", name):
        if found := _SEARCHED.get(each):
            named = _OWNERS.get(owner, "" if owner in _THINGS and each == "name" else "PATIENT")
            return named if found == "PATIENT" else found, named
        owner = each
    return "", ""


def _of_person(kind: str, name: str, parent: Node, within: str) -> str:
    """The PHI type of a name or an address, in any resource: by the shape of what is around it."""
    person = PEOPLE.get(kind, "DOCTOR" if kind in PLACES else "PATIENT")
    if within in ("name", "valueHumanName"):
        return person if name in _NAME else ""
    if within == "valueContactDetail" and name == "name":
        return person
    if within.endswith(("address", "Address")):
        return _ADDRESS.get(name, "")
    if within == "extension" and name == "valueString":
        return _part(parent, person)
    return ""


def _address_parts(text: str, address: Node) -> list[Part]:
    """The elements of an address in its text, so that both become the same; the rest is STREET."""
    types = {
        value.value: _ADDRESS[name]
        for name, element in address.members
        if name in _ADDRESS and name != "text"
        for value in element.items or [element]
        if isinstance(value.value, str) and value.value
    }
    longest_first = sorted(types, key=len, reverse=True)
    known = "|".join(map(re.escape, longest_first)) or r"(?!)"
    parts, start = [], 0
    for piece in re.split(rf"(?<!\w)({known})(?!\w)", text):
        found = _WORDS(piece)
        if found:
            phi_type = types.get(piece, "STREET")
            parts.append(Part(start + found.start(), start + found.end(), phi_type))
        start += len(piece)
    return parts


def _referred(reference: Element, kind: str, around: str = "") -> str:
    """The PHI type of what a reference refers to: by its target, or else by its element.

    kind (str): Type of the resource with the reference.
    around (str): The element around the reference, if it is known.
    """
    if reference.node.get("code") is not None:
        return ""
    told = target_of(reference)
    if told and told not in GROUPS:
        return _REFERENCES.get(told, "")
    name = around if reference.name == "reference" else reference.name
    roles = (_ROLES.get(each) for each in (name, f"{kind}.{name}"))
    return next(filter(None, roles), "")


def target_of(reference: Element) -> str:
    """The type of the resource to which a reference refers; empty if only its element may tell."""
    to = reference.node.get("reference")
    if isinstance(to, str) and (found := _TARGET(to)):
        return found[1]
    named = reference.node.get("type")  # may be a URL
    return (named if isinstance(named, str) else reference.target).rpartition("/")[2]


def is_coordinate(name: str, node: Node) -> bool:
    """Whether a value is the extension with the latitude or longitude of an address.

    name (str): The value's element.
    """
    return name == "extension" and _ending(node) in ("latitude", "longitude")


def is_category(extension: Node) -> bool:
    """Whether the texts in an extension are names of codes: of races and ethnicities."""
    return _ending(extension).endswith(("-race", "-ethnicity"))


def is_result(text: str, kind: str, observation: Node) -> bool:
    """Whether the value of an observation is a result, as "5-10" or "Cloudy", and no free text.

    kind (str): Type of the resource.
    observation (Node): The observation, or the component of one, with the value.
    """
    measured = observation.get("referenceRange") or observation.get("interpretation")
    return kind == "Observation" and bool(measured) and RESULT(text) is not None


def _part(extension: Node, person: str) -> str:
    """The PHI type of a part of a name or an address; empty if it is neither."""
    ending = _ending(extension)
    if ending.startswith(_ADDRESS_PART):
        return "STREET"
    return person if ending in _NAME_PARTS else ""


def _ending(extension: Node) -> str:
    """How the URL of an extension ends."""
    return str(extension.get("url")).rpartition("/")[2]


def _identifier_or_contact(node: Node, within: str) -> str:
    """The PHI type of an identifier or a contact, by its element or its shape."""
    system = str(node.get("system"))
    if not within.endswith(_IDENTIFIERS):
        if within.endswith(_CONTACTS) or system in _TELECOM:
            return _TELECOM.get(system, "PHONE")
        if not _has_shape_of_identifier(node):
            return ""
    if system.endswith(_SSN):
        return "SSN"
    codes = [str(coding.get("code")) for coding in _types(node)]
    return next((ID_TYPES[code] for code in codes if code in ID_TYPES), "IDNUM")


def _has_shape_of_identifier(node: Node) -> bool:
    """Whether an object can only be an identifier, by its elements."""
    elements = {name.removeprefix("_") for name, _ in node.members}
    if not elements <= _OF_IDENTIFIERS or not isinstance(node.get("value"), str):
        return False
    typed = any(str(each.get("system")).endswith(_TYPES_OF_IDS) for each in _types(node))
    return typed or "assigner" in elements or ":" in str(node.get("system"))


def _types(identifier: Node) -> Iterator[Node]:
    """The codes of the type of an identifier."""
    for kind in identifier.named("type"):
        for codings in kind.named("coding"):
            yield from codings.items
