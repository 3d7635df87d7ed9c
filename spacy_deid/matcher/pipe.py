"""phi_matcher: the rule-based detector."""

from __future__ import annotations

from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc, Span

from ..annotation.candidates import write_candidates
from .engine import Engine, keep_best
from .patterns import RULES


@Language.factory("phi_matcher", assigns=["doc.spans"])
def make_phi_matcher(nlp: Language, name: str) -> PhiMatcher:
    """Make the rule-based detector."""
    return PhiMatcher(name)


class PhiMatcher(Pipe):
    """Writes the matches of the rules to `doc.spans[name]`, without overlap; `id_` is the rule id.

    The rules use the gazetteers of the vocab, if any.

    name (str): Name of the pipe.
    """

    def __init__(self, name: str = "phi_matcher") -> None:
        self.name = name
        self.engine = Engine(RULES)

    @property
    def labels(self) -> tuple[str, ...]:
        """The PHI types of the rules, sorted."""
        return tuple(sorted({phi_type for rule in RULES for _, phi_type in rule.groups}))

    def __call__(self, doc: Doc) -> Doc:
        """Match the rules in a doc.

        doc (Doc): The doc, tokenized.
        RETURNS (Doc): The same doc.
        """
        write_candidates(
            doc,
            self.name,
            [
                (
                    Span(doc, found.start, found.end, label=found.type, span_id=found.rule.id),
                    found.rule.score,
                )
                for found in keep_best(self.engine.find(doc))
            ],
        )
        return doc
