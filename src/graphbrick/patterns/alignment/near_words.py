"""Untrained words of a question, read as trained nouns: «alma mater» as «school»."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from graphbrick.core.deferred import cached_property
from graphbrick.language.stems import WORD_OR_POSSESSIVE

_BEFORE_NOUN = frozenset(
    ["^", "'s", *"a an and another her his its my of or other our same some that the their these this those".split(),
     *"what which whose your".split()]
)  # fmt: skip
"""Words that a noun may follow; "^" is the beginning of the question."""


@dataclass(frozen=True)
class NearWords:
    """Nouns to read in place of other words.

    Attributes:
        nouns: A noun by word or phrase, in lower case.
    """

    nouns: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def _longest(self) -> int:
        return max((word.count(" ") + 1 for word in self.nouns), default=0)

    def replaced(self, question: str) -> str:
        """Return a question with the nouns in place of the words; the longest phrase wins.

        A single word counts only where a noun may stand: after «the», «'s», «which» and the like, or before «of».

        >>> near = NearWords({"alma mater": "school", "trade": "occupation"})
        >>> near.replaced("What is the alma mater of X?"), near.replaced("Whom does X trade with?")
        ('What is the school of X?', 'Whom does X trade with?')
        """
        if not self.nouns:
            return question
        matches = list(WORD_OR_POSSESSIVE.finditer(question))
        words = ["^", *(match[0].lower() for match in matches), "$"]
        parts, at, done = list[str](), 1, 0
        while at <= len(matches):
            size, noun = self._at(words, at)
            if noun:
                parts += [question[done : matches[at - 1].start()], noun]
                done = matches[at + size - 2].end()
            at += size
        return "".join([*parts, question[done:]])

    def _at(self, words: list[str], at: int) -> tuple[int, str]:
        """Return how many words a noun replaces at a place, and the noun; "" for none."""
        for size in range(min(self._longest, len(words) - 1 - at), 0, -1):
            noun = self.nouns.get(" ".join(words[at : at + size]))
            if noun and (size > 1 or words[at - 1] in _BEFORE_NOUN or words[at + 1] == "of"):
                return size, noun
        return 1, ""
