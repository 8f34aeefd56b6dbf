"""Conditions side by side, each read for itself: «nurses under 40 who work in e0», «earn over 3000 but do not ...»."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, SetPlan
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.bricks.retrieve.operators.wordings.others import of_other
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import stem, stems

if TYPE_CHECKING:
    from graphbrick.bricks.retrieve.operators.parse import Parser

_NUMBER = Expression(r"(?<!\be)(?<!\w)\d")
_AUXILIARY = Expression(r"(?:(?:that|which|who) )?(?:is|are|was|were|do|does|did|has|have|had|can|could)\b")
_JOIN = Expression(r"(?:and|or|but|,)")
_DOES = Expression(r"\b(?:do|does|did)\b")
_RELATIVE = Expression(r"(?:that|which|who) (?P<verb>[a-z]+)")
_JOINED = Expression(r",? (?:but|and|yet) (?:(?:that|which|who) )?(?=[a-z])")
_NO_MEMBER = Expression(r"(?:is|are|was|were) (?:not|no) (?:an? )?(?P<noun>[a-z -]+)$")
_BARE_THAN = Expression(r"(?:more|less|fewer) than\b")
_BEFORE_THAN = Expression(r" (?P<verb>[a-z]+)(?: (?:more|less|fewer)) than\b")


class Modifiers:
    """A reader of phrases with two conditions, of which one has a number or a time.

    Args:
        parser: Reads the parts.
    """

    def __init__(self, parser: Parser) -> None:
        self.parser, self.english, self.resolver = parser, parser.english, parser.resolver
        self.place, self.lexicon = parser.place, parser.resolver.lexicon

    def set(self, text: str) -> SetPlan | None:
        """Return the plan of a phrase with two such conditions; None if it has no two, or one cannot be read."""
        inner = self._of_other_noun(text)
        if inner is not None:
            return inner
        for first, second in (*self._of_noun(text), *self._joined(text)):
            plan = self._both(first, second)
            if plan is not None:
                return plan
        return None

    def _both(self, first: str, second: str) -> SetPlan | None:
        """Return what two phrases select together, the second without its noun; None if one cannot be read."""
        try:
            base = self.parser.set(first)
            outside = _NO_MEMBER.match(second)
            of_class = self.lexicon.class_named(stems(outside["noun"])) if outside else ""
            if of_class:
                return p.Without(base, p.Members(of_class))
            before = _BEFORE_THAN.search(first)
            if _BARE_THAN.match(second) and before:  # «earn more than e0 but less than e1»
                second = f"{before['verb']} {second}"
            other = self.parser.joins.further(base, second)
        except CannotPlanError:
            return None
        return p.Both((base, other))

    def _of_other_noun(self, text: str) -> SetPlan | None:
        """Read «which doctors treat patients under 10»: the number belongs to the object."""
        bounds = self.parser.comparisons.stated_bounds(text)
        words = bounds.left.split() if bounds else []
        start, end = self._last_noun(words)
        condition = text[len(" ".join(words[:end])) :].strip()
        if bounds is None or not end or MENTION.search(text) or _JOIN.match(condition):
            return None
        after = condition.rpartition(" ")[2]
        verb = after if _DOES.search(bounds.left) and self._is_relation(after) else ""  # «do nurses over 50 work»
        phrase, noun = f"{' '.join(words[:end])} {verb}".strip(), " ".join(words[start:end])
        return of_other(self.parser, phrase, noun, f"{noun} {condition.removesuffix(verb).strip()}")

    def _last_noun(self, words: list[str]) -> tuple[int, int]:
        """Return the places of the first word of the last class and of the word after it; (0, 0) for the first noun."""
        for end in range(len(words), 2, -1):
            for start in range(max(2, end - 4), end):
                if self.lexicon.class_named(stems(" ".join(words[start:end]))):
                    return start, end
        return 0, 0

    def _of_noun(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield «which nurses under 40» and «work in e0»: a number stands between noun and verb."""
        lead = self.english.lead.match(text)
        start = lead.end() if lead else 0
        words = text[start:].split()
        noun = self._noun(words)
        if not noun:
            return
        for at in range(noun + 1, len(words)):
            before, rest = " ".join(words[noun:at]), " ".join(words[at:])
            if _NUMBER.search(before) and self._is_clause(rest):
                yield f"{text[:start]} {' '.join(words[:at])}".strip(), rest

    def _noun(self, words: list[str]) -> int:
        """Return how many words the name of a class that a phrase begins with has; 0 for none."""
        for size in range(min(4, len(words) - 2), 0, -1):
            name = " ".join(words[:size])
            if self.lexicon.class_named(stems(name)) or (size == 1 and stem(name) in self.english.class_words):
                return size
        return 0

    def _is_clause(self, text: str) -> bool:
        """Return whether a text begins with a verb, and names something or a class."""
        relative = _RELATIVE.match(text)
        verb = relative["verb"] if relative else text.partition(" ")[0]
        is_verb = _AUXILIARY.match(text) or self._is_relation(verb)
        return bool(is_verb) and bool(MENTION.search(text) or self.lexicon.classes_in(text))

    def _is_relation(self, word: str) -> bool:
        """Return whether the label of a relation begins with a verb."""
        return any(label[:1] == (stem(word),) for label in self.resolver.labels)

    def _joined(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield both sides of each «and» or «but» of a phrase in which one side has a number and one a name."""
        for match in _JOINED.finditer(text):
            left, right = text[: match.start()], text[match.end() :]
            has_number = _NUMBER.search(left), _NUMBER.search(right)
            is_than = _BARE_THAN.match(right)
            named = MENTION.search(left), MENTION.search(right) or _NO_MEMBER.match(right)
            if is_than or (has_number[0] and named[1]) or (has_number[1] and named[0]):
                yield left, right
