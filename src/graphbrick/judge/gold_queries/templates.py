"""Kinds of questions: the wording of each, and the pattern that its gold query has.

The kinds follow Feng et al., CypherBench (ACL 2025): basic, two steps, intersection, count, superlative, sorting,
comparison, negation, optional.
"""

from __future__ import annotations

from typing import NamedTuple


class Template(NamedTuple):
    """A kind of question.

    A first relation leads from the variable ``x`` to ``y``. A second one, in some kinds, leads to ``z``.

    Attributes:
        wording: The question. ``{head}``, ``{relation}`` and ``{tail}`` are the words of the first relation, ``{last}``
            and ``{end}`` those of the second relation and its tail, ``{x}``, ``{y}`` and ``{z}`` names, ``{number}``
            a property with numbers, ``{value}`` one of them, ``{way}`` one of ``ways``.
        answer: The variable whose names are the answer.
        named: The variables whose names the question gives.
        second: The variable that the second relation leaves; empty for none.
        second_is: "without" if the second relation must not be there, "optional", or empty if it must be there.
        ways: Two words: for descending and ascending order, or for above and below a number.
        order: By which the rows are ordered: "number" for a property of ``x``, "count" for how many ``y`` there are.
        first: Rows that are returned if they are ordered.
        is_count: Whether the answer is the number of ``x``.
    """

    wording: str
    answer: str = "x"
    named: str = "y"
    second: str = ""
    second_is: str = ""
    ways: tuple[str, str] = ("", "")
    order: str = ""
    first: int = 1
    is_count: bool = False

    @property
    def complexity(self) -> str:
        """Return "simple" for one relation from a named node, else "complex"."""
        is_simple = not (self.second or self.order or self.is_count or self.has_number)
        return "simple" if is_simple else "complex"

    @property
    def has_number(self) -> bool:
        """Return whether a property with numbers is needed."""
        return "{number}" in self.wording


TEMPLATES = {
    "basic": Template("Which {tail} does the {head} «{x}» have as {relation}?", answer="y", named="x"),
    "inverse": Template("Which {head} has the {tail} «{y}» as {relation}?"),
    "two steps": Template(
        "Which {end} does the {tail} have as {last} that the {head} «{x}» has as {relation}?",
        answer="z", named="x", second="y",
    ),
    "intersection": Template(
        "Which {head} has both the {tail} «{y}» as {relation} and the {end} «{z}» as {last}?", named="yz", second="x"
    ),
    "count": Template("How many nodes of the class {head} have the {tail} «{y}» as {relation}?", is_count=True),
    "superlative": Template(
        "Which {head} that has the {tail} «{y}» as {relation} has the {way} {number}?",
        ways=("highest", "lowest"), order="number",
    ),
    "top three": Template(
        "Which three nodes of the class {head} that have the {tail} «{y}» as {relation} have the {way} {number}, in "
        "this order?",
        ways=("highest", "lowest"), order="number", first=3,
    ),
    "most": Template(
        "Which {head} has the most nodes of the class {tail} as {relation}?", named="", order="count"
    ),
    "comparison": Template(
        "Which {head} that has the {tail} «{y}» as {relation} has a value of {number} {way} {value}?",
        ways=("above", "below"),
    ),
    "negation": Template(
        "Which {head} has the {tail} «{y}» as {relation}, but no {end} as {last}?", second="x", second_is="without"
    ),
    "optional": Template(
        "Which {head} has the {tail} «{y}» as {relation}, and which {end} does each have as {last}, if any?",
        second="x", second_is="optional",
    ),
}  # fmt: skip
"""The kinds of questions by name."""
