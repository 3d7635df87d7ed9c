"""The error of the package."""


class RedactionError(ValueError):
    """What keeps the package from doing what was asked; the message says why, without note text."""
