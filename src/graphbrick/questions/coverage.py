"""Coverage of questions by a graph, as counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Coverage:
    """Counts of questions with seeds and answers in a graph, and of their distances.

    Each of the three counts adds up to all questions.

    Attributes:
        questions: Number of questions.
        seeds: Number of questions with ``all``, ``some`` or ``none`` of their seeds in the graph, and with seeds
            ``not given``.
        answers: Number of questions with ``all``, ``some`` or ``none`` of their answers in the graph, and
            ``without gold``.
        distance: Number of questions by hops from a seed to the nearest answer (``"0"``, ``"1"``, ...). Questions
            without a distance count as ``further`` than ``max_hops`` (or not connected), or as ``no seed`` or
            ``no answer`` in the graph.
        unclear_seeds: Questions with a seed given by a label that several entities share; the entity with the most
            triples was used.
        unclear_answers: Questions with an answer given by such a label; each of these entities counts as the answer.
        max_hops: The greatest distance that was searched.
    """

    questions: int
    seeds: dict[str, int] = field(hash=False)
    answers: dict[str, int] = field(hash=False)
    distance: dict[str, int] = field(hash=False)
    unclear_seeds: int
    unclear_answers: int
    max_hops: int

    @property
    def answerable(self) -> int:
        """Questions with at least one answer in the graph."""
        return self.answers.get("all", 0) + self.answers.get("some", 0)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain JSON types."""
        return {
            "questions": self.questions,
            "answerable": self.answerable,
            "seeds": dict(self.seeds),
            "answers": dict(self.answers),
            "distance": dict(self.distance),
            "unclear_seeds": self.unclear_seeds,
            "unclear_answers": self.unclear_answers,
            "max_hops": self.max_hops,
        }

    def __str__(self) -> str:
        lines = [f"{self.questions:,} questions"]
        lines += _line("seeds", self.seeds, {"all": "all found", "some": "some found", "none": "none found"})
        lines += _line(
            "answers", self.answers, {"all": "all in the graph", "some": "some in the graph", "none": "none"}
        )
        far = {"further": f"further than {self.max_hops} hops", "1": "of 1 hop"}
        lines += _line("distance", self.distance, {**{name: f"of {name} hops" for name in self.distance
                                                      if name.isdecimal()}, **far})  # fmt: skip
        if self.unclear_seeds or self.unclear_answers:
            lines.append(f"unclear    {self.unclear_seeds:,} by a seed, {self.unclear_answers:,} by an answer "
                         "whose label several entities have")  # fmt: skip
        return "\n".join(lines)


def _line(title: str, counts: dict[str, int], words: dict[str, str]) -> list[str]:
    told = ", ".join(f"{count:,} {words.get(name, name)}" for name, count in counts.items() if count)
    return [f"{title:<11}{told}"] if told else []


Facts = tuple[tuple[int, int, int], tuple[int, int, bool], int | None]
"""Facts of one question: (seeds, missing, unclear), (answers, missing, whether one is unclear), distance."""


def coverage(questions: Iterable[Facts], max_hops: int) -> Coverage:
    """Return the coverage counts of the questions."""
    every = list(questions)
    seeds = Counter(_part(given, missing, "not given") for (given, missing, _), _, _ in every)
    answers = Counter(_part(given, missing, "without gold") for _, (given, missing, _), _ in every)
    distance = Counter(_far(*facts) for facts in every)
    hops = [str(hop) for hop in range(max_hops + 1)]
    return Coverage(
        questions=len(every),
        seeds={name: seeds[name] for name in ("all", "some", "none", "not given")},
        answers={name: answers[name] for name in ("all", "some", "none", "without gold")},
        distance={name: distance[name] for name in (*hops, "further", "no seed", "no answer")},
        unclear_seeds=sum(unclear > 0 for (_, _, unclear), _, _ in every),
        unclear_answers=sum(unclear for _, (_, _, unclear), _ in every),
        max_hops=max_hops,
    )


def _part(present: int, missing: int, nothing: str) -> str:
    if not present:
        return nothing
    return "all" if not missing else "some" if missing < present else "none"


def _far(seeds: tuple[int, int, int], answers: tuple[int, int, bool], distance: int | None) -> str:
    """Return the distance group of a question; "no answer" takes precedence over "no seed"."""
    if distance is not None:
        return str(distance)
    if answers[0] == answers[1]:
        return "no answer"
    return "no seed" if seeds[0] == seeds[1] else "further"
