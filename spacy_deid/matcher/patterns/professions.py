"""Rules for professions, by the words that introduce one and the gazetteer."""

from __future__ import annotations

from ...tokenizer import LETTER
from ..rule import Rule
from ..words import job_length

RULES: tuple[Rule, ...] = (
    Rule(
        "profession.job",
        "PROFESSION",
        0.78,
        "works work worked working employed occupation retired profession job former",
        r"(?:(?i:work(?:s|ed|ing)?|employed)[ \n](?:(?:full|part)[- ]time )?(?i:as)[ \n]"
        rf"(?i:an?[ \n])?|(?i:occupation|profession|job)[ ]?:[ ]{{1,4}}|(?i:retired|former)[ \n]"
        r"(?i:from (?:being )?an? )?)(?:(?i:retired) )?"
        rf"(?P<phi>{LETTER}{{3,20}}(?:[ -]{LETTER}{{2,20}}){{0,3}})",
        cut=job_length,
    ),
)
"""Rules for PROFESSION."""
