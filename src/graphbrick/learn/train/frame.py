"""The frame of all trainings: options, counts, held-out questions, provenance and reports."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any, Generic, TypedDict, TypeVar

import numpy as np

from graphbrick.bricks.link.labels import LinkLabels
from graphbrick.core import Query, __version__
from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import InputError, LinkError, ModelError
from graphbrick.core.files.digests import sha256
from graphbrick.graphs.graph import Graph
from graphbrick.questions.grounding import Grounded, GroundedQuestion, ground
from graphbrick.questions.question import Question

_LEAST_QUESTIONS, _LEAST_WORDINGS = 30, 10  # needed to hold some out
_APART = 0.1  # share of the wordings that is held out
_PLACES = ("device", "overwrite", "progress")  # options that do not change what is learned
_LAST = ("untrained", "trained", "seconds")
Q = TypeVar("Q")
T = TypeVar("T")


class TrainOptions(TypedDict, total=False):
    """Options of every training.

    Attributes:
        seed: Seed of everything that is drawn at random; 0 by default.
        overwrite: Replace a trained model of this kind that is there.
        progress: Called with (name of the step, number done, total).
    """

    seed: int
    overwrite: bool
    progress: Progress | None


class TorchOptions(TrainOptions, total=False):
    """Options of every training with torch; see `graphbrick.learn.train.epochs.Course` for their ranges.

    Attributes:
        epochs: Epochs at most.
        batch_size: Examples a step.
        learning_rate: The highest learning rate.
        warm_up: Share of the steps in which the learning rate rises; then it falls to nothing.
        patience: Epochs without a better model on held-out examples after which training ends.
        device: Such as "cpu" or "cuda:0"; by default a CUDA GPU if there is one, otherwise the CPU.
    """

    epochs: int
    batch_size: int
    learning_rate: float
    warm_up: float
    patience: int
    device: str | None


class Training:
    """One training: where its model goes, and how long it takes.

    Args:
        caller: The function that was called, for errors.
        out: Where the model goes.
        options: Its options.
        known: The options that there are.

    Attributes:
        place: The place of the model, without ``~``.
        seed: Seed of everything that is drawn at random.
        overwrite: Whether a model that is there may be replaced.
        progress: Told the step, the number done and the total.

    Raises:
        TypeError: There is no such option.
    """

    def __init__(
        self, caller: str, out: str | PathLike[str], options: Mapping[str, Any], known: type = TrainOptions
    ) -> None:
        unknown = [name for name in options if name not in known.__annotations__]
        if unknown:
            raise TypeError(f"{caller}() got an unexpected keyword argument {unknown[0]!r}")
        self._started = time.perf_counter()
        self.caller, self.options, self.place = caller, options, Path(out).expanduser()
        self.seed: int = options.get("seed", 0)
        self.overwrite: bool = options.get("overwrite", False)
        self.progress: Progress = options.get("progress") or silent

    def parameters(self, *others: str) -> dict[str, Any]:
        """Return the options that are parameters of the training, without the options named."""
        return {name: value for name, value in self.options.items() if name not in (*_PLACES, *others)}

    @property
    def seconds(self) -> float:
        """Duration so far."""
        return time.perf_counter() - self._started

    def check(self, **others: tuple[int, int, int, int]) -> None:
        """Raise InputError unless the seed and other whole numbers are in range; see `check_whole_numbers`."""
        check_whole_numbers(self.caller, seed=self.seed, **others)


@dataclass(frozen=True, slots=True)
class Report(ABC):
    """Base class of the reports of trainings; their fields are the figures."""

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON types."""
        return asdict(self)

    @abstractmethod
    def lines(self) -> list[str]:
        """Return the sentences for the user."""

    def __str__(self) -> str:
        return "\n".join(self.lines())


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingReport(Report, Generic[Q]):
    """Base class of the reports of trainings that hold out a part of the questions.

    Attributes:
        untrained: Quality on held-out examples before training; None without held-out examples, or if nothing can be
            said before training.
        trained: The same after training on the others.
        seconds: Duration.
    """

    untrained: Q | None = None
    trained: Q | None = None
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON types: its own figures first."""
        told = asdict(self)
        return told | {name: told.pop(name) for name in _LAST}

    def without_time(self) -> dict[str, Any]:
        """Return the report as plain JSON types, the same for two equal trainings."""
        return {name: value for name, value in self.to_dict().items() if name != "seconds"}

    def change(self, measure: str, form: str = ".3f") -> str:
        """Return a measure of quality before and after training as text; only after if no before."""
        known = [one for one in (self.untrained, self.trained) if one is not None]
        return " -> ".join(format(getattr(one, measure), form) for one in known)


@dataclass(slots=True)
class Counts:
    """Counts of the questions read, and of those that give no example.

    Attributes:
        questions: How many questions there were.
        unseeded: How many have no seed in the graph.
        unanswered: How many have no answer in the graph.
        unreached: How many have an answer that nothing leads to.
        cut: How many have more around their seeds than was looked at.
    """

    questions: int = 0
    unseeded: int = 0
    unanswered: int = 0
    unreached: int = 0
    cut: int = 0

    def gold(self, question: GroundedQuestion) -> list[int]:
        """Return the answers of a question, ascending; none if it lacks seeds or answers, which is counted."""
        gold = sorted(set(question.answers))
        self.unseeded += not question.seeds
        self.unanswered += bool(question.seeds) and not gold
        return gold if question.seeds else []

    def lost(self) -> dict[str, int]:
        """Return the number of questions, and of those that give no example, by name."""
        return {name: getattr(self, name) for name in ("questions", "unseeded", "unanswered", "unreached")}


def check_whole_numbers(caller: str, *, seed: int, **others: tuple[int, int, int, int]) -> None:
    """Raise InputError, in the name of the function that was called, unless whole numbers are in range.

    Args:
        caller: The function.
        seed: Seed of random numbers, from 0.
        **others: Value, lowest, highest and a value to try of other parameters, by name.
    """
    for name, (value, least, most, advice) in {**others, "seed": (seed, 0, 2**31 - 1, 0)}.items():
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise InputError(
                f"{caller} {name} must be a whole number from {least} to {most:,}, got {value!r}; try {advice}",
                code="train.bad_whole_number",
                name=name,
            )


def require_packages(what: str, packages: Sequence[str]) -> None:
    """Raise ModelError unless all packages are installed that a thing, the subject of the message, needs."""
    for package in packages:
        if find_spec(package) is None:
            raise ModelError(
                f"{what} needs the package {package}: pip install 'graphbrick[train]'",
                code="train.no_package",
                package=package,
            )


def linked_questions(graph: Graph, questions: Sequence[Question] | Grounded, max_hops: int) -> list[GroundedQuestion]:
    """Return questions with seeds and answers in the graph; missing seeds are linked by labels."""
    grounded = questions if isinstance(questions, Grounded) else ground(graph, questions, max_hops=max_hops)
    return [_linked(graph, question) for question in grounded.questions]


def _linked(graph: Graph, question: GroundedQuestion) -> GroundedQuestion:
    """Return the question with linked seeds if the file names none; unchanged if linking finds none."""
    if question.question.seeds:
        return question
    try:
        return replace(question, seeds=LinkLabels().link(graph, Query(question.question.text)).seeds)
    except LinkError:
        return question


def held_out(
    examples: Sequence[T], wording: Callable[[T], Hashable], seed: int, share: float = _APART
) -> tuple[list[T], list[T]]:
    """Split examples into learned and held-out ones: a share of the wordings, or none if few.

    Few are less than 30 examples, or 10 wordings. Examples of one wording are never on both sides.
    """
    wordings: list[Any] = [wording(example) for example in examples]
    distinct = sorted(set(wordings))
    if len(wordings) < _LEAST_QUESTIONS or len(distinct) < _LEAST_WORDINGS:
        return list(examples), []
    drawn = np.random.default_rng([seed, 1]).permutation(len(distinct))
    apart = {distinct[i] for i in drawn[: round(share * len(distinct))]}
    sides: tuple[list[T], list[T]] = [], []
    for example, its_wording in zip(examples, wordings, strict=True):
        sides[its_wording in apart].append(example)
    return sides


def provenance(
    graph: Graph,
    base: str,
    weights: Sequence[Path],
    packages: Sequence[str],
    parameters: Mapping[str, Any],
    report: TrainingReport[Any],
    **more: Any,
) -> dict[str, Any]:
    """Return the content of ``training.json``; it is the same for two equal trainings.

    ``weights`` are the files of the base, and ``packages`` those whose versions matter.
    """
    from importlib.metadata import version

    return {
        "made_by": f"graphbrick {__version__}",
        "packages": {name: version(name) for name in packages},
        "graph": graph.hash,
        "base": base,
        "base_sha256": [sha256(file) for file in weights],
        **more,
        "parameters": parameters,
        "report": report.without_time(),
    }
