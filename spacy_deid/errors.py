"""The error of the package, and what its messages have in common."""


class RedactionError(ValueError):
    """What keeps the package from doing what was asked; the message says why, without note text."""


def install(extra: str) -> str:
    """The command that installs an extra of the package, in quotes that every shell knows."""
    return f'pip install "spacy_deid[{extra}]"'
