"""Phrases that ask for entities, read by rules: lists, classes, differences, intersections."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.comparisons import Comparisons
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, Plan, SetPlan, UnknownNounError
from graphbrick.bricks.retrieve.operators.question import Question
from graphbrick.bricks.retrieve.operators.resolve import Resolver
from graphbrick.bricks.retrieve.operators.schema.reading import SchemaPaths
from graphbrick.bricks.retrieve.operators.schema.rules import ClassRules
from graphbrick.bricks.retrieve.operators.sets import UNREAD_WORDS
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.bricks.retrieve.operators.wordings.joins import Joins
from graphbrick.bricks.retrieve.operators.wordings.mentions import words_around
from graphbrick.bricks.retrieve.operators.wordings.negations import ONLY, Negations
from graphbrick.bricks.retrieve.operators.wordings.spellings import as_divided
from graphbrick.bricks.retrieve.operators.wordings.superlatives import Superlatives
from graphbrick.core.deferred import cached_property
from graphbrick.core.errors import not_known
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import WORD, spaced, stem, stems
from graphbrick.patterns.lexicon import stems_of_name
from graphbrick.patterns.properties.sources import (
    has_columns,
    property_names,
    sources_of,
    whole_values,
    words_of_values,
)
from graphbrick.patterns.unknown_words import Reading, WordReader, with_readings

if TYPE_CHECKING:
    from graphbrick.bricks.retrieve.operators.conditions import Conditions
    from graphbrick.bricks.retrieve.operators.wordings.phrasings import Phrasings

_DEEPEST = 32  # phrases in each other that are read; questions of people have at most about six
_OF_NAMES = Expression(
    r"(?:(?:which |who |how many )(?:of )?|of )(?:the )?(?P<names>e\d+(?:, e\d+)*,? (?:and|or) e\d+) (?=[a-z])"
)
_WHERE_IN = Expression(r"where (?:in|on|at|within|inside) (?:the )?e\d+")
_NUMBER_OR_THAN = Expression(r"(?<!\be)(?<!\w)\d|\b(?:more|less|fewer) than\b")
_MOST_PHRASES = 100  # phrases that are read in all, in every way of reading a question; people's have at most about ten


class Parser:
    """A reader of the phrases of one question that ask for entities.

    Args:
        resolver: Finds the patterns of plain phrases.
        question: The question.

    Attributes:
        entities: What `e0`, `e1`, ... stand for; grows when a part of the question is answered first.
    """

    def __init__(self, resolver: Resolver, question: Question) -> None:
        self.resolver, self.question, self.entities = resolver, question, list(question.entities)
        self.place, self.english, self._depth = resolver.place, resolver.english, 0
        self._read = 0
        self.superlatives = Superlatives(resolver, self.set)
        self.comparisons = Comparisons(resolver, self.set, self.listed)

    def entity(self, mention: str) -> int:
        """Return the entity that a placeholder stands for."""
        return self.entities[int(mention[1:])]

    def with_names(self, text: str) -> str:
        """Return a text with labels for placeholders of entities, and words of the question for stems."""
        labels = {f"e{i}": self.place.graph.label(entity) for i, entity in enumerate(self.entities)}
        words = {stem(word): word for word in WORD.findall(self.question.text)}
        measured = (one for one in sources_of(self.place.graph) if one.measured is not None)
        words |= {said: one.name for one in measured for said in (one.spoken, *one.stems)}
        text = re.sub(r"'([^\W_]+)'", lambda match: f"'{words.get(match[1], match[1])}'", text)
        return MENTION.sub(lambda match: labels.get(match[0], match[0]), text)

    def value_cue(self) -> str:
        """Return the first value of a property in the question, or wording of one; "" for none."""
        text = self.question.text
        if ONLY.search(text):
            return "only"
        terms = self.conditions.terms(text) if has_columns(self.place.graph) else ()
        if terms:
            return text[terms[0].start : terms[0].end]
        return self.phrasings.cue(text) if has_columns(self.place.graph) else ""

    def check_read(self, text: str, plan: Plan) -> None:
        """Record a verb that the plan of a value does not use as an assumption; refuse a plan that leaves more unread.

        A plan with an assumption of its own has been checked.

        Raises:
            CannotPlanError: Words have a meaning that the plan does not have.
        """
        resolver, texts, said = self.resolver, plan.texts(self.place), text
        if plan in resolver.assumptions:
            return
        for term in reversed(self.conditions.terms(text)):
            if any(source.name in texts[0] for source in term.sources):
                said = said[: term.start] + said[term.end :]
        words = self.english.content(MENTION.sub(" ", said))
        if not isinstance(getattr(plan, "base", None), p.Listed | None):  # its rules read the phrase for the owners
            words = [word for word in words if word not in self.english.all_words and not word.isdecimal()]
        is_assumed = bool(resolver.assumptions_of(plan))  # such as «score» of the property `metacritic`
        words = resolver.of_number(words) if is_assumed else resolver.without_gaining(words)
        unread = resolver.unexplained(plan, words)
        labels = {match[0]: self.place.graph.label(self.entity(match[0])) for match in MENTION.finditer(text)}
        unread += [mention for mention, label in labels.items() if not any(label in one for one in texts)]
        verbs = {stem(word) for word in re.findall(r"\be\d+ ([a-z-]+)\b", text)}
        if len(unread) > 1 or not verbs.issuperset(unread):
            raise resolver.unread(plan, unread)
        resolver.assume(plan, unread)

    def by_near_words(self, read: Callable[[str], Plan | None], text: str) -> Plan | None:
        """Return the plan of a question with words of the graph for words that mean the same; None if there is none.

        Args:
            read: Returns the plan of a question, None for another one, or raises.
            text: The question.
        """
        readings = self.near_words(text)
        if not readings:
            return None
        try:
            plan = read(as_divided(self.place.graph, with_readings(text, readings), self.resolver.lexicon))
        except CannotPlanError:
            return None
        if plan is None:
            return None
        self.resolver.assumptions[plan] = "; ".join(map(str, readings))
        return plan

    def near_words(self, text: str) -> list[Reading]:
        """Return the words of a question that mean what words of the graph mean."""
        lexicon = self.resolver.lexicon
        reader = WordReader(
            lexicon,
            self.english.known_words(lexicon.words),
            whole=partial(whole_values, self.place.graph),
            properties=frozenset(property_names(self.place.graph)),
            around=words_around(self.place.graph, self.question, lexicon),
        )
        readings = reader.near(WORD.findall(MENTION.sub(" ", text)), text)
        values = frozenset(map(stem, words_of_values(self.place.graph))) if readings else frozenset[str]()
        whole = frozenset(map(stem, whole_values(self.place.graph))) if readings else frozenset[str]()
        return [  # «captain» is a role, and no other word; a «visit» is an encounter, also where notes have the word
            one
            for one in readings
            if stem(one.word) not in (whole if lexicon.class_named(stems(one.read_as)) else values)
        ]

    def check_no_property(self, text: str) -> None:
        """Raise `CannotPlanError` if a question that no rule reads names a property, which no path answers."""
        words = self.english.content(MENTION.sub(" ", text))
        for source in sources_of(self.place.graph):
            for word in words:
                if source.relation < 0 and source.stems == (word,) and word not in self.resolver.lexicon.words:
                    raise CannotPlanError(
                        f"I do not understand what this question asks about {source.name}",
                        code=UNREAD_WORDS,
                        words=(word,),
                    )

    def listed(self, text: str) -> p.Listed:
        """Return the entities that a text mentions."""
        return p.Listed(tuple(self.entities[int(number)] for number in MENTION.findall(text)))

    def set(self, text: str) -> SetPlan:
        """Return the plan of a phrase that asks for entities, such as «which cities in e0 have more than ...».

        Raises:
            CannotPlanError: The graph does not have what the phrase speaks of, or phrases stand too deep in others.
        """
        if self._depth == _DEEPEST:
            raise CannotPlanError(
                f"the question has phrases in phrases more than {_DEEPEST} deep; ask for less at once",
                code="operators.too_deep",
                at_most=_DEEPEST,
            )
        if self._read == _MOST_PHRASES:
            raise CannotPlanError(
                f"the question can be read in more than {_MOST_PHRASES} ways; ask for less at once",
                code="operators.too_many_phrases",
                at_most=_MOST_PHRASES,
            )
        self._read += 1
        self._depth += 1
        try:
            return self._set(text)
        finally:
            self._depth -= 1

    def _set(self, text: str) -> SetPlan:
        text = self.english.without("everywhere", text)
        by_class, negations, joins = self.rules, self.negations, self.joins
        rules = (
            self._of_names, self._listed, self._classes, by_class.owners, by_class.together, by_class.works_for,
            self._phrasing, by_class.called, self._except, negations.neither, by_class.impact, by_class.hierarchy,
            self.superlatives.best, self._before_noun, negations.only_one, negations.no_object, self._modified,
            negations.dated, self._where, self.comparisons.within, self._dated, by_class.never, negations.lacking,
            negations.negated, self._of_best, joins.shared, joins.joined,
        )  # fmt: skip
        for rule in rules:
            plan = rule(text)
            if plan is not None:
                return plan
        mentions = MENTION.findall(text)
        if _WHERE_IN.fullmatch(text):  # a path would lead to where e0 is
            raise CannotPlanError(f"«{text}» asks for no kind of thing", code=UNREAD_WORDS, words=("where",))
        self.resolver.check_order(text)
        if not mentions:
            return self._members(text)
        entity = self.entities[int(mentions[0])]
        return self.schema.along(text, entity) or self.resolver.along(text, entity)

    @cached_property
    def schema(self) -> SchemaPaths:
        """The finder of paths between classes."""
        return SchemaPaths(self.resolver)

    @cached_property
    def rules(self) -> ClassRules:
        """The reader of phrases by the classes of the graph."""
        return ClassRules(self.schema, self.set, self.entity)

    @cached_property
    def negations(self) -> Negations:
        """The reader of what does not hold."""
        return Negations(self)

    @cached_property
    def joins(self) -> Joins:
        """The reader of several conditions in one phrase."""
        return Joins(self)

    @cached_property
    def conditions(self) -> Conditions:
        """The reader of values of properties."""
        from graphbrick.bricks.retrieve.operators.conditions import Conditions  # most graphs need none

        return Conditions(self.resolver, self.set, self.entity, self.schema.far)

    @cached_property
    def phrasings(self) -> Phrasings:
        """The reader of everyday wordings of sets by their properties."""
        from graphbrick.bricks.retrieve.operators.wordings.phrasings import Phrasings  # most graphs need none

        return Phrasings(self.resolver, self.set, self.entity)

    def _modified(self, text: str) -> SetPlan | None:
        """Read «nurses under 40 who work in e0»: a number or time beside another condition."""
        if not _NUMBER_OR_THAN.search(text):
            return None
        from graphbrick.bricks.retrieve.operators.wordings.modifiers import Modifiers  # most questions need none

        return Modifiers(self).set(text)

    def _phrasing(self, text: str) -> SetPlan | None:
        return self.phrasings.set(text) if has_columns(self.place.graph) else None

    def _dated(self, text: str) -> SetPlan | None:
        return self.phrasings.dated(text) if has_columns(self.place.graph) else None

    def _where(self, text: str) -> SetPlan | None:
        """Read «services written in Kotlin»: the values of properties in a phrase."""
        if not has_columns(self.place.graph) or not self.conditions.terms(text):
            return None
        from graphbrick.bricks.retrieve.operators.wordings.others import of_value  # most questions have no value

        return of_value(self, text) or self.conditions.within(text)

    def _of_names(self, text: str) -> SetPlan | None:
        """Read «of e0, e1 and e2 have more than 50 million people»: what is said holds of these, not of the last."""
        match = _OF_NAMES.match(text)
        if match is None:
            return None
        named = self.listed(match["names"])
        name = self.resolver.lexicon.classes_of(named.run(self.place))
        return p.Both((named, self.set(f"which {spaced(name).lower() or 'things'} {text[match.end() :]}")))

    def _listed(self, text: str) -> SetPlan | None:
        match = self.english.match("listed", text)
        if not match:
            return None
        if match["noun"]:
            if forms.is_installed() and not forms.may_be_noun(match["noun"]):
                return None  # «who bought e0»
            noun = stem(match["noun"])
            names = (stems(match["noun"]), *self.english.near.get(noun, ()))
            if noun not in self.english.anything and not any(map(self.resolver.lexicon.class_named, names)):
                return None  # «who plays both e0 and e1» is not a list
            of_class = self.resolver.lexicon.class_named(stems(match["noun"]))
            members = self.resolver.lexicon.classes[of_class] if of_class else None
            if members is not None and not np.isin(self.listed(match["list"]).run(self.place), members).any():
                return None  # «contacts vip or musician», which are tags
        return self.listed(match["list"])

    def _classes(self, text: str) -> SetPlan | None:
        """Read «doctors and nurses»: all of two classes."""
        match = self.english.match("two_classes", text)
        if match is None:
            return None
        names = [self.resolver.lexicon.class_named(stems(match[which])) for which in ("one", "other")]
        return p.Either(tuple(p.Members(name) for name in names if name)) if all(names) else None

    def _members(self, text: str) -> SetPlan:
        """Return a class, such as «countries are there»."""
        lexicon, words = self.resolver.lexicon, self.english.content(text)
        match = self.english.match("some", text)
        if match and lexicon.classes_in(match["base"]):
            base = self.set(match["base"])
            return p.Within(base, self.resolver.degree(match["what"], base), low=0)
        near_classes = (lexicon.class_named(name) for word in words for name in self.english.near.get(word, ()))
        name = next(iter(lexicon.classes_in(text) or filter(None, near_classes)), None)
        called = self.resolver.called(words[0]) if name is None and len(words) == 1 else None
        if called is not None:
            return called
        if name is None:
            raise UnknownNounError(words or [text])
        of_class = stems_of_name(name)
        others = [word for word in words if not self.english.is_among(word, of_class)]
        if others:
            partakers = self.rules.partakers(text)
            if partakers is not None:
                return partakers
            raise CannotPlanError(
                not_known(others),
                code="operators.not_of_every",
                words=tuple(others),
            )
        return p.Members(name)

    def _except(self, text: str) -> SetPlan | None:
        """Read «except e0», «except those that border e0»."""
        match = self.english.match("except_first", text) or self.english.match("except", text)
        if not match:
            return None
        other = match["other"]
        is_listed = self.english.match("listed", other)
        plain, base = self.english.without("those", other), self.set(match["base"])
        taken = self.listed(other) if is_listed else self.set(self.english.as_question(plain))
        among = base.run(self.place)
        if is_listed and not np.isin(taken.run(self.place), among).any():  # «products except seafood»
            taken = self.conditions.linked(taken, among, set()) or taken
        return p.Without(base, taken)

    def _before_noun(self, text: str) -> SetPlan | None:
        """Read «e0 drivers»: what one relation joins to an entity that stands before a noun; None for several."""
        match, english = self.english.match("before_noun", text), self.english
        if not match or not (name := stems(match["noun"])) or not self.resolver.is_called(name):
            return None
        noun = self.set(f"which {match['noun']}")
        one = p.Listed((self.entity(match["who"]),))
        leads = (
            None
            if self.entity(match["who"]) in noun.run(self.place)
            else self.conditions.linked(one, noun.run(self.place), set())
        )
        if leads is None:
            return None
        rest = match["rest"]
        if not MENTION.search(rest) and not english.content(rest):
            return p.Both((noun, leads))
        return p.Both((self.set(f"{match['lead']}{match['noun']}{rest}"), leads))

    def _of_best(self, text: str) -> SetPlan | None:
        """Read «the capital of the largest country in e0»: the inner superlative is answered first."""
        match = self.english.match("of_best", text)
        if not match or MENTION.search(match["front"]):
            return None
        best = self.superlatives.best
        inner = best(f"which is {match['inner']}") or best(match["inner"])
        if inner is None:
            return None
        self.entities.append(inner.only(self.place))
        return self.set(f"{match['front']} e{len(self.entities) - 1}")
