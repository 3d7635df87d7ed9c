"""The error of redaction."""


class RedactionError(ValueError):
    """Redaction that cannot be done; the message holds no text of a note."""
