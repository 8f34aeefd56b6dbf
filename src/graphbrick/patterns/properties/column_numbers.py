"""The values of columns as numbers, dates as years with their fraction."""

from __future__ import annotations

import datetime

import numpy as np
import numpy.typing as npt

from graphbrick.core.properties.values import Kind, Value, kind_of
from graphbrick.graphs.store.columns import Column
from graphbrick.graphs.store.literals import read_literal
from graphbrick.language.expressions.expression import Expression

Floats = npt.NDArray[np.float64]

_OF_TIMES = Expression(r"year|date|since|until|from|(?:ed|built|born|start|end|begin|day|time)$")
_DATE_TEXT = Expression(r"[12]\d{3}(?:-[01]\d(?:-[0-3]\d)?)?")
_ERA_TEXT = Expression(r"(?:(?P<ad>AD) )?(?P<year>\d{1,5})(?: ?(?P<era>B\.?C\.?(?:E\.?)?|C\.?E\.?|A\.?D\.?))?")
_MONTH_TEXT = Expression(r"(?:1[89]|20|21)\d\d-(?:0[1-9]|1[0-2])(?:-[0-3]\d)?")
_READ_TEXTS = 50  # that tell whether a column of texts has dates
_BEFORE_MONTH = np.array([0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335])  # days of the year 2000


def are_dates(column: Column) -> bool:
    """Return whether a column of texts has years, months and days side by side, such as 2012 and 2019-03.

    Years may have an era, whatever the name of the column: 44 BC, 79 CE. Years alone may be other numbers, unless the
    name of the column speaks of a time.
    """
    if column.kind != Kind.TEXT or column.is_list or not len(column):
        return False
    texts = [str(column.value(row)) for row in range(min(len(column), _READ_TEXTS))]
    if all(_year_of_era(text) is not None for text in texts):
        return True
    is_date = (_DATE_TEXT if _OF_TIMES.search(column.name.lower()) else _MONTH_TEXT).fullmatch
    return all(map(is_date, texts))


def _year_of_era(text: str) -> float | None:
    """Return the year of a text with an era, from 0 down for those before ours; None for other texts."""
    match = _ERA_TEXT.fullmatch(text.strip())
    if match is None or not (match["ad"] or match["era"]):
        return None
    return 1.0 - int(match["year"]) if (match["era"] or "").startswith("B") else float(match["year"])


def floats_of(column: Column) -> Floats:
    """Return the numbers of a column, of texts that are dates their years; of lists, the first element."""
    numbers = column.numbers
    if column.kind == Kind.TEXT:
        texts = (str(column.value(row)) for row in range(len(column)))
        return np.array([_year_of_text(text) for text in texts], dtype=np.float64)
    if numbers is None or column.is_list:
        read = (as_number(column.value(row)) for row in range(len(column)))
        return np.array([np.nan if number is None else number for number in read], dtype=np.float64)
    if column.kind == Kind.DATE:
        return _years(numbers.astype("datetime64[D]"))
    if column.kind == Kind.DATETIME:
        moments = numbers.astype("datetime64[us]")
        days = moments.astype("datetime64[D]")
        return np.asarray(_years(days) + (moments - days).astype(np.float64) / (86_400_000_000 * 366))
    return np.asarray(numbers, dtype=np.float64)


def _year_of_text(text: str) -> float:
    year = read_literal(text) if _DATE_TEXT.fullmatch(text) else None
    of_era = _year_of_era(text) if year is None else year.value
    return np.nan if of_era is None else of_era


def _years(days: npt.NDArray[np.datetime64]) -> Floats:
    """Return dates as years with their fraction, as `literals.read_literal` reads them."""
    months = days.astype("datetime64[M]")
    day = (days - months).astype(np.int64)
    month = months.astype(np.int64)
    of_year = _BEFORE_MONTH[month % 12] + day
    return np.asarray(month // 12 + 1970 + of_year / 366, dtype=np.float64)


def as_number(value: Value | None) -> float | None:
    """Return a value, of a list the first element, as a number, dates as years; None for texts and booleans."""
    if isinstance(value, tuple):
        value = value[0] if value else None
    if value is None or isinstance(value, bool | str):
        return None
    if isinstance(value, datetime.date):
        day = datetime.date(value.year, value.month, value.day)
        return float(_years(np.array([day], dtype="datetime64[D]"))[0])
    return float(value)


def value_kind(value: Value) -> Kind:
    """Return the kind of a value, of a list that of its first element."""
    return kind_of(value[0] if isinstance(value, tuple) else value) if value != () else Kind.TEXT
