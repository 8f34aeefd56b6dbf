"""Phrases with several conditions, read one by one: «which countries in e0 use e1», «border both e0 and e1»."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.plan import SetPlan
from graphbrick.bricks.retrieve.operators.sets import Ints
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.language.stems import spaced

if TYPE_CHECKING:
    from graphbrick.bricks.retrieve.operators.parse import Parser

_MOST_CLASSES = 3  # of the entities of a set, for each of which a further condition is read


class Joins:
    """A reader of phrases with several conditions.

    Args:
        parser: Reads the parts.
    """

    def __init__(self, parser: Parser) -> None:
        self.parser, self.english, self.lexicon = parser, parser.english, parser.resolver.lexicon

    def noun(self, base: SetPlan) -> str:
        """Return a noun for the entities of a set, for a phrase about them: «ones» if it has several classes."""
        nouns = self.nouns(base)
        return nouns[0] if len(nouns) == 1 else "ones"

    def nouns(self, base: SetPlan) -> list[str]:
        """Return the names of the few classes that together have all entities of a set; «ones» if it takes many."""
        if isinstance(base, p.Members):
            return [spaced(base.name).lower()]
        left, names = base.run(self.parser.place), list[str]()
        while len(left) and len(names) < _MOST_CLASSES:
            name = self._commonest_class(left)
            if not name:
                break
            left = left[~np.isin(left, self.lexicon.classes[name])]
            names.append(spaced(name).lower())
        return ["ones"] if len(left) or not names else names

    def _commonest_class(self, entities: Ints) -> str:
        """Return the class that most of some entities have, the smallest of several; "" for none."""
        shares = {name: np.isin(entities, members).sum() for name, members in self.lexicon.classes.items()}
        best = max(shares, key=lambda name: (shares[name], -len(self.lexicon.classes[name])), default="")
        return best if best and shares[best] else ""

    def further(self, base: SetPlan, phrase: str) -> SetPlan:
        """Return what a phrase without a noun, such as «are older than 30», selects of the kinds of entities of a set.

        Raises:
            CannotPlanError: It cannot be read of them.
        """
        parts = tuple(self.parser.set(f"which {noun} {phrase}") for noun in self.nouns(base))
        return parts[0] if len(parts) == 1 else p.Either(parts)

    def shared(self, text: str) -> SetPlan | None:
        """Read «which countries border both e0 and e1»: the same phrase about several entities."""
        english = self.english
        match = english.search("coordinated", text)
        if not match:
            return None
        rest = english.without("in_common", f"{text[match.end() :]} ")
        rest = f" {rest}" if rest else ""
        before = re.sub(r"\bdo $", "does ", re.sub(r"\b(?:common|shared|mutual|same) ", "", text[: match.start()]))
        if english.match("all_share", rest) and not english.content(rest.replace("share", "")):
            rest = " have"
        phrases = (f"{before}{match['word'] or ''}e{number}{rest}" for number in MENTION.findall(match["list"]))
        parts = tuple(self.parser.set(phrase) for phrase in phrases)
        both = p.Both(parts)
        if all(isinstance(one, p.Without) for one in parts):
            return both  # «not in e0 or e1» is in neither
        either = re.search(r"\bor\b|either", match[0])
        if either or (not english.search("shared_words", text) and not len(both.run(self.parser.place))):
            return p.Either(parts)
        return both

    def joined(self, text: str) -> SetPlan | None:
        """Read «which countries in e0 use e1»: a phrase about one entity, then one about another."""
        mentions = list(MENTION.finditer(text))
        if len(mentions) < 2:
            return None
        english = self.english
        first, rest = text[: mentions[0].end()], text[mentions[0].end() :].strip()
        joined = english.match("join", rest)
        second = rest[joined.end() :].strip() if joined else rest
        if english.match("bare_copula", first) or not second:
            return None
        either = english.match("or_else", rest)
        if either:
            base = self.parser.set(first)
            return p.Either((base, self.further(base, either["other"])))
        if re.search(r" (?:where|in which) e\d+$", first):  # «where e0 is spoken» goes on after the name
            passive, where = english.match("passive", second), english.match("where_clause", second)
            if passive:
                return self._split(f"{first} {passive['verb']}", f"are in {passive['where']}")
            if where:
                return self._split(f"{first} {where['verb']}", where["next"])
        return self._split(first, second)

    def _split(self, first: str, second: str) -> SetPlan:
        base = self.parser.set(first)
        joined = self.english.match("join", second)
        return p.Both((base, self.further(base, second[joined.end() :].strip() if joined else second)))
