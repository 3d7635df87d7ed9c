"""Titles before names, and credentials after them."""

from __future__ import annotations

TITLES = frozenset(
    "dr drs doctor mr mrs ms miss mx prof professor rev reverend dott dra uzm herr frau mme mlle "
    "smt shri encik puan datuk".split()
)
"""Titles before a name, in lower case, without periods."""

CREDENTIALS = frozenset(
    "do pa pac lpn lvn arnp anp anpbc fnp fnpbc fnpc acnp agnp cnm cnp cns bsn msn licsw lmsw lpc "
    "lmft msw psyd rph dds dmd dpm od facs facp facc facep facog mph mba rd ldn otr otrl dpt slp "
    "cccslp emt emtp esq mrcp mrcs mrcgp frcgp frca frcr frcem frcog mbbch "
    "franzcp fanzca fracs frcpc frcsc ccfp cohn cohns facr faap facmg csfa rnfa".split()
)
"""Post-nominals after a comma, without periods and hyphens. Some are also names (a Mr. Do)."""

SURE_CREDENTIALS = frozenset(
    "md lmd mdphd mbbs mbchb facem fracgp fracp frcs frcp phd rn np pharmd lcsw crna aprn "
    "dnp".split()
)
"""Post-nominals that need no comma."""

SUFFIXES = frozenset("jr sr ii iii iv esq".split())
"""What tells apart people of one name."""
