"""Redaction policies: the style for each PHI type, in one file a privacy officer can read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from configparser import DuplicateOptionError, DuplicateSectionError
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from confection import Config, ConfigValidationError

from ..annotation.phi import CATEGORY
from ..errors import RedactionError
from .date_shift import DateShift
from .phi_text import does_draw
from .styles import STYLES

PRESETS = tuple(sorted(path.stem for path in Path(__file__).with_name("policies").glob("*.cfg")))
"""Names of the built-in policies."""


_LONGEST = 60  # characters of a name in messages: what is longer, or has blanks, may be a note


@dataclass(frozen=True)
class Policy:
    """The redaction style of each PHI type.

    name (str): Name of the policy in manifests.
    default (str): Style of types not listed, a key of `STYLES`.
    types (Mapping[str, str]): Style by PHI type.
    date_shift (DateShift): How dates are shifted for surrogates.
    RAISES (RedactionError): If a style or a type is unknown.
    """

    name: str
    default: str
    types: Mapping[str, str] = field(default_factory=dict)
    date_shift: DateShift = DateShift()

    def __post_init__(self) -> None:
        what = f"policy '{self.name}'"
        _check_names(f"{what}: unknown style", (self.default, *self.types.values()), STYLES)
        _check_names(f"{what}: unknown PHI type", self.types, CATEGORY)

    def style_of(self, phi_type: str) -> str:
        """The style of a PHI type."""
        return self.types.get(phi_type, self.default)

    @property
    def draws(self) -> bool:
        """Whether any style of the policy draws with the key."""
        return any(does_draw(STYLES[style]) for style in (self.default, *self.types.values()))


def find_policy(policy: str | Path | Policy) -> Policy:
    """Look up a policy by name or read it from a file.

    policy (str | Path | Policy): A style for all types ("tag"), a preset ("hipaa-safe-harbor"), or
        a file: a section [policy] with `default`, and optionally [policy.types] and
        [policy.date_shift]; see `DateShift`.
    RAISES (RedactionError): If there is no such policy, or the file is not a policy.
    """
    if isinstance(policy, Policy):
        return policy
    name = str(policy)
    if name in STYLES:
        return Policy(name, name)
    if name in PRESETS:
        return _read(Path(__file__).with_name("policies") / f"{name}.cfg", name)
    if not _is_file(name):
        quoted = f" '{name}'" if len(name) <= _LONGEST and name.split() == [name] else ""
        raise RedactionError(
            f"unknown style or policy{quoted}; the styles are {', '.join(STYLES)}, the policies "
            f"{', '.join(PRESETS)}, or name the file of your own"
        )
    return _read(Path(name), Path(name).stem)


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except OSError:  # it is too long
        return False


def _read(path: Path, name: str) -> Policy:
    try:
        config: Mapping[str, Any] = Config().from_str(path.read_text("utf-8-sig"))
        section, shift = config["policy"], config["policy"].get("date_shift", {})
        what = f"the policy {path} has an unknown"
        _check_names(f"{what} section,", config, ("policy",))
        _check_names(f"{what} entry of [policy],", section, ("default", "types", "date_shift"))
        shift_names = [each.name for each in fields(DateShift)]
        _check_names(f"{what} entry of [policy.date_shift],", shift, shift_names)
        types = dict(section.get("types", {}))
        return Policy(name, str(section["default"]), types, DateShift(**shift))
    except OSError as error:
        raise RedactionError(f"the policy {path} cannot be read: {error.strerror}") from error
    except RedactionError:
        raise
    except (DuplicateOptionError, DuplicateSectionError) as error:
        where = error.section if isinstance(error, DuplicateSectionError) else error.option
        raise RedactionError(f"the policy {path} has '{where}' twice") from error
    except (ConfigValidationError, KeyError, ValueError, TypeError) as error:
        raise RedactionError(
            f'{path} is not a policy: it needs a section [policy] with default = "a style", and '
            "may have a section [policy.types] with a style for each type and a section "
            "[policy.date_shift]"
        ) from error


def _check_names(what: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Reject unknown names, such as misspelt ones."""
    unknown = sorted(set(given).difference(known))
    if unknown:
        raise RedactionError(f"{what} '{unknown[0]}'; the known ones are {', '.join(known)}")
