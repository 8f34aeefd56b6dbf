"""Questions for entities: which, what, who, whose, lists, and noun phrases alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.asked.amounts import Amounts
from graphbrick.bricks.retrieve.operators.grammar.clauses import as_sets
from graphbrick.bricks.retrieve.operators.grammar.groups import (
    SOME,
    Group,
    Reading,
    Subject,
    is_countable,
    linked,
)
from graphbrick.bricks.retrieve.operators.grammar.links import Link
from graphbrick.bricks.retrieve.operators.grammar.small_words import AUXILIARIES, HAPPENS, IS, PLACED
from graphbrick.bricks.retrieve.operators.plan import SetPlan
from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.language import forms
from graphbrick.language.stems import spaced

_WHICH = frozenset("which what".split())
_LEADS = tuple(
    tuple(f"{first} {last}".split())
    for first in ("list", "show me", "show", "name", "give me", "find", "tell me", "rank", "sort", "")
    for last in ("all of the", "all the", "all", "the", "")
    if first or last.startswith("all")
) + tuple(
    tuple(lead.split())
    for lead in (
        *(
            f"{which} {be} {last}"
            for which in ("what", "who", "which")
            for be in ("is", "are", "was", "were")
            for last in ("all the", "the", "all")
        ),
        "who is a", "who is an", "are there any", "which of the", "who of the", "which of all",
    )
)  # fmt: skip
_WISHES = tuple(
    tuple(wish.split())
    for wish in ("i need", "we need", "i want", "we want", "i am looking for", "looking for", "are there any", "any")
)
_ANYONE = frozenset("anyone anybody someone somebody everyone everybody people those persons".split())
_ANYTHING = frozenset("anything something everything things".split())
_TAILS = frozenset(
    ("at all", "in total", "so far", "in here", "in the data", "in this data", "in our data", "in the graph",
     "in this graph", "in the database", "in the list", "on record", "in order",
     "we sell", "that we sell", "we offer", "we stock", "we carry",
     "name them", "list them", "which ones", "by name",
     "on file", "we have", "do we have", "do we employ", "we employ", "in it", "in them")
)  # fmt: skip
_MOST_READINGS = 60


class SetsAsked(Amounts):
    """A reader of questions for entities."""

    def set_at(self, at: int) -> Iterator[tuple[SetPlan, int]]:
        """Yield the readings of a question for entities from a place on."""
        tokens = self.tokens
        for lead in _LEADS:
            is_object = lead[1:2] and lead[1] in IS and tokens.words[-1] in PLACED  # «what are patients allergic to»
            if tuple(tokens.words[at : at + len(lead)]) == lead and not is_object:
                for subject, end in self.noun(at + len(lead), bare=True):
                    yield subject.plan, end
                    yield from self.clauses(end, subject)
        if tokens.is_one_of(at, _WHICH):
            yield from self._which(at + 1)
        if tokens.word(at) in PLACED and tokens.is_one_of(at + 1, _WHICH):
            yield from self._inverted(at + 2, tokens.word(at))
        if tokens.word(at) in ("who", "whom"):
            yield from self._who(at + 1)
        if tokens.word(at) in _ANYONE and tokens.word(at + 1) in ("who", "that"):
            yield from self._who(at + 2)
        if tokens.word(at) in _ANYTHING and tokens.word(at + 1) in ("which", "that"):
            yield from self._what(at + 2)
        if tokens.word(at) == "what":
            yield from self._what(at + 1)
        if tokens.is_one_of(at, ("which", "what")) and tokens.word(at + 1) in ("people", "persons", "person"):
            yield from self._who(at + 2)
        if tokens.is_one_of(at, ("what", "who", "whom")) and tokens.is_one_of(at + 1, AUXILIARIES):
            yield from self._any_object(at + 1)
        if at == 0:
            start = next((len(lead) for lead in _WISHES if tuple(tokens.words[: len(lead)]) == lead), 0)
            for subject, end in self.noun(start, bare=True):
                yield subject.plan, end
                yield from self.clauses(end, subject)
            yield from self._object_last()
        if tokens.word(at) == "whose":
            yield from self._whose_of(at + 1)

    def _any_object(self, at: int) -> Iterator[tuple[SetPlan, int]]:
        """Yield «what does the teacher of e0 teach»: the objects of the one class of which it can be asked."""
        found, people = dict[str, SetPlan](), self.links.people()
        people = [name for name in people if forms.kind_of(spaced(name).lower()) == forms.PERSON] or people
        for name in people if self.tokens.word(at - 1) != "what" else self.links.joins:
            for plan, end in islice(self._asked_object(at, Subject(p.Members(name), name)), _MOST_READINGS):
                if self._past_end(end) == len(self.tokens):
                    found.setdefault(name, plan)
                    break
        if len(found) == 1:
            yield next(iter(found.values())), len(self.tokens)

    def _object_last(self) -> Iterator[tuple[SetPlan, int]]:
        """Yield «the oldest isotope decays into what», «e0 works for which airline»."""
        tokens = self.tokens
        last = next((at for at in range(len(tokens) - 1, 0, -1) if tokens.word(at) in ("what", "whom", "which")), 0)
        for group, end in self.group(0) if last else ():
            for name in group.classes[:1]:
                for link, after in [*self.links.by_verb(end, name), *self._further_on(end, name)]:
                    if after != last or group.quantity.kind not in ("some", "both"):
                        continue
                    named = self.class_at(last + 1, len(tokens)) if last + 1 < len(tokens) else ""
                    if last + 1 == len(tokens) or link.leads_to((named,)):
                        yield Walk(group.plan, link.steps, (named,)), len(tokens)

    def _further_on(self, at: int, name: str) -> list[tuple[Link, int]]:
        """Return what «come from», «belong to» may lead to before the noun at the end of a question."""
        if not self.tokens.verb_stems(at) & HAPPENS or not self.tokens.is_one_of(at + 1, PLACED):
            return []
        named = self.class_at(len(self.tokens) - 1, len(self.tokens))
        return [(link, at + 2) for link in self.links.plain(name, (named,), self.tokens.word(at + 1))] if named else []

    def _which(self, at: int) -> Iterator[tuple[SetPlan, int]]:
        """Yield «which pilots fly the Lynx», «which machines do workers over 50 operate»."""
        many = self.tokens.amount(at)
        n = int(many[0].value) if many and many[0].date is None and many[1] == at + 1 else 1
        for subject, end in self.noun(at + 1) if n > 1 else ():  # «which two elements were discovered first»
            for plan, last in self.clauses(end, subject):
                if isinstance(plan, p.Best) and plan.n == plan.rank == 1:
                    yield replace(plan, n=n), last
        for subject, end in self.of_names(at):
            yield from self.clauses(end, subject)
        for subject, end in self.noun(at, bare=True):
            yield from self.clauses(end, subject)
            yield from self._asked_object(end, subject)
            yield subject.plan, end

    def of_names(self, at: int) -> Iterator[tuple[Subject, int]]:
        """Yield «(which) of e0, e1 and e2»: these of one class, and no others."""
        start = self.tokens.past(at, ("of", "the", "these", "those"))
        for group, end in self.group(start) if self.tokens.word(at) == "of" else ():
            if isinstance(group.plan, p.Listed) and len(group.plan.entities) > 1:
                yield from ((Subject(group.plan, name), end) for name in group.classes[:1])

    def _asked_object(self, at: int, subject: Subject, *, counted: bool = False) -> Iterator[tuple[SetPlan, int]]:
        """Yield the objects of an inverted clause: «(which machines) do workers over 50 not operate»."""
        tokens = self.tokens
        if not tokens.is_one_of(at, AUXILIARIES):
            return
        for group, end in self.group(at + 1):
            negated = tokens.is_one_of(end, ("not", "never"))
            passive = tokens.is_one_of(at, IS)
            done = self.done_by(subject, group, end + 1 if negated else end, passive=passive, counted=counted)
            yield from as_sets(self.denied_if(subject, done, negated=negated))
            if tokens.is_one_of(at, IS) and tokens.is_one_of(end, PLACED):  # «what group is e0 in»
                for name in group.classes[:1]:
                    for link in self.links.plain(name, (subject.name,), tokens.word(end)):
                        yield from as_sets(linked(self.place, subject, link.back(name), group, end + 1))
            if not tokens.is_one_of(at, IS) and tokens.is_one_of(end, ("have",)):
                yield from self._owned(subject, group, end + 1, counted=counted)

    def _owned(
        self, subject: Subject, group: Group, at: int, *, counted: bool = False
    ) -> Iterator[tuple[SetPlan, int]]:
        """Yield «(which planes) does e0 have»."""
        for name in group.classes:
            for link in self.links.plain(name, (subject.name,), "have"):
                if counted and not is_countable(self.place, link):
                    continue
                for owned in linked(self.place, subject, link.back(name), group):
                    inside = self.with_modifiers(Subject(owned.plan, subject.name), at)
                    yield from ((one.plan, end) for one, end in inside)

    def _inverted(self, at: int, preposition: str) -> Iterator[tuple[SetPlan, int]]:
        """Yield «(at which) airports are no Boeing planes based», «(in which) hall does the oldest machine stand»."""
        tokens = self.tokens
        for subject, end in self.noun(at, bare=True):
            yield from self._asked_object(end, subject)
            if tokens.is_one_of(end, ("do", "does", "are", "is")):
                yield from self._where_all(end, subject, preposition)
            if not tokens.is_one_of(end, IS):
                continue
            for group, last in self.group(end + 1):
                for name in group.classes[:1]:
                    for link in self.links.plain(name, (subject.name,), preposition):
                        yield from as_sets(linked(self.place, subject, link.back(name), group, last))

    def _where_all(self, at: int, subject: Subject, preposition: str) -> Iterator[tuple[SetPlan, int]]:
        """Yield «(in which buildings) do all rooms have a projector», «are no courses held on Monday»."""
        for group, end in self.group(at + 1):
            for name in group.classes[:1]:
                members = Subject(group.plan, name)
                said = as_sets(self._complement(end, members)) if self.tokens.is_one_of(at, IS) else iter(())
                clauses = list(said) or self.clauses(end, members)
                for plan, last in clauses:
                    for link in self.links.plain(name, (subject.name,), preposition):
                        yield from as_sets(self._with_these(subject, link.back(name), group, plan, last))

    def _with_these(self, subject: Subject, link: Link, group: Group, plan: SetPlan, end: int) -> Iterator[Reading]:
        """Yield the subjects of whose group as many as is said are in a set; all are, where some are and no others."""
        if group.quantity.kind != "all":
            yield from linked(self.place, subject, link, group._replace(plan=plan), end)
            return
        others = Group(p.Without(group.plan, plan), group.classes)
        for some in linked(self.place, subject, link, group._replace(quantity=SOME)):
            for one in linked(self.place, Subject(some.plan, subject.name), link, others, end):
                yield Reading(p.Without(some.plan, one.plan), end)

    def _who(self, at: int) -> Iterator[tuple[SetPlan, int]]:
        """Yield «who flies the newest plane»: people and groups of people of every class of which it can be said."""
        tokens = self.tokens
        if tokens.is_one_of(at, IS):
            for subject, end in self.noun(at + 1, bare=True):
                if forms.may_be_who(spaced(subject.name)):
                    yield subject.plan, end
        if tokens.is_one_of(at, IS) and tokens.word(at + 1) in PLACED:
            return  # other rules know what «who is in e0» asks for
        people = self.links.people()
        persons = [name for name in people if forms.kind_of(spaced(name).lower()) == forms.PERSON]
        groups = [name for name in people if name not in persons]
        for names in (persons, [] if persons and tokens.word(at) in ("has", "have", "had") else groups):
            plans = tuple(filter(None, (self._clauses_to_end(at, name) for name in names)))
            if len(plans) > 1 and (any(isinstance(plan, p.Best) for plan in plans) or tokens.is_one_of(at, IS)):
                return
            if plans:
                yield plans[0] if len(plans) == 1 else p.Either(plans), len(tokens)

    def _what(self, at: int) -> Iterator[tuple[SetPlan, int]]:
        """Yield «what was discovered in 1850»: things of every class of which it can be said."""
        people = self.links.people()
        things = [name for name in self.links.joins if name not in people]
        plans = tuple(filter(None, (self._clauses_to_end(at, name) for name in things)))
        if len(plans) == 1 or (plans and not any(isinstance(plan, p.Best) for plan in plans)):
            yield plans[0] if len(plans) == 1 else p.Either(plans), len(self.tokens)

    def _clauses_to_end(self, at: int, name: str) -> SetPlan | None:
        """Return the members of a class of which all the rest of the question holds; None if it cannot be said."""
        for plan, end in islice(self.clauses(at, Subject(p.Members(name), name)), _MOST_READINGS):
            if self._past_end(end) == len(self.tokens):
                return plan
        return None

    def _past_end(self, at: int) -> int:
        """Return the place after words that add nothing at the end of a question."""
        at = self.tokens.past(at, ("there", "please", "pls", "plz", ",", "altogether", "overall"))
        end = next((end for _, end in self.tokens.phrase(at, _TAILS)), at)
        return self._past_end(end) if end > at else at

    def _whose_of(self, at: int) -> Iterator[tuple[SetPlan, int]]:
        """Yield «whose trainer works for e0»: those that it is the trainer of."""
        for end in range(min(at + 2, len(self.tokens)), at, -1):
            for start, link in self.links.called(self.tokens.stems(at, end)):
                if not forms.may_be_who(spaced(start)):
                    continue
                for plan, last in self.clauses(end, Subject(link.everything(), link.end)):
                    subject = Subject(p.Members(start), start)
                    yield from as_sets(linked(self.place, subject, link, Group(plan, (link.end,)), last))
