"""Numbers of answers in the unit that a question wants: «the board length in cm» of `board_length_mm`."""

from __future__ import annotations

import re

import numpy as np

from graphbrick.bricks.retrieve.operators.measures import Measure
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, Difference, Place, Plan
from graphbrick.bricks.retrieve.operators.sets import Shown
from graphbrick.bricks.retrieve.operators.wordings.units import factor_by_size, factor_in, may_be_in, unit_in
from graphbrick.core.trace import event
from graphbrick.language.expressions.expression import Expression
from graphbrick.patterns.properties.durations import unit_by_clocks
from graphbrick.patterns.properties.sources import Source

_NUMBER = Expression(r"(?P<before>.*: |)(?P<n>-?\d[\d,]*(?:\.\d+)?)(?: [^\W\d]\S*)?", re.DOTALL)
_DIGITS, _SMALL = 4, 0.01  # of a number in another unit that are shown at least, and from which it has no exponent
_WRITTEN = {one.lower(): one for one in "kB KiB MB MiB GB GiB TB TiB kHz MHz GHz Hz W kW MW kJ".split()}


def in_asked_unit(plan: Plan, place: Place, shown: list[Shown]) -> tuple[list[Shown], bool]:
    """Return the values of a plan in the unit that the question wants, and whether nothing was assumed for it.

    Args:
        plan: The plan.
        place: The graph and the unit.
        shown: The values as the graph has them, perhaps after «group: ».

    Raises:
        CannotPlanError: The number has a unit of another kind in its name.
    """
    name, own = _measured(plan, place)
    matches = [_NUMBER.fullmatch(one.text) for one in shown]
    if not place.unit or not name or not any(matches):
        return shown, True
    numbers = [float(match["n"].replace(",", "")) for match in matches if match]
    factor, taken = factor_in(place.graph, name, place.unit, own), ""
    if factor is None and not may_be_in(own or name, place.unit):
        text = f"{name} is not told in {place.unit}"
        raise CannotPlanError(text, code="operators.unit_of_other_kind", name=name, unit=place.unit)
    if factor is None:
        taken, factor = factor_by_size(name, place.unit, float(np.median(numbers)))
        known = f"taken for {taken}" if taken else f"told as it is, perhaps not in {place.unit}"
        event(f"{name} has no unit in this graph; {known}", "operators.without_unit", name=name, unit=place.unit)
    elif factor != 1.0:
        one, other = own or unit_in(name) or unit_by_clocks(place.graph, name), _WRITTEN.get(place.unit, place.unit)
        ratio = f"1 {other} is {factor:,.6g} {one}" if factor > 1 else f"1 {one} is {1 / factor:,.6g} {other}"
        said = f"{name} is told in {other}: {ratio}"
        event(said, "operators.in_unit", name=name, unit=place.unit, factor=factor)
    if factor is None or factor == 1.0:
        return shown, factor is not None and not taken
    told = [_told(one, match, factor, place.unit) for one, match in zip(shown, matches, strict=True)]
    return told, not taken


def _told(one: Shown, match: re.Match[str] | None, factor: float, unit: str) -> Shown:
    """Return a value in another unit; as it is, if it is no number."""
    if match is None:
        return one
    number = float(match["n"].replace(",", "")) / factor
    digits = max(_DIGITS - int(np.log10(abs(number) or 1.0)) - 1, 2)
    text = f"{number:,.{digits}f}".rstrip("0").rstrip(".") if abs(number) >= _SMALL else f"{number:.{_DIGITS}g}"
    return Shown(f"{match['before']}{text} {_WRITTEN.get(unit, unit)}", one.entity)


def _measured(plan: Plan, place: Place) -> tuple[str, str]:
    """Return the name of the number that a plan gives, with its unit where the values have one; "" if it gives none."""
    plan = plan.one if isinstance(plan, Difference) else plan
    measure, source, name = (getattr(plan, field, None) for field in ("measure", "source", "name"))
    if isinstance(measure, Measure):
        return measure.text(place), measure.unit(place)
    if isinstance(source, Source):
        return ("", "") if source.literal is None or source.is_date else (source.name, source.unit)
    return (name, "") if isinstance(name, str) else ("", "")
