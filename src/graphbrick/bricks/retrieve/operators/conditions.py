"""Conditions on properties in phrases: «public services», «services written in Kotlin», «people in Germany»."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from graphbrick.bricks.retrieve.operators.measures import Best
from graphbrick.bricks.retrieve.operators.properties.selections import Through, Where
from graphbrick.bricks.retrieve.operators.resolve import Resolver
from graphbrick.bricks.retrieve.operators.sets import (
    Along,
    Both,
    CannotPlanError,
    Either,
    Ints,
    Listed,
    Members,
    SetPlan,
    Without,
    no_value,
)
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.core.errors import not_known
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import spaced, stem, stems
from graphbrick.patterns.lexicon import stems_of_name
from graphbrick.patterns.properties.terms import Term, terms_in

_SAMPLE, _MOST = 20, 1_000  # entities with a value that decide which relation leads to them, and their triples
_GLUE = Expression(
    r"(?:^|(?<= ))(?:(?:that|which|who|whose|and|or|but|is|are|was|were|be|has|have|had|with|in|by|as|at|on|from|"
    r"for|of|to|a|an|the|also|using|use|uses|both)\s+)+$"
)
_PREPOSITION = Expression(r"\b(?:in|by|with|from|on|at|for|to|as|of)\s+(?:(?:the|an?)\s+)?$")
_PARTICIPLE = Expression(r"(?P<word>\b(?!not\b)[a-z]+(?:ed|en|n|t|ing|de))\s+$")
_PASSIVE = Expression(r"\b(?:is|are|was|were|be) (?P<word>[a-z]+ed)\s+$")
_COMES_OUT = Expression(r"\b(?P<word>came|comes?|coming|shows?|showed|turns?|turned) (?:out|up)\s+$")
_NOT_DONE = Expression(
    r"\b(?:do|does|did|can|could|will|would|have|has|had|is|are|was|were)\s+(?:not|never)\s+"
    r"(?:(?:ever|yet|currently|actually|really|even|now|to)\s+)*(?P<word>[a-z]+)\s+$"
)
_WORKS = Expression(
    r"\b(?:who |that |which )?(?:work|works|worked|working|win|wins|won|winning|requires?|needs?|allows?|offers?"
    r"|supports?|features?|includes?)\s+(?:an?\s+|the\s+)?$"
)
_BOTH = Expression(r"\bboth(?: the)? $")
_CHANGES = Expression(r"\b(?:when|where|how|why|first|last|latest|earliest|newest|oldest|next|previous)\b")
"""Small words that change what is asked, so that no value alone can answer."""
_NEGATED = Expression(
    r"\b(?:not|non|never|neither|nor|without|other than|apart from|except(?: for)?|excluding|outside(?: of)?)"
    r"[ -]+(?:(?:an?|in|by) )?$"
)
_NOT = Expression(r"\b(?:not|never)\b")
_NOUN_BEFORE = Expression(r"(?P<noun>[a-z]+) (?:(?:that|which|who) )?(?:is|are|was|were|be) $")
_NOUN_AFTER = Expression(r"^[ -](?P<noun>[a-z]+(?: colou?r)?)\b")
_BY_ENTITY = Expression(r" by (?:the )?e\d")  # «required by e0» is what e0 requires, not the value «required»
_OR = Expression(r"\s*(?:,|,? ?or|,? ?and|/)\s*(?:in |by |with |an? )?(?:the )?|\s+")  # «in Berlin London and Rome»


def _may_be_verb(stemmed: str, text: str) -> bool:
    """Return whether a word of a text with this stem may be a verb, for which a relation may stand."""
    words = [word for word in re.findall(r"[a-z-]+", text) if stem(word) == stemmed]
    return not forms.is_installed() or any(map(forms.verb_of, words)) or not words


class Conditions:
    """A reader of the values of properties in the phrases of one question.

    Args:
        resolver: Knows the graph and its words.
        read: Returns the plan of a phrase without the values.
        entity: Returns what a placeholder stands for.
        far: Returns what several relations join to a set, among some entities, by words that say them.
    """

    def __init__(
        self,
        resolver: Resolver,
        read: Callable[[str], SetPlan],
        entity: Callable[[str], int],
        far: Callable[[SetPlan, Ints, set[str]], SetPlan | None],
    ) -> None:
        self.resolver, self.read, self.entity, self.place = resolver, read, entity, resolver.place
        self.english, self.lexicon = resolver.english, resolver.lexicon
        self.far = far
        self._terms: dict[str, list[Term]] = {}

    def terms(self, text: str) -> list[Term]:
        """Return the values in a text."""
        if text not in self._terms:
            terms = terms_in(self.place.graph, text, self.lexicon.words)
            self._terms[text] = [term for term in terms if not _BY_ENTITY.match(text[term.end :])]
        return self._terms[text]

    def within(self, text: str) -> SetPlan | None:
        """Return the plan of a phrase with values of properties; None if it has none.

        Raises:
            CannotPlanError: The rest of the phrase cannot be read, or no relation leads to what has the value.
        """
        terms = self.terms(text)
        if not terms:
            return None
        groups = _grouped(text, terms)
        bare, verbs, nouns, negated = self._without(text, groups)
        said = {*self.english.content(bare), *stems(MENTION.sub(" ", bare)), *verbs}
        spoken = [(group, (verbs, own)) for group, own in zip(groups, nouns, strict=True)]
        spoken_of = groups = [[self._spoken(term, *words) for term in group] for group, words in spoken]
        base, rest = None if negated[0] else self._around(bare, groups, said), list[str]()
        unread = [] if base is None else self._unread(base, bare)
        if base is None:
            base, rest = self._base(bare)
        else:
            groups, negated = groups[1:], negated[1:]
        linked = False
        is_head = bool(self.english.content(bare)) and not (self.lexicon.classes_in(bare) or MENTION.search(bare))
        is_head &= not self.english.content(text[: terms[0].start])
        for group, is_not in zip(groups, negated, strict=True):
            base, is_linked = self._narrowed(base, group, said, is_not)
            linked |= is_linked
            after = text[group[-1].end :].split()[:1]
            if is_linked and after and self.lexicon.class_named(stems(after[0])):  # «senior companies», by their rep
                value = text[group[0].start : group[-1].end]
                if isinstance(base, Both) and self._is_of_several(base.parts[-1], base.parts[0].run(self.place), said):
                    raise no_value(base.parts[0].text(self.place), group[0].sources[0].name)
                self.resolver.assumptions[base] = f"{value!r} is taken for {base.text(self.place)}"
            if is_linked and is_head:  # «laptops older than 2020» are no people of that age who have one
                raise no_value(text, group[0].sources[0].name)
        if rest and not linked and base is not None and not self.lexicon.classes_in(bare):  # «who works» in Germany
            leads = self.linked(base, None, said)
            base, linked = (base, False) if leads is None else (leads, True)
        if rest and base is not None and not self.resolver.unexplained(base, rest):
            rest = []  # «live» of a city
        unread += [word for word in rest if not linked or not _may_be_verb(word, bare)]  # «are still alive»
        if unread or base is None:
            raise CannotPlanError(not_known(unread), code="conditions.unread_words", words=tuple(unread))
        is_named = all(term.named for group in spoken_of for term in group)
        unsaid = self.resolver.unexplained(base, [*verbs, *rest], by_relations=linked)
        self.resolver.assume(base, unsaid, is_named=is_named)
        return base

    def _spoken(self, term: Term, verbs: Sequence[str], nouns: Sequence[str]) -> Term:
        """Return a value with the properties that words speak of, if any are: «born in Rome» is the birth city."""
        words_of, is_among = self.resolver.words_of, self.english.is_among
        for words in (verbs, nouns):
            sources = tuple(one for one in term.sources if any(is_among(word, words_of(one)) for word in words))
            term = replace(term, sources=sources or term.sources)
        return term

    def _beside(self, group: Sequence[Term], left: str, right: str) -> tuple[str, str, list[str]]:
        """Return the text beside some values without the nouns that say of what they are, and these as stems.

        «orange eyes», «eyes that are orange»; the name of a class stays.
        """
        named = {word for term in group for one in term.sources for word in self.resolver.words_of(one)}
        said = list[str]()
        for pattern, text in ((_NOUN_BEFORE, left), (_NOUN_AFTER, right)):
            match = pattern.search(text)
            nouns = stems(match["noun"]) if match else ()
            if match and any(map(named.__contains__, nouns)) and all(map(self._is_free, match["noun"].split())):
                said += nouns
                left, right = (left[: match.start()], right) if text is left else (left, right[match.end() :])
        return left, right, said

    def _around(self, bare: str, groups: list[list[Term]], said: set[str]) -> SetPlan | None:
        """Read «engineers of e0»: what has the first value, and one relation joins to the only entity; else None."""
        mentions = MENTION.findall(bare)
        if len(mentions) != 1 or self.lexicon.classes_in(bare) or isinstance(groups[0][0].value, float):
            return None
        wheres = [Where(None, term.sources, term.value) for term in groups[0]]
        holders: SetPlan = wheres[0] if len(wheres) == 1 else Either(tuple(wheres))
        entities = holders.run(self.place)
        one = self.entity(f"e{mentions[0]}")
        if not len(entities) or one in entities:
            return None
        leads = self.linked(Listed((one,)), entities, said)
        if leads is None:
            raise CannotPlanError(
                f"several relations, or none, join «{holders.text(self.place)}» to this",
                code="conditions.no_one_relation",
            )
        return Without(holders, leads) if _NOT.search(bare) else Both((holders, leads))

    def _unread(self, base: SetPlan, bare: str) -> list[str]:
        """Return the words beside a value and an entity that neither the plan nor the types of the entity say."""
        entities = [self.entity(f"e{number}") for number in MENTION.findall(bare)]
        own = {word for one in entities for name in self.place.graph.types(one) for word in stems(spaced(name))}
        words = self.english.content(MENTION.sub(" ", bare))
        return [word for word in self.resolver.unexplained(base, words) if word not in own]

    def _without(self, text: str, groups: list[list[Term]]) -> tuple[str, list[str], list[list[str]], list[bool]]:
        """Return a phrase without values, verbs that stood before them, nouns beside each, which are negated."""
        verbs, nouns, negated = list[str](), list[list[str]](), list[bool]()
        for group in reversed(groups):
            left, right, beside = self._beside(group, text[: group[0].start], text[group[-1].end :])
            nouns.insert(0, beside)
            is_not = _NEGATED.search(left)
            left = left[: is_not.start()] if is_not else left
            if group[0].start and (right.strip() == "" or _GLUE.search(left)):
                if isinstance(group[0].value, bool):
                    left = _WORKS.sub("", left)
                has_preposition = bool(_PREPOSITION.search(left))
                left = _GLUE.sub("", left)
                is_not = is_not or _NEGATED.search(f"{left} ")
                verb = (
                    _NOT_DONE.search(left)
                    or (_COMES_OUT.search(left) if group[0].named else None)
                    or (_PARTICIPLE if has_preposition else _PASSIVE).search(left)
                )
                if verb and self._is_free(verb["word"]):
                    is_not = is_not or (verb if _NOT_DONE.made(verb) else None)
                    left = _GLUE.sub("", left[: verb.start()])
                    verbs.append(stem(verb["word"]))
                    is_not = is_not or _NEGATED.search(f"{left} ")
                if is_not:
                    left = _GLUE.sub("", left[: is_not.start()])
            negated.insert(0, bool(is_not))
            text = f"{left} {right}"
        return re.sub(r"\s+", " ", text).strip(), verbs, nouns, negated

    def _is_free(self, word: str) -> bool:
        """Return whether a word is not one of the graph."""
        return stem(word) not in {word for name in self.lexicon.by_class for word in name}

    def _base(self, bare: str) -> tuple[SetPlan | None, list[str]]:
        """Return the plan of the phrase without values, None for everything, and a verb that is left to explain."""
        if not MENTION.search(bare) and not self.english.content(bare):
            return None, []
        try:
            return self.read(self.english.as_question(bare)), []
        except CannotPlanError:
            classes, words = self.lexicon.classes_in(bare), self.english.content(bare)
            if not classes and len(words) == 1 and not MENTION.search(bare):
                return None, words  # «engineers who work» in Germany: the first value is the base
            if MENTION.search(bare) or len(classes) != 1 or _CHANGES.search(bare):
                raise
            rest = self._rest(bare, classes[0])
            if len(rest) > 1:
                raise
            return Members(classes[0]), rest  # «people who work» in Germany: a relation has the verb, see `_linked`

    def _rest(self, bare: str, name: str) -> list[str]:
        """Return the stems of a phrase that do not name its class."""
        near = {word for word in self.english.content(bare) if self.english.is_among(word, set(stems(name)))}
        return [word for word in self.english.content(bare) if word not in near]

    def _narrowed(self, base: SetPlan | None, group: list[Term], said: set[str], is_not: bool) -> tuple[SetPlan, bool]:
        """Return the part of a set that has one of the values, and whether a relation leads to what has them."""
        wheres = [Where(None, term.sources, term.value) for term in group]
        holders: SetPlan = wheres[0] if len(wheres) == 1 else Either(tuple(wheres))
        if base is None:
            if not is_not:
                return holders, False
            if len(group) > 1 or len(group[0].sources) > 1:
                raise CannotPlanError(
                    "I do not understand what 'not' changes in this question", code="operators.not_of_all"
                )
            return Without(self.resolver.holding(group[0].sources[0]), holders), False
        if isinstance(base, Best):  # «which French driver won the most races»
            inside, is_linked = self._narrowed(base.base, group, said, is_not)
            return replace(base, base=inside), is_linked
        entities = base.run(self.place)
        own = [term.sources for term in group]
        has = np.zeros(len(entities), dtype=np.bool_)
        for source in {source for sources in own for source in sources}:
            has |= np.isin(entities, self.resolver.holding(source).run(self.place))
        is_linked = not has.any() and len(entities) > 0
        if not is_linked:
            narrow = [Where(base, term.sources, term.value) for term in group]
            inside = narrow[0] if len(narrow) == 1 else Either(tuple(narrow))
        else:
            leads = self.linked(holders, entities, said) or self.far(holders, entities, said)
            if leads is None:
                name = group[0].sources[0].name
                raise no_value(base.text(self.place), name)
            inside = Both((base, leads))
        return Without(base, inside) if is_not else inside, is_linked

    def linked(self, holders: SetPlan, entities: Ints | None, said: set[str]) -> SetPlan | None:
        """Return what one relation joins to entities with a value, if it has to be this relation; among all if None."""
        graph, starts = self.place.graph, holders.run(self.place)
        among = range(graph.n_entities) if entities is None else frozenset(entities.tolist())
        steps = {
            ((relation, head == start),)
            for start in starts[:_SAMPLE].tolist()
            for triple in [*list(graph.triples_from(start))[:_MOST], *graph.triples_to(start)[:_MOST]]
            for head, relation, tail in [graph.triple(triple)]
            if (tail if head == start else head) in among
        }
        names = self.lexicon.relations
        spoken = [one for one in steps if any(self.english.is_among(word, names[one[0][0]].words) for word in said)]
        chosen = spoken if len(spoken) == 1 else list(steps) if len(steps) == 1 and entities is not None else []
        return Through(holders, Along(int(starts[0]), chosen[0])) if chosen else None

    def _is_of_several(self, leads: SetPlan, entities: Ints, said: set[str]) -> bool:
        """Return whether each of a set has several of what has a value, and nothing says which relation is meant.

        «Active teachers» are no teachers with an active student.
        """
        if not isinstance(leads, Through) or len(leads.along.steps) != 1:
            return False
        ((relation, forward),) = leads.along.steps
        own = stems_of_name(self.lexicon.classes_of(entities))
        words = self.lexicon.relations[relation].words
        if any(self.english.is_among(word, words) for word in said - own):
            return False
        back = ((relation, not forward),)
        return any(len(Along(one, back).run(self.place)) > 1 for one in entities[:_SAMPLE].tolist())


def _grouped(text: str, terms: Sequence[Term]) -> list[list[Term]]:
    """Return the terms, those that «or» or «and» joins together; they are values of the properties that all have."""
    groups: list[list[Term]] = []
    for term in terms:
        last = groups[-1] if groups else []
        between = text[last[-1].end : term.start] if last else ""
        common = tuple(one for one in last[-1].sources if one in term.sources) if last else ()
        is_both = bool(last) and _BOTH.search(text[: last[0].start]) is not None  # «in both London and Paris»
        if common and not is_both and not isinstance(term.value, bool) and _OR.fullmatch(between):
            groups[-1] = [replace(one, sources=common) for one in (*last, term)]
        else:
            groups.append([term])
    return groups
