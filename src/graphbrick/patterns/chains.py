"""Nouns in a chain, and verbs about it, as in «who employs the daughter of the child of e0»: each of them is a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import Stems, stem, stems
from graphbrick.patterns.lexicon import RelationNames
from graphbrick.patterns.several_steps import has_way_back
from graphbrick.patterns.text import PLACEHOLDER

_ENTITY = Expression(r"\be\d+\b")  # a mention of an entity
_CHAINED = Expression(r"(?=\b(\w+)(?: of (?:the |an? )?|['\u2019]s )(\w+))")

_LEAD = Expression(r"^(?:which|what|who|where|whose|how|name|list|in which|on which|at which|by which)\b")
_ALIKE = Expression(r" (?:share[sd]?|sharing|same|together|alongside|in common)\b")
_WHO_DOES = Expression(
    r"^whom? (?:(?!(?:is|are|was|were|has|have|had|the|an?)\b)"
    r"|(?:is|are|was|were|has|have|had) (?=\w+e[dn]\b|born\b|made\b))(\w+)"
)
_WHO_DID = Expression(r"whom? (?:do|does|did)\b")
_IS_DONE = Expression(
    r"^(?:whom?|what|where|which(?: \w+)?) (?:do|does|did) .* (\w+?)(?: (?:in|for|at|by|with|to|on|under))?$"
)


@dataclass(frozen=True, slots=True)
class Chain:
    """The verb of a phrase, and the nouns that «of» or «'s» joins in it, each with the next.

    Attributes:
        verb: The stem of a verb that stands apart from the nouns; "" for none.
        nouns: Their stems, in pairs.
        is_common: Whether the phrase asks for what has an end in common with the entity: «who shares a base with e0».
    """

    verb: str
    nouns: tuple[tuple[str, str], ...]
    is_common: bool

    @classmethod
    def of(cls, phrase: str) -> Chain:
        """Return the chain of a phrase.

        >>> Chain.of("who employs the daughter of the child's owner of e0")
        Chain(verb='employ', nouns=(('daughter', 'child'), ('child', 'owner'), ('owner', 'e0')), is_common=False)
        >>> Chain.of("whom did the teacher of e0 teach").verb, Chain.of("which town is e0 in").verb
        ('teach', '')
        """
        verb = _IS_DONE.match(phrase) or _WHO_DOES.match(phrase)
        nouns = tuple((stem(one), stem(other)) for one, other in _CHAINED.findall(phrase))
        return cls(stem(verb[1]) if verb else "", nouns, has_way_back(_ENTITY.sub(PLACEHOLDER, phrase)))

    def before_noun(self, phrase: str) -> str:
        """Return the part of the phrase in which the noun stands that it asks for; "" after «who» and a verb.

        >>> phrases = "which firms share a base with e0", "who leads e0's team", "who is the mother of e0"
        >>> [Chain.of(phrase).before_noun(phrase) for phrase in phrases]
        [' firms', '', ' is the mother of']
        """
        if _WHO_DOES.match(phrase) or _WHO_DID.match(phrase):
            return ""
        text = _ENTITY.split(_LEAD.sub("", phrase))[0].rstrip()
        return _ALIKE.split(text)[0] if self.is_common else text

    def goes_on_after(self, name: Stems) -> bool:
        """Return whether a noun is joined to another noun after it, not to the entity itself.

        >>> chain = Chain.of("the father of the owner of e0")
        >>> chain.goes_on_after(("father",)), chain.goes_on_after(("owner",))
        (True, False)
        """
        return any((one,) == name and not _ENTITY.fullmatch(other) for one, other in self.nouns)

    def unsaid(self, relations: Sequence[RelationNames], is_among: Callable[[str, Set[str]], bool]) -> list[str]:
        """Return the words for which a pattern has no step: a daughter of a child is two steps of one relation.

        Nouns that are all the same are left to the count of words.

        Args:
            relations: The words of each relation of the pattern.
            is_among: Whether a word is one of some words, or means the same.
        """
        unsaid = []
        for ends in dict.fromkeys(end for names in relations for end in (names.tail, names.head) if end):
            linked = [(one, other) for one, other in self.nouns if {(one,), (other,)} <= ends]
            steps = sum(ends in (names.tail, names.head) for names in relations)
            if any(one != other for one, other in linked):
                unsaid += [one for one, _ in linked[: max(0, len(linked) + 1 - steps)]]
        nouns = {noun for pair in self.nouns for noun in pair if noun != self.verb and not _ENTITY.fullmatch(noun)}
        for names in relations if self.verb else ():
            is_only = relations.count(names) == 1
            if is_only and is_among(self.verb, names.words) and any(is_among(noun, names.words) for noun in nouns):
                unsaid.append(self.verb)
        return unsaid


_TOGETHER = Expression(
    r"\b(?:same|shar|other|else|fellow|together|with|also|both|another|common|similar|like|peer|partner|co-?[a-z]|brother|"
    r"sister|sibling|neighbo|colleague|[a-z]*mate)"
)


def turns_back(steps: Sequence[tuple[int, bool]], phrase: str, relations: Sequence[RelationNames]) -> bool:
    """Return whether steps go along a relation and back, and the phrase names it without a word such as «same».

    «Members that have e0» are not those beside e0 in a union.
    """
    back = {one for (one, out), (other, back) in pairwise(steps) if one == other and out != back}
    said = frozenset(stems(phrase)) if back and not _TOGETHER.search(phrase) else frozenset[str]()
    return any(said & relations[one].words for one in back)
