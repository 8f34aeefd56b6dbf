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
        """Return the group of this question; empty if unknown.

        Args:
            by: ``hops``, ``hop_group`` (1, 2 or multi), ``complexity`` (a fact, else simple for one hop and complex for
                more), ``dataset``, or one of its facts.

        >>> Question("1", "?", hops=2, facts={"pattern": "a_to_b"}).group("hops")
        '2'
        """
        if by == "hops":
            return "" if self.hops is None else str(self.hops)
        return self.dataset if by == "dataset" else fact_or_group(self.facts, self.hops, by)


def fact_or_group(facts: Mapping[str, str], hops: int | None, by: str) -> str:
    """Return a fact of a question; if it lacks ``hop_group`` or ``complexity``, the one that follows from its hops.

    >>> [fact_or_group({}, hops, "hop_group") for hops in (1, 2, 3, 4, None)]
    ['1', '2', 'multi', 'multi', '']
    >>> fact_or_group({}, 1, "complexity"), fact_or_group({"complexity": "complex"}, 1, "complexity")
    ('simple', 'complex')
    """
    if by in facts or hops is None:
        return facts.get(by, "")
    if by == "hop_group":
        return str(hops) if hops < 3 else "multi"
    if by == "complexity":
        return "simple" if hops <= 1 else "complex"
    return ""


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
    known = ["hops", "hop_group", "complexity", "dataset", *sorted(facts - {"hop_group", "complexity"})]
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
