"""States and provinces whose codes stand in columns: `WA` for Washington."""

from __future__ import annotations

from graphbrick.language.stems import stem

_CODES = """
AL Alabama, AK Alaska, AZ Arizona, AR Arkansas, CA California, CO Colorado, CT Connecticut, DE Delaware, FL Florida,
GA Georgia, HI Hawaii, ID Idaho, IL Illinois, IN Indiana, IA Iowa, KS Kansas, KY Kentucky, LA Louisiana, ME Maine,
MD Maryland, MA Massachusetts, MI Michigan, MN Minnesota, MS Mississippi, MO Missouri, MT Montana, NE Nebraska,
NV Nevada, NH New Hampshire, NJ New Jersey, NM New Mexico, NY New York, NC North Carolina, ND North Dakota, OH Ohio,
OK Oklahoma, OR Oregon, PA Pennsylvania, RI Rhode Island, SC South Carolina, SD South Dakota, TN Tennessee, TX Texas,
UT Utah, VT Vermont, VA Virginia, WA Washington, WV West Virginia, WI Wisconsin, WY Wyoming, DC District of Columbia,
AB Alberta, BC British Columbia, MB Manitoba, NB New Brunswick, NL Newfoundland and Labrador, NS Nova Scotia,
NT Northwest Territories, NU Nunavut, ON Ontario, PE Prince Edward Island, QC Quebec, SK Saskatchewan, YT Yukon,
NSW New South Wales, QLD Queensland, SA South Australia, TAS Tasmania, VIC Victoria, ACT Australian Capital Territory
"""
_BY_NAME = {
    name.strip().casefold(): code for code, name in (entry.split(maxsplit=1) for entry in _CODES.strip().split(","))
}
_COLUMNS = frozenset(map(stem, "state states province".split()))


def code_of_state(name: str, column: frozenset[str]) -> str:
    """Return the code of a state, for a column of such; "" for another name or column.

    Args:
        name: The name, in any case.
        column: Stems of the words of the name of the column.

    >>> from graphbrick.language.stems import stems
    >>> [code_of_state("Washington", frozenset(stems(column))) for column in ("store state", "brand")]
    ['WA', '']
    """
    return "" if _COLUMNS.isdisjoint(column) else _BY_NAME.get(name.casefold(), "")
