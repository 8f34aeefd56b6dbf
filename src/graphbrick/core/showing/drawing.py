"""Drawings of paths for notebooks: SVG that stands in the page, without scripts, styles or addresses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from unicodedata import combining, east_asian_width

from graphbrick.core.showing.markup import escaped

_LONGEST = 36  # characters of a label that are drawn; all are shown by the pointer
# Pixels of letters at 13 pixels, by what they look like; Chinese, Japanese and Korean ones are square.
_LETTER, _NARROW, _BROAD, _CAPITAL, _SQUARE = 8.0, 4.8, 12.0, 9.4, 13.0
_BOLD = 1.1  # how much wider bold letters are
_NARROW_LETTERS, _BROAD_LETTERS = frozenset("iljtfrI.,:;'|!()[] "), frozenset("mwMW@%")
_SMALL = 11 / 13  # the size of names of relations, by that of names of entities
_HEIGHT, _PADDING, _SHORTEST = 26, 10, 46  # pixels: of a box, inside it, and of an arrow
_RIGHT = "#2e8b57"  # green that is read on white and on black

_FONT = 'font-family="system-ui, sans-serif"'


class Drawn(NamedTuple):
    """A path to draw.

    Attributes:
        nodes: Labels of the entities, one more than there are relations.
        relations: Labels of the relations.
        forward: For each relation, whether it is followed from head to tail.
    """

    nodes: Sequence[str]
    relations: Sequence[str]
    forward: Sequence[bool]

    @property
    def text(self) -> str:
        """The path in words, for readers of screens."""
        parts = [self.nodes[0]]
        for relation, node, forward in zip(self.relations, self.nodes[1:], self.forward, strict=True):
            arrow = "->" if forward else "<-"
            parts.append(f"{arrow} {relation} {arrow} {node}")
        return " ".join(parts)


def path_svg(path: Drawn) -> str:
    """Return the drawing of a path: a box for each entity, an arrow with its name for each relation.

    Text and lines have the colour of the text around them; the last entity, which is the answer, is green. All labels
    are escaped.

    >>> drawing = path_svg(Drawn(["Kenya", "<b>Nairobi</b>"], ["capital"], [True]))
    >>> "<b>" in drawing, drawing.count("<rect"), drawing.count("<path")
    (False, 2, 1)
    """
    parts: list[str] = []
    x = 1.0
    for place, node in enumerate(path.nodes):
        is_end = place == len(path.nodes) - 1
        width = _width(_cut(node)) * (_BOLD if is_end else 1.0) + 2 * _PADDING
        parts.append(_box(x, width, node, is_end=is_end))
        x += width
        if not is_end:
            relation = path.relations[place]
            length = max(_SHORTEST, _SMALL * _width(_cut(relation)) + 24)
            parts.append(_arrow(x, length, relation, forward=path.forward[place]))
            x += length
    size = f'width="{x + 1:.0f}" height="{_HEIGHT + 2}" viewBox="0 0 {x + 1:.0f} {_HEIGHT + 2}"'
    return f'<svg role="img" aria-label="{escaped(path.text)}" {size} {_FONT}>{"".join(parts)}</svg>'


def _box(x: float, width: float, label: str, *, is_end: bool) -> str:
    colour, weight = (_RIGHT, "600") if is_end else ("currentColor", "400")
    box = (
        f'<rect x="{x:.1f}" y="1" width="{width:.1f}" height="{_HEIGHT}" rx="6" fill="{colour}" fill-opacity="0.08" '
        f'stroke="{colour}" stroke-opacity="0.7"/>'
    )
    return f"<g><title>{escaped(label)}</title>{box}{_words(x + width / 2, 18.5, 13, label, colour, weight)}</g>"


def _arrow(x: float, length: float, label: str, *, forward: bool) -> str:
    start, end, middle = x + 4, x + length - 4, 1 + _HEIGHT / 2 + 5
    tip, back = (end, end - 6) if forward else (start, start + 6)
    line = f"M{start:.1f} {middle}H{end:.1f}M{back:.1f} {middle - 4}L{tip:.1f} {middle}L{back:.1f} {middle + 4}"
    drawn = f'<path d="{line}" fill="none" stroke="currentColor" stroke-opacity="0.6"/>'
    return (
        f"<g><title>{escaped(label)}</title>{drawn}{_words(x + length / 2, 13, 11, label, 'currentColor', '400')}</g>"
    )


def _words(x: float, y: float, size: int, label: str, colour: str, weight: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y}" font-size="{size}" font-weight="{weight}" text-anchor="middle" fill="{colour}">'
        f"{escaped(_cut(label))}</text>"
    )


def _cut(label: str) -> str:
    line = " ".join(label.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _width(label: str) -> float:
    """Return about how many pixels a label takes."""
    return sum(_width_of(letter) for letter in label if not combining(letter))


def _width_of(letter: str) -> float:
    if east_asian_width(letter) in "WF":
        return _SQUARE
    if letter in _NARROW_LETTERS:
        return _NARROW
    return _BROAD if letter in _BROAD_LETTERS else _CAPITAL if letter.isupper() else _LETTER
