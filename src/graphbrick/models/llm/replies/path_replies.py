"""Reading the relation paths that a language model proposes, and writing those that it should propose."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from graphbrick.language.folding import fold
from graphbrick.models.llm.replies.json_replies import only_list
from graphbrick.models.llm.replies.replies import (
    BETWEEN,
    BULLET,
    MARKDOWN,
    NUMBER,
    one_line,
    opened,
    plain,
    without_remark,
)

_ARROW = re.compile(r" ?(<-|->|→|←|<SEP>|>) ?")
_ARROWS = {"→": "->", "←": "<-", "<SEP>": ">"}
_TAG = re.compile(r"</?PATH>")
_LABEL = re.compile(r"^(?:[a-z]+ ){0,3}(?:path|plan|answer)s?\s*[0-9]{0,3}\s*:\s*", re.IGNORECASE)
_PLACE = re.compile(r"^\(?[0-9]{1,2}[.)]\s+(?=\S)")  # "2. 3 > 7" is the second path, not one that starts with 2


class Step(NamedTuple):
    """One relation of a proposed path.

    Attributes:
        number: Its number in the list of relations; None if the reply gives its name.
        name: Its name; empty if the reply gives its number.
        forward: Whether it is followed from head to tail; None if the reply does not say.
    """

    number: int | None
    name: str
    forward: bool | None = None


def read_paths(reply: str) -> list[tuple[str, tuple[Step, ...]]]:
    """Return the relation paths that a reply proposes, one a line, each with its line.

    A path consists of numbers (``3 > 7``) or of names, with ``->`` or ``<-`` before each (``<- capital -> currency``)
    or without marks (``capital > currency``, ``<PATH>capital<SEP>currency</PATH>``). A line with
    both has no steps. Paths may also be a list in JSON, by itself or in an object. Names are not checked: a line of
    prose is one step of that name.

    >>> read_paths("3 > 7")
    [('3 > 7', (Step(number=3, name='', forward=None), Step(number=7, name='', forward=None)))]
    >>> [step.forward for step in read_paths("<- capital -> currency")[0][1]]
    [False, True]
    """
    text, value = opened(reply)
    listed = only_list(value)
    if listed is not None:
        several = any(isinstance(item, list) or (isinstance(item, str) and _ARROW.search(item)) for item in listed)
        paths = listed if several else [listed]
        lines = [" > ".join(map(str, path)) if isinstance(path, list) else str(path) for path in paths]
    else:
        lines = MARKDOWN.sub("", _TAG.sub("\n", text)).splitlines()
    written = [one_line(line) for line in lines if line.strip() and fold(line) != "none"]
    return [(line, _steps(line)) for line in written]


def write_paths(paths: Sequence[Sequence[int]], *, structured: bool) -> str:
    """Return relation paths as a prompt asks for them, by the numbers of relations: in JSON or in lines.

    >>> write_paths([[3, 7], [2]], structured=True), write_paths([[3, 7], [2]], structured=False)
    ('{"paths": [[3, 7], [2]]}', '3 > 7\\n2')
    """
    if structured:
        return json.dumps({"paths": [list(path) for path in paths]})
    return "\n".join(" > ".join(map(str, path)) for path in paths) or "NONE"


def _steps(line: str) -> tuple[Step, ...]:
    bare = _LABEL.sub("", without_remark(BULLET.sub("", line)))
    bare = _PLACE.sub("", bare).strip(" []")
    pieces = _ARROW.split(bare)
    if len(pieces) == 1:
        numbers = [NUMBER.fullmatch(piece) for piece in BETWEEN.split(bare)]
        if all(numbers):
            return tuple(Step(int(number.group(1)), "") for number in numbers if number)
    steps, arrows = list[Step](), list[str]()
    for i, piece in enumerate(pieces):
        if i % 2:
            arrows.append(_ARROWS.get(piece, piece))
        elif piece:
            number = NUMBER.fullmatch(piece)
            forward = _direction(arrows, marked=not pieces[0])
            steps.append(Step(int(number.group(1)), "") if number else Step(None, plain(piece), forward))
            arrows = []
    mixed = len({step.number is None for step in steps}) > 1
    return () if mixed or arrows else tuple(steps)


def _direction(arrows: list[str], *, marked: bool) -> bool | None:
    """Return the direction of an arrow; in a path that begins with a name, a single ``->`` has none."""
    if "<-" in arrows:
        return False
    return True if "->" in arrows and (marked or len(arrows) > 1) else None
