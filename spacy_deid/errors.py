"""The error of the package."""


class RedactionError(ValueError):
    """Redaction failed; the message contains no note text."""
