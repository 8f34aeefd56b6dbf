"""Units beside numbers: what an amount in one may measure, times in other units, currencies that are assumed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, SetPlan
from graphbrick.bricks.retrieve.operators.resolve import Resolver
from graphbrick.bricks.retrieve.operators.wording import English
from graphbrick.language import forms
from graphbrick.language.stems import WORD, spaced, stem, stems

_MONEY = ("price", "cost", "fee", "salary", "budget", "total", "amount")
_LENGTHS, _WEIGHTS = ("height", "length", "width"), ("weight", "mass")
_DURATIONS = ("duration", "length", "runtime", "hours", "minutes", "seconds", "milliseconds")
_LENGTHS_OF_TIME = ("duration", "length", "runtime")
_SECONDS = {
    stem(name): seconds
    for seconds, names in ((0.001, "milliseconds ms millis"), (1.0, "seconds secs"), (60.0, "minutes mins"),
                           (3600.0, "hours hrs"), (86400.0, "days"))
    for name in names.split()
}  # fmt: skip


def names_by_unit(english: English, unit: str, of_class: str, *, bare: bool) -> tuple[str, ...]:
    """Return what an amount in a unit may be a number of: «over 80 inches», «over 5 dollars».

    Args:
        english: The wordings.
        unit: The unit; "" for none.
        of_class: The name of the class of what is compared; a bare number of people is their age.
        bare: Whether no word names what is compared.
    """
    if not unit:
        is_people = forms.kind_of(of_class.lower()) == forms.PERSON
        return () if not bare else ("age",) if is_people else (*_MONEY, "age")
    if english.match("of_length", unit):
        return _LENGTHS
    return _WEIGHTS if english.match("of_weight", unit) else _MONEY


def time_measured(resolver: Resolver, base: SetPlan, unit: str, names: Sequence[str]) -> tuple[p.Measure, float] | None:
    """Return a duration, and how many of its unit an amount in another unit is; None if the graph does not say.

    Args:
        resolver: Finds the numbers that words speak of.
        base: What is compared.
        unit: The unit of the amount.
        names: What the adjective measures.
    """
    seconds = _SECONDS.get(stem(unit))
    if seconds is None:
        return None
    for name in (*names, *_DURATIONS):
        measure = resolver.attribute(name, base)
        if measure is None or measure.is_date(resolver.place):
            continue
        own = next((_SECONDS[word] for word in stems(spaced(measure.text(resolver.place))) if word in _SECONDS), None)
        if own is not None:
            return measure, seconds / own
        values = measure.of(resolver.place, base.run(resolver.place))
        if name in _LENGTHS_OF_TIME and seconds in (60.0, 3600.0) and 10 <= np.nanmedian(values) <= 600:
            resolver.assumptions[measure] = f"{measure.text(resolver.place)} has no unit; taken for minutes"
            return measure, seconds / 60
    return None


def check_currency(resolver: Resolver, plan: SetPlan, measure: p.Measure, word: str) -> None:
    """Record the assumption that a number is in a currency; refuse one that is not that of the graph."""
    currencies, name = resolver.english.currencies, measure.text(resolver.place)
    units = [measure.unit(resolver.place), *WORD.findall(spaced(name).lower())]
    own = next((currencies[unit] for unit in units if unit in currencies), "")
    if own and own != currencies.get(word, own):
        raise CannotPlanError(f"{name} is in {own}, not in {word}", code="operators.other_currency", own=own, word=word)
    if word not in units and not (own and word in currencies):
        resolver.assumptions[plan] = f"{word!r} is not in this graph; {name} is compared as it is"
