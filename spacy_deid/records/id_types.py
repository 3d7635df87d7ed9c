"""Types of identifiers by the codes of HL7 table 0203, in messages (CX-5) and in FHIR."""

from __future__ import annotations

from collections.abc import Mapping

ID_TYPES: Mapping[str, str] = {
    # of medical records, also temporary ones, and of patients within an authority
    **dict.fromkeys(("MR", "MRT", "PI"), "MEDICALRECORD"),
    # social security numbers; "social beneficiary identifier" is their name in FHIR
    **dict.fromkeys(("SS", "SB"), "SSN"),
    # Medicaid, Medicare, members, subscribers, health cards, health numbers of a jurisdiction
    **dict.fromkeys(("MA", "MC", "MB", "SN", "HC", "JHN"), "HEALTHPLAN"),
    # accounts, also temporary ones, and visits
    **dict.fromkeys(("AN", "ANT", "VN"), "ACCOUNT"),
    # licenses: of drivers, of any kind, of a state, and of physicians
    **dict.fromkeys(("DL", "LN", "SL", "MD"), "LICENSE"),
}
"""PHI types by code; identifiers with other codes have the type of their field."""
