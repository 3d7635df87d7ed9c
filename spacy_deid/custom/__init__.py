"""phi_custom: the user's own terms and patterns, always PHI or never.

`terms` reads them from CSV, `patterns` matches regular expressions in linear time, `matching`
finds both in a doc, and `pipe` is the component.
"""

from .pipe import PhiCustom, add_terms, using_terms
from .terms import NEVER, Term, Terms, read_terms

__all__ = ["NEVER", "PhiCustom", "Term", "Terms", "add_terms", "read_terms", "using_terms"]
