"""Tables that are drawn with signs: a line for each row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_DRAWN = str.maketrans(
    dict.fromkeys("│┃║┆┊", "|")
    | dict.fromkeys("─━┄┈", "-")
    | {"═": "="}
    | dict.fromkeys("┌┐└┘├┤┬┴┼┏┓┗┛┣┫┳┻╋╔╗╚╝╠╣╦╩╬╒╕╘╛╞╡╪╤╧╓╖╙╜╟╢╫╭╮╰╯", "+")
)
_LINE = re.compile(r"\s*[|+].*[|+]\s*\Z")
_RULE = re.compile(r"\s*[|+][-=+|: ]*[-=]{2}[-=+|: ]*[|+]\s*\Z")
_COMMON = 0.7  # share of the lines in which a border of a column stands
_LEAST_BORDERS = 3


def without_grids(lines: Sequence[str]) -> list[str]:
    """Return lines in which each row of a table that is drawn is one, its cells with " | " between them."""
    out: list[str] = []
    block: list[str] = []
    for line in [*lines, ""]:
        if _LINE.match(line.translate(_DRAWN)):
            block.append(line)
            continue
        out += _rows(block) or block if block else []
        block = []
        out.append(line)
    return out[:-1]


def _rows(block: Sequence[str]) -> list[str]:
    """Return the rows of a table; none if the lines are no table, such as a drawing."""
    drawn = [line.translate(_DRAWN).rstrip() for line in block]
    content = [i for i, line in enumerate(drawn) if not _RULE.match(line)]
    rules = [i for i, line in enumerate(drawn) if _RULE.match(line)]
    counts = Counter(at for i in content for at, sign in enumerate(drawn[i]) if sign == "|")
    borders = sorted(at for at, n in counts.items() if n >= _COMMON * len(content))
    if not rules or not content or len(borders) < _LEAST_BORDERS or borders[0] != min(counts, default=0):
        return []
    inner = [i for i in rules if content[0] < i < content[-1]]
    rows: list[list[str]] = []
    for i in content:
        cells = _cells(block[i], drawn[i], borders)
        if rows and _goes_on(i, cells, rules, inner):
            rows[-1] = [" ".join(filter(None, pair)) for pair in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
    lines = [" ".join(" | ".join(cells).split()) for cells in rows if any(cells)]
    return lines if _letters(lines) == _letters([block[i] for i in content]) else []


def _letters(lines: Sequence[str]) -> Counter[str]:
    """Return how often each letter and figure stands in lines."""
    return Counter(sign for line in lines for sign in line if sign.isalnum())


def _goes_on(line: int, cells: Sequence[str], rules: Sequence[int], inner: Sequence[int]) -> bool:
    """Return whether a line belongs to the row of the line before.

    Rules between rows say where a row ends. With one rule, which is below the header, each line is a row unless its
    first cell is empty.
    """
    if line - 1 in rules:
        return False
    return len(inner) > 1 or (bool(inner) and line < inner[0]) or not cells[0]


def _cells(line: str, drawn: str, borders: Sequence[int]) -> list[str]:
    """Return the cells of a line; one that covers several columns is in the first."""
    cells: list[str] = []
    start, covered = borders[0] + 1, 0
    for border in borders[1:]:
        if border < len(drawn) and drawn[border] in "|+":
            cells += [line[start:border].strip(), *[""] * covered]
            start, covered = border + 1, 0
        else:
            covered += 1
    return [*cells, line[start : borders[-1]].strip(), *[""] * (covered - 1)] if covered else cells
