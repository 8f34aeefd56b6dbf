"""Money and other numbers that are counted in thousands or millions: `budget_keur`, «over 500k», «20,000 euros»."""

from __future__ import annotations

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, SetPlan
from graphbrick.bricks.retrieve.operators.resolve import Resolver
from graphbrick.bricks.retrieve.operators.wording import English
from graphbrick.graphs.graph import Graph
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import WORD, spaced, stems
from graphbrick.patterns.lexicon import Lexicon
from graphbrick.patterns.properties.sources import Floats, owners_of, sources_of

_SCALES = {
    word: size
    for words, size in (("thousand thousands", 1e3), ("million millions mio mn", 1e6), ("billion billions bn mrd", 1e9))
    for word in words.split()
}
_IN_MONEY = Expression(r",? in (?:(?P<scale>thousands?|millions?|billions?|mio|bn) (?:of )?)?(?P<unit>[a-z]+)$")
_SHORT_SCALES = {"k": 1e3, "t": 1e3, "m": 1e6}  # keur and teur are thousands of euros
_CODES_OF_MONEY = frozenset("eur usd gbp chf cad aud jpy sek nok dkk pln czk".split())
_FAR_ABOVE = 10.0  # times the highest number
_COUNTED = frozenset(
    "count number population inhabitants people revenue turnover sales budget income cost price amount".split()
)


def scale_in(name: str) -> float:
    """Return how many of its unit the numbers of a name count at once: thousands of euros, millions of transistors.

    >>> scale_in("budget_keur"), scale_in("transistor_count_m"), scale_in("revenue_in_millions"), scale_in("height_m")
    (1000.0, 1000000.0, 1000000.0, 1.0)
    """
    words = spaced(name).lower().replace("_", " ").split()
    scaled = [_SCALES[word] for word in words if word in _SCALES]
    if scaled or len(words) < 2:
        return scaled[0] if scaled else 1.0
    last = words[-1]
    is_count = last in ("k", "m") and not _COUNTED.isdisjoint(words[:-1])
    return _SHORT_SCALES.get(last[0], 1.0) if is_count or last[1:] in _CODES_OF_MONEY else 1.0


def scale_said(name: str, amount: float, numbers: Floats, *, in_full: bool = False) -> float:
    """Return what an amount is divided by to compare it with numbers that count thousands or millions at once.

    Args:
        name: The name of the numbers.
        amount: The amount as it is said; one far above all numbers is said in full.
        numbers: The numbers; NaN where there is none.
        in_full: Whether the amount is surely said in full: «500k», «20,000 euros».
    """
    scale = scale_in(name)
    highest = float(np.nanmax(numbers)) if scale > 1 and not np.isnan(numbers).all() else amount
    return scale if in_full or amount > _FAR_ABOVE * highest else 1.0


def currency_in(english: English, name: str, unit: str = "") -> str:
    """Return the sign of the currency in the name or the unit of a number, such as € of `budget_keur`; "" for none."""
    words = [unit, *WORD.findall(spaced(name).lower().replace("_", " "))]
    codes = (word[1:] if word[:1] in _SHORT_SCALES and word[1:] in _CODES_OF_MONEY else word for word in words)
    return next((english.currencies[code] for code in codes if code in english.currencies), "")


def without_money(graph: Graph, text: str, lexicon: Lexicon, english: English) -> str:
    """Return a question without «in thousands of euros» where that is how the numbers that it names are counted."""
    match = _IN_MONEY.search(text)
    if match is None or match["unit"] not in english.currencies:
        return text
    scale, words = _SCALES.get(match["scale"] or "", 1.0), set(stems(text[: match.start()]))
    named = [one for one in sources_of(graph) if one.literal is not None and words & one.words]
    classes = [lexicon.classes[name] for name in lexicon.classes_in(text)]
    near = [one for one in named if any(np.isin(ids, owners_of(graph, one)).any() for ids in classes)] or named
    sign = english.currencies[match["unit"]]
    is_own = all(currency_in(english, one.name) == sign and scale_in(one.name) == scale for one in near)
    return f"{text[: match.start()]}{text[match.end() :]}" if near and is_own else text


def check_currency(resolver: Resolver, plan: SetPlan, measure: p.Measure, word: str) -> None:
    """Record the assumption that a number is in a currency; refuse one that is not that of the graph."""
    currencies, name = resolver.english.currencies, measure.text(resolver.place)
    units = [measure.unit(resolver.place), *WORD.findall(spaced(name).lower())]
    own = currency_in(resolver.english, name, units[0])
    if own and own != currencies.get(word, own):
        raise CannotPlanError(f"{name} is in {own}, not in {word}", code="operators.other_currency", own=own, word=word)
    if word not in units and not (own and word in currencies):
        resolver.assumptions[plan] = f"{word!r} is not in this graph; {name} is compared as it is"
