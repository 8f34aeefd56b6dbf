"""The units in the names of numbers, beside those that a question says."""

from __future__ import annotations

from graphbrick.bricks.retrieve.operators.wording import English
from graphbrick.bricks.retrieve.operators.wordings.units import factor_of
from graphbrick.language.stems import spaced, stem, stems
from graphbrick.patterns.properties.sources import Source


def is_in(source: Source, unit: str) -> bool:
    """Return whether the name of a number ends in a unit, or in one of the same kind."""
    return bool(unit) and (factor_of(source.name, unit) is not None or stem(unit) in unit_of(source))


def has_word(source: Source, unit: str) -> bool:
    """Return whether the name of a number has a unit in it."""
    return bool(unit) and stem(unit) in stems(spaced(source.name).replace("_", " "))


def unit_of(source: Source) -> tuple[str, ...]:
    """Return the last word of the name of a number, if it is short or a unit: `capacity_t`."""
    words = stems(spaced(source.name).replace("_", " "))
    return words[-1:] if len(words) > 1 else ()


def has_unit(source: Source, unit: str, english: English) -> bool:
    """Return whether a number has a unit, or one that can be converted into its own."""
    if not unit or unit == "k" or factor_of(source.name, unit) is not None:
        return True
    return has_word(source, unit) or stem(unit) in {stem(one) for one in english.units}
