"""The settings of the server."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from ..http.settings import HttpSettings
from ..redaction import Key, Policy, find_policy, random_key

Types = Literal["phi", "presidio"]
"""Names of PHI types in the answers of Presidio's paths: ours, or those of Presidio."""


@dataclass(frozen=True)
class ServeSettings(HttpSettings):
    """How the server listens, what it lets in, and how it redacts.

    policy (Policy): Policy of requests that name none.
    key (Key | None): The user's secret for surrogates and hashes; if there is none, `secret` is a
        random one.
    types (Types): Type names on Presidio's paths if the client names none.
    """

    policy: Policy = field(default_factory=lambda: find_policy("tag"))
    key: Key | None = None
    types: Types = "presidio"

    @cached_property
    def secret(self) -> Key:
        """The key that requests are answered with."""
        return self.key or random_key()
