"""What verbs say: «fly no Boeing planes», «joined e0 after 2018», «overheated in 2024»."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice, product

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.dates import MAKING
from graphbrick.bricks.retrieve.operators.grammar.clocks import Clocks
from graphbrick.bricks.retrieve.operators.grammar.groups import (
    NO,
    SOME,
    Group,
    Reading,
    Subject,
    is_countable,
    is_denied,
    joins_itself,
    linked,
)
from graphbrick.bricks.retrieve.operators.grammar.links import PARTICLES, Link
from graphbrick.bricks.retrieve.operators.grammar.measures import CountIn, OfEdges
from graphbrick.bricks.retrieve.operators.grammar.nouns.phrases import is_participle
from graphbrick.bricks.retrieve.operators.grammar.small_words import (
    BE,
    DO,
    GETS,
    HAPPENS,
    HAVE,
    MOVES,
    PLACED,
    PLACES,
    STARTS,
    THEIR,
    WORKING,
    WORKS,
)
from graphbrick.bricks.retrieve.operators.schema.class_graph import class_graph_of
from graphbrick.bricks.retrieve.operators.triples.columns import TripleProperty
from graphbrick.bricks.retrieve.operators.triples.edges import Edges, Said
from graphbrick.language import forms
from graphbrick.language.stems import is_plural, spaced, stem, stems

_EMPLOYED = frozenset(map(stem, "work employed".split()))
_HIRED = frozenset(map(stem, "hired hire joined start".split()))
_PIECES = frozenset("units unit pieces piece items copies pcs".split())
_FOR_US = frozenset(
    ("for us", "with us", "by us", "here", "in our company", "at our company", "for our company", "for the company")
)


class Verbs(Clocks):
    """A reader of verbs with their objects."""

    def _verb(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield what a verb says: a relation with its objects, a number, a date."""
        tokens = self.tokens
        passive = at > 0 and any(tokens.word(place) in BE for place in (at - 1, at - 2))
        if at > 1 and tokens.word(at - 1) == "not" and tokens.word(at - 2) not in HAVE | DO:
            passive = passive or is_participle(tokens.word(at))  # «orders not shipped by e0»
        yield from self.passive_or_active(at, subject, passive=passive)

    def passive_or_active(self, at: int, subject: Subject, *, passive: bool) -> Iterator[Reading]:
        """Yield what a verb says of subjects that do it, or to whom it is done."""
        yield from self.known_date(at, subject) if passive else ()
        yield from self.by_clock(at, subject)
        done = self.really_done(at, subject)
        yield from self.took_place(at, done) if done is not None else ()
        subject = done or subject
        for link, end in self.links.by_verb(at, subject.name, passive=passive):
            yield from self._done(end, subject, link, passive=passive)
        if self.tokens.verb_stems(at) & WORKS:
            for values, end in self.values(self.tokens.past(at + 1, ("the", "a", "in", "on", "at"))):
                if all(term.value is True for term, _ in values.terms):
                    yield from self.valued(subject, values, end)
        for _, end in self.tokens.phrase(at + 1, _FOR_US) if self.tokens.verb_stems(at) & _EMPLOYED else ():
            yield Reading(subject.plan, end, can_be_denied=False)
        if self.tokens.word(at).startswith("share"):
            yield from self._sharing(at + 1, subject)
            yield from self.same_as(at + 1, subject)
        yield from self._done_most(at, subject)
        yield from self._longest_since(at, subject)
        yield from self.at_own_value(at, subject)
        yield from self._in_class(at, subject)
        yield from self._graded(at, subject)
        yield from self._in_role(at, subject)
        if self.tokens.verb_stems(at) & GETS:
            yield from self._having(at + 1, subject)
        if self.tokens.verb_stems(at) & MOVES:
            yield from self._as_big(at + 1, subject)
        if self.tokens.verb_stems(at) & HAPPENS:
            yield from self._placed(at + 1, subject)
        yield from self._by_number(at, subject)
        yield from self._in_time(at, subject)
        yield from self.dated_triples(at, subject)
        yield from self._started(at, subject)
        yield from self._happened(at, subject)

    def _sharing(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «(share) a border with e0», where things of a class border each other; a boss would be a third one."""
        start = self.tokens.past(at, ("a", "an", "the", "any", "some"))
        said = set(self.tokens.stems(start, start + 1))
        for join in self.links.between(subject.name, (subject.name,)):
            is_mutual = join.relation in class_graph_of(self.place.graph).symmetric
            if is_mutual and said & set(self.links.labels[join.relation]) and self.tokens.word(start + 1) == "with":
                link = Link(((join.relation, join.forward),), join.end)
                yield from self._objects(start + 2, subject, link)

    def _done_most(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «(was) ordered the most», «(has been) sold most often»."""
        tokens = self.tokens
        start = tokens.past(at + 1, ("the",))
        if tokens.word(start) in ("most", "least") and tokens.word(at - 1) in (*BE, "we", "they"):
            end = tokens.past(start + 1, ("often", "frequently", "times"))
            measure = self.how_often(at, subject, times=end > start + 1)
            if measure is not None:
                best = p.Best(subject.plan, measure, tokens.word(start) == "most")
                yield Reading(best, end, can_be_denied=False)

    def at_own_value(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «shipped to Brazil», «born in Rome», a value of a property with the verb in its name."""
        tokens, verbs = self.tokens, self.tokens.verb_stems(at)
        if not tokens.is_one_of(at + 1, PLACED):
            return
        for values, end in self.values(tokens.past(at + 2, ("the",))):
            own = [
                (replace(term, sources=tuple(one for one in term.sources if verbs & one.words)), negated)
                for term, negated in values.terms
            ]
            if all(term.sources for term, _ in own):
                yield from self.valued(subject, values._replace(terms=tuple(own)), end)

    def _in_class(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «ordered in 2014», «ordered e0», where a class has the name of the verb: customers have orders."""
        said = self.tokens.stems(at, at + 1)
        word = self.tokens.word(at)
        is_verb = word.endswith("ed") or not (is_plural(word) or DO.isdisjoint(self.tokens.words[:at]))
        for name in self.links.joins if is_verb and not self.links.by_verb(at, subject.name) else ():
            link = self._makes(subject.name, name) if stems(spaced(name)) == said and name != subject.name else None
            if link is None:
                continue
            every = Subject(p.Members(name), name)
            inner = [*self.with_modifiers(every, at + 1)]
            for group, end in self.group(at + 1):
                for far in self.links.plain(name, group.classes, "have"):
                    yield from linked(self.place, subject, Link((*link.steps, *far.steps), far.end), group, end)
                    for one in linked(self.place, every, far, group, end) if group.quantity == SOME else ():
                        inner += self.with_modifiers(Subject(one.plan, name), one.end)
            for made, end in inner:
                yield from linked(self.place, subject, link, Group(made.plan, (name,)), end)

    def _makes(self, maker: str, name: str) -> Link | None:
        """Return the relation from those that make what is of a class to it; None if others may make it as well."""
        made = {
            one: link
            for one in self.links.joins
            if one != name and (one == maker or forms.may_be_who(spaced(one)))
            for link in self.links.plain(one, (name,), "have")
        }
        said = [one for one, link in made.items() if MAKING.intersection(self.links.labels[link.steps[0][0]])]
        return made.get(maker) if len(made) == 1 or said == [maker] else None

    def _graded(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «got a 1.0 in e0», where the only number at its triples is meant."""
        tokens = self.tokens
        if not tokens.verb_stems(at) & GETS:
            return
        for bound, end in self.bound(tokens.past(at + 1, ("a", "an", "the"))):
            is_other = bound.date is not None or bound.names or bound.relative is not None
            for one in [number for number in self.of_triples if number.is_number and not is_other]:
                start = end + len(one.stems)
                start = start if tokens.stems(end, start) == one.stems else end
                for group, last in self.group(start + 1) if tokens.is_one_of(start, PLACED) else ():
                    for link in self.links.plain(subject.name, group.classes, tokens.word(start)):
                        own = [number for number in self.of_triples if self._is_at(number, link) and number.is_number]
                        if one in own and (len(own) == 1 or start > end):
                            for condition, _ in self.number_at(one, bound, end):
                                for said in linked(self.place, subject, link, group, last, (condition,)):
                                    yield said._replace(can_be_denied=False)

    @staticmethod
    def _is_at(one: TripleProperty, link: Link) -> bool:
        """Return whether a property stands at the triples of a link."""
        return link.steps[0][0] in one.relations

    def _in_role(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «leads e0», where the role «lead» stands at the triples that join both."""
        tokens = self.tokens
        for one, text, end in self.text_of_triples(at):
            yield from self._with_role(one, text, end, subject)
        for verb in tokens.verb_stems(at):
            for name, (one, text) in self.texts.items():
                if len(name) == 1 and name[0] != verb and stem(forms.verb_behind(text)) == verb:
                    yield from self._with_role(one, text, at + 1, subject)

    def _with_role(self, one: TripleProperty, text: str, at: int, subject: Subject) -> Iterator[Reading]:
        for group, end in self.group(at):
            for join in self.links.between(subject.name, group.classes[:1]):
                known = Edges(join.relation, conditions=(Said(one.name, text),))
                if join.relation in one.relations and join.forward and len(known.run(self.place)):
                    link = Link(((join.relation, True),), join.end)
                    yield from linked(self.place, subject, link, group, end, (Said(one.name, text),))

    def _done(self, at: int, subject: Subject, link: Link, *, passive: bool) -> Iterator[Reading]:
        """Yield what a verb with its objects says; after a passive one these follow a preposition."""
        if not passive or self.tokens.word(at - 1) in PARTICLES:
            yield from self._objects(at, subject, link)
        elif self.tokens.word(at) not in PLACED or self._is_time(at):
            yield from self._to_anything(at, subject, link)

    def _is_time(self, at: int) -> bool:
        """Return whether a time begins at a place: «in 2019»."""
        return next(self.moment(at), None) is not None

    def _to_anything(self, at: int, subject: Subject, link: Link) -> Iterator[Reading]:
        """Yield the subjects that a relation joins to anything: «who has trained», «were repaired in 2020»."""
        if is_denied(subject.plan, link):
            return  # «companies with no lost deals» do not deal with anything besides
        anything = Group(link.everything(), (link.end,))
        for conditions, last in self.conditions(at, link):
            for one in linked(self.place, subject, link, anything, last, conditions):
                yield one._replace(group=None)

    def _objects(self, at: int, subject: Subject, link: Link) -> Iterator[Reading]:
        """Yield the subjects that a relation joins to its objects: «two planes since 2020», or to anything."""
        yield from self._most(at, subject, link)
        yield from self._units_of(at, subject, link)
        yield from self.having_amount(at, subject, [link])
        for group, end in chain(self.group(at), self._their(at, subject), self._others(at, subject)):
            if not group.is_any and not link.leads_to(group.classes):
                yield from self._placed_further(end, subject, link, group)
                continue
            yield from self._longest(end, subject, link, group)
            for conditions, last in self.conditions(end, link):
                yield from linked(self.place, subject, link, group, last, conditions)
        yield from (shared := list(self._shared_object(at, subject, link)))
        if not shared and (self.tokens.word(at) not in PLACED or self._is_time(at)):
            yield from self._to_anything(at, subject, link)

    def _units_of(self, at: int, subject: Subject, link: Link) -> Iterator[Reading]:
        """Yield «(contain) more than 110 units of one product», by a quantity at the triples of the verb."""
        tokens, relation = self.tokens, link.steps[0][0]
        quantities = filter(None, [self.quantity_of(relation)] if len(link.steps) == 1 else [])
        for quantity, (bound, end) in product(quantities, self.bound(at)):
            is_of = tokens.is_one_of(end, _PIECES) and tokens.word(end + 1) == "of"  # else all units taken together
            start = tokens.past(end + 2, ("the", "same", "a", "an", "any", "one", "single"))
            for group, last in islice(self.group(start), 1) if is_of else ():
                for condition, _ in self.number_at(quantity, bound, end):
                    yield from linked(self.place, subject, link, group, last, (condition,))

    def _shared_object(self, at: int, subject: Subject, link: Link) -> Iterator[Reading]:
        """Yield «(accept) and produce images», «(accept) but do not produce images»: two verbs with one object."""
        tokens, word = self.tokens, self.tokens.word(at)
        second_at = tokens.past(at + 1, ("do", "does", "did"))
        negated = tokens.is_one_of(second_at, ("not", "never"))
        others = self.links.by_verb(second_at + negated, subject.name) if word in ("and", "or", "but") else []
        for other, start in others:
            for group, end in self.group(start) if other != link else ():
                is_object = not group.is_any and link.leads_to(group.classes) and other.leads_to(group.classes)
                firsts, seconds = (linked(self.place, subject, way, group, end) for way in (link, other))
                for one, second in (
                    product(firsts, self.denied_if(subject, seconds, negated=negated)) if is_object else ()
                ):
                    both = p.Either if word == "or" else p.Both
                    yield Reading(both((one.plan, second.plan)), end, can_be_denied=False)

    def _their(self, at: int, subject: Subject) -> Iterator[tuple[Group, int]]:
        """Yield «(joined) their airline», where one relation alone joins the subjects to such."""
        name = self.class_at(at + 1, at + 2) if self.tokens.is_one_of(at, THEIR) and at + 1 < len(self.tokens) else ""
        if name and name != subject.name and len(self.links.between(subject.name, (name,))) == 1:
            yield Group(p.Members(name), (name,)), at + 2

    def _others(self, at: int, subject: Subject) -> Iterator[tuple[Group, int]]:
        """Yield «(isotopes that) no other isotope (decays into)», where nothing is joined to itself anyway."""
        tokens, quantity = self.tokens, NO if self.tokens.word(at) == "no" else SOME
        at += tokens.word(at) in ("no", "any", "some") and tokens.word(at + 1) == "other"
        if not tokens.is_one_of(at, ("other", "another")):
            return
        is_one = tokens.is_one_of(at + 1, ("one", "ones"))
        if not any(joins_itself(self.place, one.relation) for one in self.links.between(subject.name, (subject.name,))):
            if is_one:
                yield Group(p.Members(subject.name), (subject.name,), quantity), at + 2
            for inner, end in self.noun(at + 1):
                if inner.name == subject.name:
                    yield Group(inner.plan, (inner.name,), quantity), end

    def _placed_further(self, at: int, subject: Subject, link: Link, group: Group) -> Iterator[Reading]:
        """Yield «(planes) based in e0», a country, where they are based at airports, and these are in countries."""
        if self.tokens.word(at - 2) not in PLACES and self.tokens.word(at - 3) not in PLACES:
            return
        for further in self.links.plain(link.end, group.classes, "in"):
            if self.links.is_place(further.end) and "in" in self.links.labels[further.steps[0][0]]:
                way = Link((*link.steps, *further.steps), further.end)
                yield from linked(self.place, subject, way, group, at)

    def _most(self, at: int, subject: Subject, link: Link) -> Iterator[Reading]:
        """Yield «(owns) the most Boeing planes»."""
        tokens = self.tokens
        start = tokens.past(at, ("the",))
        word = tokens.word(start)
        if word not in ("most", "fewest", "least"):
            return
        yield from self._most_at_triples(start + 1, subject, link, largest=word == "most")
        for inner, end in self.noun(start + 1):
            if link.leads_to((inner.name,)):
                for conditions, last in self.conditions(end, link):
                    if not is_countable(self.place, link):
                        continue
                    measure = CountIn(link.steps, inner.plan, conditions)
                    yield Reading(p.Best(subject.plan, measure, word == "most"), last, can_be_denied=False)

    def _most_at_triples(self, at: int, subject: Subject, link: Link, *, largest: bool) -> Iterator[Reading]:
        """Yield «(shipped the most) units in 2020», a number at the triples of the verb: `units_shipped`."""
        ((relation, forward),) = link.steps if len(link.steps) == 1 else ((-1, True),)
        for one in self.of_triples:
            if relation not in one.relations or not one.is_number:
                continue
            for end in range(min(at + len(one.stems), len(self.tokens)), at, -1):
                said = set(self.tokens.stems(at, end))
                if said <= set(one.stems) and set(one.stems) - said <= set(self.links.labels[relation]):
                    for conditions, last in self.conditions(end, link):
                        measure = OfEdges(relation, forward, None, one.name, "sum", conditions)
                        yield Reading(p.Best(subject.plan, measure, largest), last, can_be_denied=False)

    def _longest_since(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «(has been) qualified the longest», «(has) worked here the longest», by the date since when."""
        tokens, verbs = self.tokens, self.tokens.verb_stems(at)
        is_with = tokens.joined(at - 1, at + 1) == "been with"
        verbs |= _HIRED if is_with or verbs & _EMPLOYED else frozenset()
        ends = [end for _, end in tokens.phrase(at + (not is_with), _FOR_US)] if verbs & _HIRED else []
        start = tokens.past(next(iter(ends), at + 1), ("for", "the"))
        dates = self.dates_named(verbs, subject.name)
        if tokens.word(start) in ("longest", "shortest") and len(dates) == 1:
            best = p.Best(subject.plan, p.Attribute(dates[0]), tokens.word(start) == "shortest")
            yield Reading(best, start + 1, can_be_denied=False)

    def _longest(self, at: int, subject: Subject, link: Link, group: Group) -> Iterator[Reading]:
        """Yield «(has worked for e0) the longest», by the date on which it began."""
        start = self.tokens.past(at, ("for", "the"))
        word = self.tokens.word(start)
        ((relation, forward),) = link.steps if len(link.steps) == 1 else ((-1, True),)
        begin = self.begin_of(relation)
        if word in ("longest", "shortest") and begin is not None:
            measure = OfEdges(relation, forward, group.plan, begin.name, "smallest", is_time=True)
            for one in linked(self.place, subject, link, group):
                best = p.Best(one.plan, measure, word == "shortest")
                yield Reading(best, start + 1, can_be_denied=False)

    def dated_triples(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «acquired after 2015», where a date at the triples of the subjects is called so."""
        for one in self.of_triples:
            if one.is_time and len(one.stems) == 1 and one.stems[0] in self.tokens.verb_stems(at):
                for bound, end in self.moment(at + 1):
                    (relation, *others) = one.relations
                    condition = self.during(relation, bound) if not others and bound.relative is None else None
                    if condition is not None and condition.name == one.name:
                        yield from self._where_triples(subject, one, condition, end)

    def _started(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «joined e0 after 2018», «started at e0 in 2014», by the date on which a relation began."""
        tokens = self.tokens
        if not STARTS.intersection(tokens.verb_stems(at)):
            return
        end = tokens.past(at + 1, WORKING)
        for link, last in [*self.links.by_verb(end - 1, subject.name), (None, end)]:
            start = tokens.past(last, PLACED)
            for group, after in chain(self.group(start), self._their(start, subject)):
                if group.is_any or group.quantity != SOME:
                    continue
                links = [link] if link else self.links.plain(subject.name, group.classes, tokens.word(at + 1))
                for one in links:
                    begin = self.begin_of(one.steps[0][0])
                    if begin is not None and one.leads_to(group.classes):
                        yield from self._begun(after, subject, one, group, begin)

    def _begun(self, at: int, subject: Subject, link: Link, group: Group, begin: TripleProperty) -> Iterator[Reading]:
        """Yield «(joined e0) last», «(started at e0) in 2014»."""
        (relation, forward), is_last = link.steps[0], self.tokens.word(at) == "last"
        if self.tokens.word(at) in ("last", "first"):
            how = "largest" if is_last else "smallest"
            measure = OfEdges(relation, forward, group.plan, begin.name, how, is_time=True)
            for one in linked(self.place, subject, link, group):
                yield Reading(p.Best(one.plan, measure, is_last), at + 1, can_be_denied=False)
        for bound, place in self.moment(at):
            condition = self.during(relation, bound) if bound.relative is None else None
            if condition is not None:
                for one in linked(self.place, subject, link, group, place, (replace(condition, until=""),)):
                    yield one._replace(group=None, can_be_denied=False)

    def _happened(self, at: int, subject: Subject) -> Iterator[Reading]:
        """Yield «leaked», «overheated in 2024», where the value «leak» stands for what has it."""
        for values in self.values_said_as(self.tokens.verb_stems(at)):
            for name in self.links.joins:
                for plan in self.with_values(Subject(p.Members(name), name), values):
                    for link in self.links.plain(subject.name, (name,), "have"):
                        for inner, end in self.with_modifiers(Subject(plan, name), at + 1):
                            group = Group(inner.plan, (name,))
                            yield from linked(self.place, subject, link, group, end)
