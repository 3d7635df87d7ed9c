"""Feature extraction: from sequences to the attributes of their items, as CRFsuite reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .features import FEATURE_GROUPS, FeatureGroup, Knowledge
from .features.group import Attributes
from .sequences import SPACE_WORDS, UNITS, Line, Sentence

Item = dict[str, Attributes]
"""Attributes of an item by offset: "+0" is the item itself, "-1" the one before it."""

_CACHE_LIMIT = 200_000
_BEFORE, _AFTER = ["<start>"], ["<end>"]


def check_settings(unit: str, features: list[str], window: int, windows: Mapping[str, int]) -> None:
    """Raise a ValueError if a setting of a `FeatureExtractor` is invalid."""
    if unit not in UNITS:
        raise ValueError(f"unknown unit '{unit}'; there are {', '.join(UNITS)}")
    for name in features:
        if name not in FEATURE_GROUPS:
            raise ValueError(
                f"unknown feature group '{name}'; there are {', '.join(FEATURE_GROUPS)}"
            )
        if FEATURE_GROUPS[name].unit == "character" and unit == "token":
            raise ValueError(f"the feature group '{name}' needs the unit 'character'")
        if features.count(name) > 1:
            raise ValueError(f"the feature group '{name}' is there twice")
    for name, width in windows.items():
        if name not in features:
            raise ValueError(f"'windows' names '{name}', which is not among the features")
        if FEATURE_GROUPS[name].unit != unit:
            raise ValueError(f"'windows' names '{name}', but a group of tokens has no window here")
        if width < 0:
            raise ValueError(f"the window of '{name}' is {width}, but must be 0 or more")
    if window < 0:
        raise ValueError(f"the window is {window}, but must be 0 or more")


class FeatureExtractor:
    """Computes the attributes of sequences with the chosen feature groups.

    An item shares its lists of attributes with its neighbours and all equal words, and CRFsuite
    prefixes the offset to each name, so memory grows with the word types, not the tokens.

    unit (str): "token" for sentences, "character" for lines. In lines, token groups describe a
        character by its token.
    window (int): Window of the groups that do not set their own, in items on each side.
    windows (Mapping[str, int]): Windows of single groups; override all others.
    """

    def __init__(
        self,
        unit: str,
        features: Iterable[str],
        window: int,
        windows: Mapping[str, int],
        knowledge: Knowledge,
    ) -> None:
        features = list(features)
        check_settings(unit, features, window, windows)
        self.settings = (unit, features, window, dict(windows), knowledge)
        self.knowledge = knowledge
        groups = [FEATURE_GROUPS[name] for name in features]
        tokens = [group.name for group in groups if group.unit != unit]
        self.of_token: FeatureExtractor | None = None
        if tokens:
            token_windows = dict.fromkeys(tokens, 0)
            self.of_token = FeatureExtractor("token", tokens, 0, token_windows, knowledge)
        self._plan([group for group in groups if group.unit == unit])

    def __reduce__(self) -> tuple:
        return (FeatureExtractor, self.settings)

    def __call__(self, sequence: Sentence | Line) -> list[Item]:
        """The attributes of each item of a sentence or a line."""
        items = self._items(sequence)
        if self.of_token is not None and isinstance(sequence, Line):
            tokens = [item.get("+0", []) for item in self.of_token(sequence.sentence)]
            for item, token in zip(items, sequence.tokens, strict=True):
                item["token"] = tokens[token] if token >= 0 else []
        return items

    def _plan(self, groups: list[FeatureGroup]) -> None:
        """Determine which groups apply at which offset.

        Offsets with the same groups share a cell: one list of attributes per item.
        """
        _, _, window, windows, _ = self.settings
        width_of = {
            group: windows.get(group.name, window if group.window is None else group.window)
            for group in groups
        }
        self.width = max(width_of.values(), default=0)
        self.cells: list[list[FeatureGroup]] = []
        self.plan: list[tuple[str, int, int]] = []
        for offset in range(-self.width, self.width + 1):
            active = [g for g in groups if -width_of[g] <= offset <= width_of[g] - g.reach]
            if active and active not in self.cells:
                self.cells.append(active)
            if active:
                self.plan.append((f"{offset:+d}", offset + self.width, self.cells.index(active)))
        self.cache: list[dict[str, Attributes]] = [{} for _ in self.cells]

    def _items(self, sequence: Sentence | Line) -> list[Item]:
        words = sequence.words
        known: dict[str, list[Attributes]] = {}
        cells = []
        for number, groups in enumerate(self.cells):
            cell = [self._form(number, word) for word in words]
            for group in groups:
                if not group.by_form:
                    if group.name not in known:
                        known[group.name] = group.extract(sequence, self.knowledge)
                    pairs = zip(cell, known[group.name], strict=True)
                    cell = [one + other if other else one for one, other in pairs]
            cells.append([_BEFORE] * self.width + cell + [_AFTER] * self.width)
        return [
            {prefix: cells[cell][i + shift] for prefix, shift, cell in self.plan}
            for i in range(len(words))
        ]

    def _form(self, number: int, word: str) -> Attributes:
        """The form-based attributes of a word, for one cell."""
        cache = self.cache[number]
        if word not in cache:
            if len(cache) >= _CACHE_LIMIT:
                cache.clear()
            groups = [group for group in self.cells[number] if group.by_form]
            if word in SPACE_WORDS:
                cache[word] = [f"space={word}"] if groups else []
            else:
                cache[word] = [x for group in groups for x in group.extract(word, self.knowledge)]
        return cache[word]
