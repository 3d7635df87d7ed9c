"""How sure the recall of a system is, on notes that people have reviewed.

`plan` says how many notes to read, `bounds` computes exact and clustered confidence bounds,
`readers` measures what the readers themselves miss, and `proof` puts it all together.
"""

from .bounds import PLANNED_DESIGN_EFFECT, Bounds, Share, exact_bounds, measure_share
from .plan import Plan, plan_sample
from .proof import Proof, prove
from .reviewed import Reading, ReviewedNote

__all__ = [
    "PLANNED_DESIGN_EFFECT",
    "Bounds",
    "Plan",
    "Proof",
    "Reading",
    "ReviewedNote",
    "Share",
    "exact_bounds",
    "measure_share",
    "plan_sample",
    "prove",
]
