"""Numbers and dates as people write them: 1,299.00, 45 %, (12), 5/19/2006; how all cells of a column are read.

A number is written with a mark for decimals, which is a point or a comma. One cell such as «1,234» leaves open which;
the other cells of the column, those of the table, or the user decide.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from graphbrick.core.properties.calendar import ORDERS, Days
from graphbrick.core.properties.values import is_code

POINT, COMMA = ".", ","
"""The marks for decimals."""

_WORDS_SHARE = 0.05  # of the cells, which may be words such as «n/a»
_LOOKED_AT = 50  # words, from which a column that has mostly words is none of numbers or dates
_SIGNS = str.maketrans({"\u2212": "-", "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2019": "'"})
_CURRENCIES = r"(?:US|AU|CA|NZ|HK)?\$|[€£¥₹₩₽]|USD|EUR|GBP|CHF|JPY|INR|CNY|AUD|CAD|SEK|NOK|DKK|PLN"
_SCALES = {
    **dict.fromkeys(("mg", "g", "kg", "t"), "mass"),
    **dict.fromkeys(("mm", "cm", "m", "km"), "length"),
}
_FACTORS = dict(
    zip("mg g kg t mm cm m km".split(), map(Decimal, "0.001 1 1000 1000000 1 10 1000 1000000".split()), strict=True)
)
_UNITS = (
    r"%|‰|°[CF]?|pct|percent|mm|cm|m|km|µm|ft|mi|yd|mg|g|kg|t|lbs?|oz|ml|cl|l|[kKMGT]B|ms|s|min|h|hrs?|hours?|minutes?"
    r"|seconds?|days?|years?|km/h|mph|m/s|[kMGT]?Wh?|[kMG]?Hz|[hk]?Pa|k?cal|k?J|V|ppm|ha|acres?|[kcm]?m[²³23]|sqm|sqft|mg/dl"
)
_NUMBER = re.compile(
    rf"(?P<open>\()?(?P<sign>[+-])? ?(?P<before>{_CURRENCIES})? ?(?P<inner>-)?"
    rf"(?P<body>\d[\d., ']*\d|\d|[.,]\d+) ?(?P<after>{_CURRENCIES}|{_UNITS})?(?P<close>\))?"
)
_UNIT = re.compile(rf".*[^\s(]\s*\(\s*(?:in )?(?P<unit>{_CURRENCIES}|{_UNITS})\s*\)")
_GROUPED = re.compile(r"[1-9]\d{0,2}([,.' ])\d{3}(?:\1\d{3})*|[1-9]\d?(,)(?:\d\d,)+\d{3}")
_SCIENTIFIC = re.compile(r"-?\d+(?:\.\d+)?[eE][+-]?\d{1,2}")
_NO_AMOUNTS = frozenset(
    "phone telephone tel mobile fax zip zipcode postcode postal code codes id ids iban isbn issn ean upc sku vat ssn "
    "version versions release ip serial".split()
)
"""Words of the headers of columns whose digits are no amounts."""


def unit_in(header: str) -> str:
    """Return the unit that stands in brackets at the end of the header of a column; empty for none.

    >>> unit_in("height (cm)"), unit_in("Budget (in €)"), unit_in("GDP (nominal)")
    ('cm', '€', '')
    """
    match = _UNIT.fullmatch(header.strip())
    return match["unit"] if match else ""


@dataclass(frozen=True)
class Written:
    """How the cells of a column are written.

    Attributes:
        mark: The mark for decimals; empty for dates.
        order: The order of day and month in dates: "dmy" or "mdy"; empty for numbers.
        with_times: Whether dates have a time of the day.
        unit: The unit or currency of the numbers; empty for none.
    """

    mark: str = ""
    order: str = ""
    with_times: bool = False
    unit: str = ""

    def plain(self, text: str) -> str:
        """Return a cell as digits with a decimal point, or as an ISO date; another cell as it is.

        >>> Written(POINT, unit="$").plain("$1,299.00"), Written(COMMA).plain("1.073,5"), Written(POINT).plain("n/a")
        ('1299.00', '1073.5', 'n/a')
        >>> Written(order="mdy").plain("5/19/2006")
        '2006-05-19'
        """
        if self.order:
            return Days.iso(text, self.order, with_times=self.with_times) or text
        number = _parsed(text)
        if number is None or self.mark not in number.marks:
            return text
        digits = number.digits(self.mark)
        if number.unit != self.unit and number.unit in _FACTORS and self.unit in _FACTORS:
            digits = f"{(Decimal(digits) * _FACTORS[number.unit] / _FACTORS[self.unit]).normalize():f}"
        return digits


@dataclass(frozen=True)
class _Parsed:
    body: str
    is_negative: bool
    unit: str
    marks: frozenset[str]
    is_marked: bool  # whether the sign of decimals or thousands is there
    is_signed: bool = False  # with a plus

    def digits(self, mark: str) -> str:
        """Return the number with a decimal point."""
        whole, _, decimals = self.body.partition(mark) if self.body.count(mark) == 1 else (self.body, "", "")
        text = "".join(filter(str.isdigit, whole)) or "0"
        return f"{'-' * self.is_negative}{text}{'.' + decimals if decimals else ''}"


def _parsed(text: str) -> _Parsed | None:
    text = text.strip().translate(_SIGNS)
    if text.isdecimal() and text.isascii() and not is_code(text):
        return _Parsed(text, False, "", _EITHER, False)
    match = _NUMBER.fullmatch(text)
    if match is None or bool(match["open"]) != bool(match["close"]) or (match["before"] and match["after"]):
        return None
    body, is_negative = match["body"], bool(match["open"] or match["inner"] or match["sign"] == "-")
    marks = frozenset(mark for mark in (POINT, COMMA) if _fits(body, mark))
    if not marks or (match["open"] and match["sign"]):
        return None
    return _Parsed(
        body,
        is_negative,
        match["before"] or match["after"] or "",
        marks,
        POINT in body or COMMA in body,
        match["sign"] == "+",
    )


_EITHER = frozenset((POINT, COMMA))


def _fits(body: str, mark: str) -> bool:
    """Return whether a number may be written with a mark for decimals."""
    whole, decimals = body, ""
    if body.count(mark) == 1:
        whole, _, decimals = body.partition(mark)
        if not decimals.isdecimal():
            return False
    elif mark in body:  # between thousands only
        return False
    if whole in ("", "0"):
        return True
    if whole.isdecimal():
        return whole[0] != "0"
    return _GROUPED.fullmatch(whole) is not None and (mark == POINT or "," not in whole)


@dataclass
class WrittenCells:
    """What the cells of a column show of how they are written.

    Attributes:
        name: The header of the column.
        total: The number of cells.
        words: The number of cells without any digit.
        is_open: Whether they may still be numbers or dates of one form; no more cells are looked at if not.
        days: What they show of dates.
        example: A cell that is no plain number or ISO date.
        clash: What keeps numbers or dates from one form, as the end of a sentence; empty for nothing.
    """

    name: str
    total: int = 0
    words: int = 0
    is_open: bool = True
    days: Days = field(default_factory=Days)
    _marks: frozenset[str] = _EITHER
    _units: Counter[str] = field(default_factory=Counter)
    _are_numbers: bool = True
    _special: int = 0  # cells with a mark, unit or sign, which are no plain numbers
    _marked: int = 0
    _small: bool = False
    _ends_in_zero: bool = False
    _plus: bool = False
    _not_plus: bool = False
    _brackets: int = 0
    example: str = ""
    clash: str = ""

    def __post_init__(self) -> None:
        words = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", self.name).lower())
        self._are_numbers = not _NO_AMOUNTS.intersection(words)

    def extend(self, texts: Iterable[object]) -> None:
        """Look at more cells; values that are no texts are plain numbers if they are numbers."""
        try:
            counts = Counter(texts)
        except TypeError:  # lists
            self.is_open = False
            return
        for text, n in counts.items():
            if not self.is_open:
                return
            if isinstance(text, str):
                self._add(text.strip(), n)
            elif isinstance(text, int | float) and not isinstance(text, bool):
                self.total += n
                self.days.are_days = False
                self._not_plus = self._not_plus or text <= 0
            elif text is not None:
                self.is_open = False

    def _add(self, text: str, n: int) -> None:
        if not text or text == "\\N":
            return
        self.total += n
        if not any(map(str.isdigit, text)):
            self.words += n
            self.is_open = self.words < _LOOKED_AT or self.words <= self.total / 2
            return
        if self._are_numbers:
            self._add_number(text, n)
        if self.days.are_days:
            self.days.add(text)
            is_date = any(Days.iso(text, one, with_times=False) for one in ORDERS)
            if is_date and not self.days.are_days and self.total > n:
                self.clash = "whether the day or the month is first, as it has both"
            if is_date and not self.example:
                self.example = text
        self.is_open = self._are_numbers or self.days.are_days

    def _add_number(self, text: str, n: int) -> None:
        number = _parsed(text)
        if number is None or not self._marks & number.marks:
            self._are_numbers = _SCIENTIFIC.fullmatch(text) is not None
            if number is not None:
                self.clash = "whether commas or points are its marks for decimals, as it has both"
            return
        self._marks &= number.marks
        self._units[number.unit] += n
        plain = text.removeprefix("-")
        is_plain = plain.replace(".", "", 1).isdecimal() and plain.isascii()
        if not is_plain:
            self._special += n
            if not self.example or len(text) > len(self.example):
                self.example = text
        self._marked += n * number.is_marked
        self._small = self._small or not number.is_marked
        self._ends_in_zero = self._ends_in_zero or (number.is_marked and text.endswith("0"))
        self._plus = self._plus or number.is_signed
        self._not_plus = self._not_plus or number.is_negative or text == "0"
        self._brackets += n * text.startswith("(")

    @property
    def sure_mark(self) -> str:
        """The mark for decimals, if the cells leave no other; else empty."""
        return next(iter(self._marks)) if self._are_numbers and len(self._marks) == 1 else ""

    def decided(self, mark: str = "", order: str = "") -> Written | str | None:
        """Return how the column is written, or a text that says what nobody can tell from its cells.

        It is None for cells that are plain numbers or ISO dates, and for those that are neither numbers nor dates.

        Args:
            mark: The mark for decimals, where the cells leave both.
            order: The order of day and month, likewise.
        """
        found = self.total - self.words
        if self.clash and not self._are_numbers and not self.days.are_days:
            return self.clash
        if not self.is_open or not found or self.words > _WORDS_SHARE * self.total:
            return None
        if self.days.are_days:
            return self._of_days(order)
        is_special = self._special and self._brackets < found and (self._not_plus or not self._plus)
        if not self._are_numbers or not is_special:
            return None
        unit = self._unit()
        if unit is None:
            units = ", ".join(one for one, _ in self._units.most_common() if one)
            return f"how its units compare ({units}); a column of one unit is read as numbers"
        marks = self._marks
        if len(marks) == 2 and self._marked:
            if mark not in marks:  # a decimal number with all its zeros is not beside whole ones
                mark = POINT if self._small and self._ends_in_zero else ""
            if not mark:
                return "whether its comma or point is the mark for decimals: say --decimal . or --decimal ,"
        else:
            mark = next(iter(sorted(marks, reverse=True)))
        return Written(mark, unit=unit)

    def _of_days(self, order: str) -> Written | str | None:
        orders = self.days.orders
        if len(orders) == 2:
            if self.days.is_open and order not in orders:
                return "whether the day or the month is first: say --dates dmy or --dates mdy"
            orders = {order or "dmy"}
        return Written(order=next(iter(orders)), with_times=self.days.has_times)

    def _unit(self) -> str | None:
        """Return the one unit of the numbers, to which others can be changed; None if there are several."""
        units = [unit for unit, _ in self._units.most_common() if unit]
        if len(units) > 1 and (len({_SCALES.get(unit) for unit in units}) > 1 or units[0] not in _SCALES):
            return None
        return units[0] if units else ""
