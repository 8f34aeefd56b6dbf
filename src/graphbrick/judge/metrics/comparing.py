"""Two systems of a study compared answer by answer; verdicts are kept at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import InputError
from graphbrick.judge.kept_lines import KeptLines, digest, kept_or_asked
from graphbrick.judge.metrics.cases import SystemCase
from graphbrick.judge.metrics.pairs import (
    FIRST,
    SECOND,
    Pair,
    PairJudge,
    PairSummary,
    PairVerdict,
    summarize_pairs,
)
from graphbrick.judge.metrics.steps import reference_of
from graphbrick.models.llm.conversations import Usage
from graphbrick.models.llm.naming import name_of
from graphbrick.study.store.encoding import plain_json


class QuestionPair(NamedTuple):
    """The answers of two systems to one question.

    Attributes:
        id: Of the question.
        pair: The answers.
    """

    id: str
    pair: Pair


def two_systems(cases: Sequence[SystemCase], first: str, second: str) -> tuple[str, str]:
    """Return the names of two systems.

    Args:
        cases: The cases of all systems.
        first: Name of a system, or its number in the order of first appearance, from 1.
        second: The same of the other.

    Raises:
        InputError: There is no such system, or both are the same.
    """
    systems = list(dict.fromkeys(one.system for one in cases))
    one, two = (_system(name, systems) for name in (first, second))
    if one == two:
        raise InputError(
            f"a system cannot be compared with itself, got {first!r} and {second!r}",
            code="comparing.same_system",
            system=one,
        )
    return one, two


def pairs_of(cases: Sequence[SystemCase], one: str, two: str) -> list[QuestionPair]:
    """Return the answers of two systems to the questions that both have, in the order of the first.

    Args:
        cases: The cases of all systems.
        one: Name of a system.
        two: Name of the other.

    Raises:
        InputError: They share no question.
    """
    others = {other.id: other.case for other in cases if other.system == two}
    pairs = [
        QuestionPair(
            this.id,
            Pair(this.case.question, this.case.answer, others[this.id].answer, reference_of(this.case)),
        )
        for this in cases
        if this.system == one and this.id in others
    ]
    if not pairs:
        raise InputError(f"{one!r} and {two!r} have no question in common", code="comparing.no_common_question")
    return pairs


@dataclass
class PairStudy:
    """Two systems compared.

    Attributes:
        judge: The judge.
        systems: Their names.
        pairs: Their answers.
        verdicts: The verdict on each pair.
        usage: What the model was asked now; what was kept costs nothing.
    """

    judge: PairJudge
    systems: tuple[str, str]
    pairs: Sequence[QuestionPair]
    verdicts: list[PairVerdict]
    usage: Usage

    def summary(self) -> PairSummary:
        """Return shares with intervals."""
        return summarize_pairs(self.verdicts)

    def to_dict(self) -> dict[str, Any]:
        """Return shares and verdicts as plain JSON types."""
        verdicts = [{"id": one.id} | plain_json(said) for one, said in zip(self.pairs, self.verdicts, strict=True)]
        return {
            "judge": name_of(self.judge.llm),
            "first": self.systems[0],
            "second": self.systems[1],
            "summary": plain_json(self.summary()),
            "usage": self.usage.to_dict(),
            "verdicts": verdicts,
        }


def compare_pairs(
    pairs: Sequence[QuestionPair],
    judge: PairJudge,
    file: Path,
    *,
    systems: tuple[str, str] = (FIRST, SECOND),
    retry: bool = False,
    progress: Progress = silent,
) -> PairStudy:
    """Judge pairs of answers and keep each verdict in a file, so that the same call goes on after a kill.

    Args:
        pairs: The pairs.
        judge: The judge.
        file: Where verdicts are kept (`KeptLines`).
        systems: The names of the systems, for the reader.
        retry: Ask again about pairs that could not be read, even if replies are recorded.
        progress: Called with the number of different pairs that are done, and of all.

    Errors are those of `measure_cases`.
    """
    store, usage = KeptLines(file), Usage()
    keys = {pair: (judge.identity, digest(astuple(pair))) for _, pair in pairs}
    values = kept_or_asked(store, keys, judge.compare, usage, what="pairs", retry=retry, progress=progress)
    verdicts = [
        PairVerdict(outcome, reason, tuple(places)) for outcome, reason, places in (values[one.pair] for one in pairs)
    ]
    return PairStudy(judge, systems, pairs, verdicts, usage)


def _system(name: str, systems: Sequence[str]) -> str:
    if name in systems:
        return name
    if name.isdecimal() and 1 <= int(name) <= len(systems):
        return systems[int(name) - 1]
    known = ", ".join(f"{number} {system!r}" for number, system in enumerate(systems, 1))
    raise InputError(
        f"there is no system {name!r}; there are {known}",
        code="comparing.unknown_system",
        name=name,
        systems=list(systems),
    )
