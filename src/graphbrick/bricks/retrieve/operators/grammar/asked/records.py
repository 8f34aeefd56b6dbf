"""Questions for what the records of a thing say: «when was e0 admitted to e1», «how often was e0 admitted»."""

from __future__ import annotations

from collections.abc import Iterator, Set

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.asked.sets import SetsAsked
from graphbrick.bricks.retrieve.operators.grammar.groups import SOME, Group, Subject, joined, joins_several
from graphbrick.bricks.retrieve.operators.grammar.links import Link
from graphbrick.bricks.retrieve.operators.grammar.small_words import AUXILIARIES, PLACED
from graphbrick.bricks.retrieve.operators.plan import Plan
from graphbrick.bricks.retrieve.operators.properties.plans import Values
from graphbrick.language import forms
from graphbrick.language.stems import spaced, stems
from graphbrick.patterns.properties.sources import Source

_TIMES = (("how", "often"), ("how", "many", "times"))


class RecordsAsked(SetsAsked):
    """A reader of questions about records, such as the visits of a patient: each is of one patient alone."""

    def _of_records(self) -> Iterator[tuple[Plan, int]]:
        """Yield when something was done, how often, and whether it was, where only records tell it."""
        tokens = self.tokens
        lead = 1 if tokens.word(0) == "when" else 0
        lead = lead or next((len(said) for said in _TIMES if tuple(tokens.words[: len(said)]) == said), 0)
        if not tokens.is_one_of(lead, AUXILIARIES):
            return
        for group, end in self.group(lead + 1):
            if not isinstance(group.plan, p.Listed) or group.quantity != SOME:
                continue
            at = tokens.past(end, ("ever",))
            order = tokens.word(at) if tokens.word(at) in ("last", "first") else ""
            for records, date, last in self._done_to(group, at + bool(order)):
                if lead == 1 and date is not None:
                    best = p.Best(records.plan, p.Attribute(date), order == "last") if order else records.plan
                    yield Values(best, date), last
                elif order:
                    continue  # only «when» asks for the last or the first of them
                elif lead > 1:
                    yield p.Count(records.plan), last
                elif lead == 0 and last > at + 1:
                    yield p.IsAny(records.plan), last

    def _done_to(self, group: Group, at: int) -> Iterator[tuple[Subject, Source | None, int]]:
        """Yield the records of a group that a verb names, with the date that it names and the place after them."""
        verbs = self.tokens.verb_stems(at)
        for owner in group.classes[:1]:
            if self.dates_named(verbs, owner) or self.links.by_verb(at, owner):
                continue
            for link in self._records_of(owner):
                dates = self.dates_named(verbs, link.end)
                if not dates and not verbs & self._words_of(link.end):
                    continue
                date = dates[0] if len(dates) == 1 else None
                every = p.Members(link.end)
                made = (
                    p.Both((every, self.resolver.holding(date))) if date and self._lack_some(link.end, date) else every
                )
                own = Subject(joined(Subject(made, link.end), link.back(owner), group.plan), link.end)
                for records, end in self._told(own, at + 1):
                    yield records, date, end

    def _records_of(self, owner: str) -> list[Link]:
        """Return the relations from a class to things that belong to one of its members each, and are no people."""
        links = [Link(((one.relation, one.forward),), one.end) for one in self.links.between(owner, None)]
        return [
            link
            for link in links
            if link.end != owner
            and not forms.may_be_who(spaced(link.end))
            and len(self.links.between(owner, (link.end,))) == 1
            and not joins_several(self.place, link.end, link.back(owner))
        ]

    def _lack_some(self, name: str, date: Source) -> bool:
        """Return whether some members of a class lack a date: they were not discharged yet."""
        members = self.lexicon.classes[name]
        return not bool(np.isin(members, self.resolver.holding(date).run(self.place)).all())

    def _words_of(self, name: str) -> Set[str]:
        """Return the stems of verbs that make things of a class: «visit»; «admission» is no verb of its own."""
        own = stems(spaced(name))
        return {*own, *stems(forms.verb_behind(name.lower()))} if forms.is_installed() else set(own)

    def _told(self, records: Subject, at: int) -> Iterator[tuple[Subject, int]]:
        """Yield records with what further words say of them: «to e1», «as an inpatient», «in March»."""
        tokens = self.tokens
        yield from self.with_modifiers(records, at)
        if not tokens.is_one_of(at, (*PLACED, "as")):
            return
        start = tokens.past(at + 1, ("a", "an", "the"))
        for values, end in self.values(start):
            for plan in self.with_values(records, values):
                yield from self._told(Subject(plan, records.name), end)
        for group, end in self.group(start):
            joins = self.links.between(records.name, group.classes[:1])
            if len(joins) == 1 and group.quantity == SOME:
                link = Link(((joins[0].relation, joins[0].forward),), joins[0].end)
                yield from self._told(Subject(joined(records, link, group.plan), records.name), end)
