"""The error raised by redaction."""


class RedactionError(ValueError):
    """Redaction failed; the message contains no note text."""
