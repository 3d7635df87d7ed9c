"""Random draws by name: always the same for a seed."""

from __future__ import annotations

from hashlib import sha256


def draw(seed: int, *names: str) -> bytes:
    """A random draw for something by its names."""
    return sha256(" ".join((str(seed), *names)).encode("utf-8", "surrogatepass")).digest()


def chance(seed: int, *names: str) -> float:
    """A draw as a number from 0 to 1."""
    return int.from_bytes(draw(seed, *names)[:8], "big") / 2**64
