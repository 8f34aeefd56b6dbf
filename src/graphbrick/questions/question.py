"""A question with its gold answers, as read from a file."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from graphbrick.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a data set; `ground` finds its seeds and answers in a graph.

    Attributes:
        id: Identifier, unique in its file.
        text: The question.
        seeds: Keys or labels of the entities where the search starts, distinct; empty to let a linker find them.
        answers: Keys or labels of the gold answers, distinct; empty if the file does not publish them.
        answer_names: For each answer, its name and then its aliases; empty if the file has no names.
        hops: Number of hops stated in the file; None if it does not state one.
        dataset: Name of the data set, for tables.
        facts: Other fields of the file, such as the relation pattern; not part of the hash.

    Example:
        >>> question = Question("1", "Which currency is used in Kenya?", ("m.019rg5",), ("m.01x_7k",),
        ...                     answer_names=(("Kenyan shilling", "KES"),))
        >>> question.names
        (('Kenyan shilling', 'KES'),)
    """

    id: str
    text: str
    seeds: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    answer_names: tuple[tuple[str, ...], ...] = ()
    hops: int | None = None
    dataset: str = ""
    facts: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if self.answer_names and len(self.answer_names) != len(self.answers):
            raise ValueError(
                f"question {self.id} has {len(self.answers)} answers and names for {len(self.answer_names)}; give one "
                "entry of names for each answer, or none at all"
            )

    @property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """Names of each answer; the answer itself if the file gives no name."""
        alternatives = self.answer_names or ((),) * len(self.answers)
        return tuple(names or (answer,) for names, answer in zip(alternatives, self.answers, strict=True))

    def group(self, by: str) -> str:
        """Return the group of this question by ``hops``, ``dataset`` or one of its facts; empty if unknown.

        >>> Question("1", "?", hops=2, facts={"pattern": "a_to_b"}).group("hops")
        '2'
        """
        if by == "hops":
            return "" if self.hops is None else str(self.hops)
        return self.dataset if by == "dataset" else self.facts.get(by, "")


def grouped(questions: Iterable[Question], by: str) -> dict[str, list[Question]]:
    """Group the questions (see `Question.group`); groups are in natural order.

    Raises:
        InputError: No question has such a fact.
    """
    groups: dict[str, list[Question]] = {}
    facts: set[str] = set()
    for question in questions:
        groups.setdefault(question.group(by), []).append(question)
        facts.update(question.facts)
    known = ["hops", "dataset", *sorted(facts)]
    if by not in known and groups:
        near = difflib.get_close_matches(by, known, n=1) or known[:1]
        raise InputError(
            f"questions cannot be told apart by {by!r}; there is {', '.join(known)}; try {near[0]!r}",
            code="questions.no_group",
            group=by,
            example=near[0],
        )
    return {name: groups[name] for name in sorted(groups, key=natural_order)}


def natural_order(name: str) -> tuple[int, int, str]:
    """Return a sort key: numbers by value, then texts, then unknown."""
    if name.isdecimal():
        return 0, int(name), name
    return (1, 0, name) if name else (2, 0, name)
