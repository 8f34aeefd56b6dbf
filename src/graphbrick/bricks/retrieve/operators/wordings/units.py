"""Units beside numbers: what an amount in one may measure, and times in other units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, SetPlan
from graphbrick.bricks.retrieve.operators.resolve import Resolver
from graphbrick.bricks.retrieve.operators.wording import English
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.language.stems import WORD, Stems, spaced, stem, stems
from graphbrick.patterns.properties.durations import unit_by_clocks
from graphbrick.patterns.properties.sources import Source

_MONEY = ("price", "cost", "fee", "salary", "budget", "total", "amount")
_LENGTHS, _WEIGHTS = ("height", "length", "width"), ("weight", "mass")
_DURATIONS = ("duration", "length", "runtime", "hours", "minutes", "seconds", "milliseconds")
_LENGTHS_OF_TIME = ("duration", "length", "runtime")


_DONE_TO = frozenset(map(stem, "spent total overall taken logged used".split()))  # said of numbers in their names
_HOW_MUCH = frozenset(map(stem, "size amount quantity capacity total volume price cost value".split()))


def _table(*units: tuple[float, str]) -> dict[str, float]:
    """Return how many of the smallest unit each unit is, by the stems of its names."""
    return {stem(name): factor for factor, names in units for name in names.split()}


_SECONDS = _table(
    (0.001, "milliseconds ms millis"),
    (1.0, "seconds secs"),
    (60.0, "minutes mins"),
    (3600.0, "hours hrs"),
    (86400.0, "days"),
)
_DATA = _table(
    (1.0, "bytes"),
    (1e3, "kb kib kilobytes"),
    (1e6, "mb mib megabytes megs"),
    (1e9, "gb gib gigabytes gigs"),
    (1e12, "tb tib terabytes"),
)
_DATA_SIZES = ("size", "memory", "storage", "capacity")
_SURELY_BYTES = 1e5  # the middle of sizes without a unit, from which they are no megabytes
_UNITS = (  # units of one kind, and what numbers in them are often called
    (_SECONDS, _DURATIONS),
    (_DATA, _DATA_SIZES),
    (
        _table(
            (1e-9, "nm nanometres nanometers"),
            (1e-6, "µm um micrometres micrometers microns"),
            (0.001, "mm millimetres millimeters"),
            (0.01, "cm centimetres centimeters"),
            (1.0, "m metres meters"),
            (1000.0, "km kilometres kilometers"),
            (0.0254, "inches inch"),
            (0.3048, "feet foot ft"),
            (0.9144, "yards"),
            (1609.344, "miles mi"),
        ),
        (*_LENGTHS, "distance", "diameter", "depth", "elevation"),
    ),
    (
        _table(
            (1e-6, "µg ug mcg micrograms"),
            (0.001, "mg milligrams"),
            (1.0, "g grams"),
            (1e3, "kg kgs kilos kilograms"),
            (1e6, "tonnes tons"),
            (453.59237, "lb lbs pounds"),
            (28.349523, "oz ounces"),
        ),
        _WEIGHTS,
    ),
    (
        _table(
            (1e-6, "mm2 sqmm"),
            (1e-4, "cm2 sqcm"),
            (1.0, "m2 sqm"),
            (1e6, "km2 sqkm"),
            (1e4, "ha hectares"),
            (0.09290304, "sqft"),
            (4046.8564224, "acres"),
            (2589988.110336, "mi2 sqmi"),
        ),
        ("area", "size"),
    ),
    (_table((1.0, "kcal kilocalories"), (1 / 4.184, "kj kilojoules")), ("energy", "calories")),
    (_table((1.0, "w watts watt"), (1e3, "kw kilowatts"), (1e6, "mw megawatts")), ("power", "consumption", "output")),
    (
        _table((1.0, "hz hertz"), (1e3, "khz kilohertz"), (1e6, "mhz megahertz"), (1e9, "ghz gigahertz")),
        ("frequency", "clock"),
    ),
    (_table((1.0, "km/h kmh kph"), (1.609344, "mph"), (3.6, "m/s")), ("speed", "velocity", "pace")),
)


_NOT_CONVERTED = "weeks years percent degrees people litres liters ml gb"
UNIT_STEMS = frozenset(word for table, _ in _UNITS for word in table) | frozenset(map(stem, _NOT_CONVERTED.split()))
UNIT_STEMS -= {stem("pounds")}  # may be money


def names_of_unit(unit: str) -> tuple[str, ...]:
    """Return what numbers in a unit are often called, none for an unknown unit.

    >>> names_of_unit("km/h"), names_of_unit("people")
    (('speed', 'velocity', 'pace'), ())
    """
    return next((often for table, often in _UNITS if stem(unit) in table), ())


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


def is_length(names: Sequence[str]) -> bool:
    """Return whether an adjective measures a length, by the names of what it measures."""
    return not set(names).isdisjoint(_LENGTHS)


def in_own_unit(resolver: Resolver, base: SetPlan, unit: str, names: Sequence[str]) -> tuple[p.Measure, float] | None:
    """Return a number whose name has a unit, and how many of these another unit is; None if the graph does not say.

    Args:
        resolver: Finds the numbers that words speak of.
        base: What is compared.
        unit: The unit of the amount: of time, length, weight or of data, such as MB.
        names: What the adjective measures.
    """
    asked = stem(unit)
    table, often = next(((table, often) for table, often in _UNITS if asked in table), ({}, ()))
    for name in (*names, *often) if table else ():
        measure = resolver.attribute(name, base)
        if measure is None or measure.is_date(resolver.place):
            continue
        known = factor_in(resolver.place.graph, measure.text(resolver.place), unit)
        if known is not None:
            return measure, known
        middle = float(np.nanmedian(measure.of(resolver.place, base.run(resolver.place))))
        taken, size = _assumed_unit(name, table, asked, middle)
        if taken:
            resolver.assumptions[measure] = f"{measure.text(resolver.place)} has no unit; taken for {taken}"
            return measure, table[asked] / size
    return None


def _assumed_unit(name: str, table: Mapping[str, float], asked: str, middle: float) -> tuple[str, float]:
    """Return the unit of a number that names none, by its name and its middle value, with its size; "" if none fits."""
    if table is _SECONDS and name in _LENGTHS_OF_TIME and table[asked] in (60.0, 3600.0) and 10 <= middle <= 600:
        return "minutes", 60.0
    return ("bytes", 1.0) if table is _DATA and name in _DATA_SIZES and middle >= _SURELY_BYTES else ("", 1.0)


def factor_of(name: str, unit: str) -> float | None:
    """Return how many of the unit in the name of a number another unit is; None if the name has none, or of no kind.

    >>> factor_of("height_cm", "metres"), factor_of("downtime", "hours")
    (100.0, None)
    """
    table = next((table for table, _ in _UNITS if stem(unit) in table), {})
    own = next((table[word] for word in stems(spaced(name)) if word in table), None)
    return None if own is None else table[stem(unit)] / own


def factor_in(graph: Graph, name: str, unit: str, own: str = "") -> float | None:
    """Return how many of the unit of a number of a graph another unit is; None if the graph does not tell.

    Args:
        graph: The graph.
        name: The name of the number, which may end with its unit; else times beside it may tell one.
        unit: The other unit.
        own: The unit of its values; "" for none.
    """
    known = factor_of(f"in {own}" if own else name, unit)
    if known is not None or own or stem(unit) not in _SECONDS:
        return known
    told = unit_by_clocks(graph, name)
    return _SECONDS[stem(unit)] / _SECONDS[stem(told)] if told else None


def factor_by_size(name: str, unit: str, middle: float) -> tuple[str, float | None]:
    """Return the unit that a number without one is taken for, and how many of it another unit is; ("", None) for none.

    Args:
        name: The name of the number.
        unit: The other unit.
        middle: The middle of the values.

    >>> factor_by_size("runtime", "hours", 96.0), factor_by_size("size", "m", 4.0)
    (('minutes', 60.0), ('', None))
    """
    table = next((table for table, _ in _UNITS if stem(unit) in table), {})
    words = spaced(name).lower().replace("_", " ").split() if table else []
    found = (_assumed_unit(word, table, stem(unit), middle) for word in words)
    return next(((taken, table[stem(unit)] / size) for taken, size in found if taken), ("", None))


def may_be_in(name: str, unit: str) -> bool:
    """Return whether a number may be told in a unit: its name has one of that kind, or says what such units measure.

    >>> may_be_in("height_cm", "metres"), may_be_in("runtime", "hours"), may_be_in("height_cm", "hours")
    (True, True, False)
    """
    table, often = next(((table, often) for table, often in _UNITS if stem(unit) in table), ({}, ()))
    words = spaced(name).lower().replace("_", " ").split() if table else []
    has_other = bool(unit_in(name)) and stem(words[-1]) not in table if words else False
    return not has_other and any(stem(word) in table or word in often for word in words)


def is_unit(word: str) -> bool:
    """Return whether a word is a unit of time, length, weight, data, area, energy, power, frequency or speed."""
    return any(stem(word) in table for table, _ in _UNITS)


def unit_in(name: str) -> str:
    """Return the unit with which the name of a number ends; "" for none.

    >>> unit_in("timeSpentSeconds"), unit_in("time_spent"), unit_in("days")
    ('seconds', '', '')
    """
    words = spaced(name).lower().replace("_", " ").split()
    return words[-1] if len(words) > 1 and is_unit(words[-1]) else ""


def is_without_unit(words: Stems, name: str) -> bool:
    """Return whether words name a number whose own name has a unit too, and perhaps a verb.

    >>> is_without_unit(("tim",), "timeSpentSeconds"), is_without_unit(("hour",), "timeSpentSeconds")
    (True, True)
    >>> is_without_unit(("tim",), "time_zone"), is_without_unit(("hour",), "start_time")
    (False, False)
    """
    unit = unit_in(name)
    table = next((table for table, _ in _UNITS if stem(unit) in table), {})
    rest = tuple(word for word in stems(spaced(name).replace("_", " ")) if word not in _DONE_TO and word not in table)
    return bool(table) and (rest == words or (len(words) == 1 and words[0] in table))


def is_in_unit(name: str, unit: str) -> bool:
    """Return whether the name of a number ends with a unit: «how many watts», of `power_w`.

    >>> is_in_unit("thermal_design_power_w", "watts"), is_in_unit("height_cm", "metres"), is_in_unit("w", "watts")
    (True, False, False)
    """
    table = next((table for table, _ in _UNITS if stem(unit) in table), {})
    *rest, last = stems(spaced(name).replace("_", " ")) or ("",)
    return bool(rest) and last in table and table[last] == table[stem(unit)]


def amounts_first(sources: Sequence[Source]) -> list[Source]:
    """Return numbers in order, but first those that say how much there is: `memory_size` before `memory_clock`."""
    return sorted(sources, key=lambda one: _HOW_MUCH.isdisjoint(one.words))


def check_unit(graph: Graph, name: str, unit: str) -> None:
    """Raise `CannotPlanError` if a number has another unit than an amount: `height_cm` for metres.

    Args:
        graph: The graph.
        name: What is compared.
        unit: The unit of the amount; "" for none.
    """
    table = next((table for table, _ in _UNITS if stem(unit) in table), {})
    own = next((word for word in WORD.findall(spaced(name).lower()) if stem(word) in table), "")
    own = own or (unit_by_clocks(graph, name) if table is _SECONDS else "")
    if own and table[stem(own)] != table[stem(unit)]:
        raise CannotPlanError(f"{name} is in {own}, not in {unit}", code="operators.other_unit", own=own, unit=unit)
