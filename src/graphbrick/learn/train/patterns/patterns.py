"""Training `PatternScorer` on questions with answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from graphbrick.bricks.link.labels import LinkLabels
from graphbrick.core import Query
from graphbrick.core.compute import Progress, part_of, silent
from graphbrick.core.errors import InputError, LinkError
from graphbrick.graphs.graph import Graph
from graphbrick.learn.train.patterns.pattern_course import Course
from graphbrick.learn.train.patterns.pattern_ends import collect_ends, fit_ends, is_needed
from graphbrick.learn.train.patterns.pattern_examples import Example, Examples, collect
from graphbrick.learn.train.patterns.pattern_fit import Floats, Quality
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.embedders.minilm import MiniLM
from graphbrick.patterns.model.end_model import EndModel
from graphbrick.patterns.model.folder import check_place, save
from graphbrick.patterns.model.model import PatternModel
from graphbrick.patterns.model.question_features import many_features
from graphbrick.patterns.text import canonical
from graphbrick.questions.grounding import Grounded, GroundedQuestion, ground
from graphbrick.questions.question import Question

T = TypeVar("T", int, str)

MOST = 2_000  # patterns a seed
ROUNDS = 30  # at most; fewer where held-out questions say so
_LEAST_QUESTIONS, _LEAST_WORDINGS = 30, 10  # needed to hold some out
_APART = 0.1  # share of the wordings that is held out to say when to stop
_AT_ONCE = 64  # questions embedded


@dataclass(frozen=True, slots=True)
class PatternReport:
    """Result of a training.

    Attributes:
        questions: Number of questions given.
        learned: Questions used for training: those with a pattern that leads to an answer.
        unseeded: Questions without a seed in the graph.
        unanswered: Questions without an answer in the graph.
        unreached: Questions with no pattern that leads to an answer.
        cut: Questions with more patterns around their seeds than were examined.
        patterns: Number of distinct patterns found.
        rounds: Rounds of training.
        untrained: Quality of the best-scored pattern before training, on the held-out questions; None if there were
            too few questions to hold some out.
        trained: The same after training on the others.
        seconds: Duration.
    """

    questions: int
    learned: int
    unseeded: int
    unanswered: int
    unreached: int
    cut: int
    patterns: int
    rounds: int
    untrained: Quality | None
    trained: Quality | None
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON types."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [
            f"{self.questions:,} questions, of which {self.learned:,} were learned from",
            f"  {self.unseeded:,} have no seed in the graph, {self.unanswered:,} no answer, {self.unreached:,} one "
            "that no pattern leads to",
            f"{self.patterns:,} patterns; around the seeds of {self.cut:,} questions there were more",
            f"{self.rounds} rounds, {self.seconds:.0f} s",
        ]
        if self.untrained is not None and self.trained is not None:
            before, after = self.untrained, self.trained
            lines.append(
                f"of {after.questions:,} questions in wordings kept apart: Hits@1 {before.hits_at_1:.3f} -> "
                f"{after.hits_at_1:.3f}, F1 {before.f1:.3f} -> {after.f1:.3f}"
            )
        return "\n".join(lines)


def train_patterns(
    graph: Graph,
    questions: Sequence[Question] | Grounded,
    out: str | PathLike[str],
    *,
    max_hops: int = 3,
    embedder: Embedder | None = None,
    rounds: int = ROUNDS,
    seed: int = 0,
    overwrite: bool = False,
    watch: Progress = silent,
) -> PatternReport:
    """Learn which relation patterns around the seeds of a question lead to its answers; `PatternScorer` uses it.

    The right patterns come from the graph: among all patterns of at most ``max_hops`` hops around the seeds, those
    whose end entities match the answers, by F1. The others around the same seeds are negatives. A tenth of the
    wordings (questions with the name of the seed masked) is held out at first, to find the number of rounds after
    which the result no longer improves; then the scorer is trained on all questions for as many rounds. With fewer
    than 30 questions, or 10 wordings, nothing is held out, and all rounds are run. If at least 20 questions, and a
    tenth of all, have a best pattern that also ends at wrong entities, `RankEnds` learns from a third of the wordings
    which end is meant. The same seed gives the same weights on the same machine.

    Args:
        graph: The graph.
        questions: Questions with answers, or the result of `ground`; those without seeds are linked by labels.
        out: The folder to write.
        max_hops: The longest pattern, from 1 to 10. Longer patterns are never right in training.
        embedder: Embeds questions and relations; MiniLM() by default.
        rounds: Rounds at most, at least 1; a round is a pass over the questions, or over 6,400 of them.
        seed: Seed of everything that is drawn at random.
        overwrite: Replace existing trained patterns.
        watch: Called with (name of the step, number done, total).

    Returns:
        Counts, and the quality of the best pattern with and without training.

    Raises:
        InputError: There is no question to learn from, or a parameter is out of range.
        ModelError: The folder cannot be written, or the embedder is not installed.

    Example::

        from graphbrick.questions.loading import load
        train_patterns(graph, load("questions.jsonl"), "films.patterns")
        pipeline = Patterns(PatternScorer("films.patterns")) >> PathAnswer()
    """
    check_whole_numbers("train_patterns", max_hops=(max_hops, 1, 10, 3), rounds=(rounds, 1, 10_000, ROUNDS), seed=seed)
    place = Path(out).expanduser()
    check_place(place, overwrite=overwrite)
    embedder = embedder or MiniLM()
    found = examples(graph, questions, max_hops=max_hops, seed=seed, watch=watch)
    model, report = fit_patterns(graph, found, embedder, max_hops=max_hops, rounds=rounds, seed=seed, watch=watch)
    save(model, place, overwrite=overwrite)
    return report


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
                f"{caller} {name} must be a whole number from {least} to {most:,}, got {value!r}; try {advice}"
            )


def examples(
    graph: Graph,
    questions: Sequence[Question] | Grounded,
    *,
    max_hops: int,
    seed: int,
    into: Examples | None = None,
    watch: Progress = silent,
) -> Examples:
    """Return the patterns around the seeds of questions with how right they are; seeds are linked if not named.

    Args:
        graph: The graph.
        questions: The questions.
        max_hops: The longest pattern.
        seed: Seed of everything that is drawn at random.
        into: Examples to add these to.
        watch: Called with (name of the step, number done, total).
    """
    grounded = questions if isinstance(questions, Grounded) else ground(graph, questions, max_hops=max_hops)
    return collect(
        graph, [linked(graph, question) for question in grounded.questions], max_hops=max_hops, most=MOST, seed=seed,
        into=into, watch=part_of(watch, "questions searched"),
    )  # fmt: skip


def fit_patterns(
    graph: Graph,
    found: Examples,
    embedder: Embedder,
    *,
    max_hops: int,
    rounds: int,
    seed: int,
    hold_out: bool = True,
    whole: bool = True,
    symmetric: frozenset[str] = frozenset(),
    watch: Progress = silent,
) -> tuple[PatternModel, PatternReport]:
    """Fit the model to examples.

    Args:
        graph: The graph.
        found: The examples.
        embedder: Embeds questions and relations.
        max_hops: The longest pattern.
        rounds: Rounds at most.
        seed: Seed of everything that is drawn at random.
        hold_out: Find the number of rounds with a tenth of the wordings; else all rounds are run.
        whole: Train the weights of whole patterns; else they stay 0. With few questions a pattern, they learn wordings
            by heart, and patterns without questions lose.
        symmetric: Relations whose two directions mean the same.
        watch: Called with (name of the step, number done, total).

    Raises:
        InputError: No question has a pattern that leads to an answer.
    """
    started = time.perf_counter()
    if not any(example.f1.any() for example in found.all):
        raise InputError(
            f"none of {found.questions:,} questions has a pattern of at most {max_hops} hops from a seed to an answer; "
            "are they questions of this graph?"
        )
    steps = [canonical(pattern, symmetric) for pattern in found.steps(graph)]
    course = Course(
        embedder, _vectors(embedder, list(found.masked), watch), steps, max_hops, seed, whole, watch, symmetric
    )
    learned, held = _split(found.all, seed) if hold_out else (found.all, [])
    before = after = None
    if held:
        rounds, before, after = course.best_rounds(learned, held, rounds)
    model = course.model(found.all, rounds, "rounds of training")  # on the held-out examples too
    for_ends = partial(course.model, rounds=rounds, what="rounds of training for ends")
    ends = _fit_ends(graph, found, for_ends, seed, watch)
    report = PatternReport(
        questions=found.questions,
        learned=sum(bool(example.f1.any()) for example in found.all),
        unseeded=found.unseeded,
        unanswered=found.unanswered,
        unreached=found.unreached,
        cut=found.cut,
        patterns=len(steps),
        rounds=rounds,
        untrained=before,
        trained=after,
        seconds=time.perf_counter() - started,
    )
    return replace(model, about=_about(graph, model.relations, report, seed), ends=ends), report


def _fit_ends(
    graph: Graph, found: Examples, model: Callable[[list[Example]], PatternModel], seed: int, tell: Progress
) -> EndModel | None:
    """Learn to choose among ends from a third of the wordings, with patterns that were trained on the others.

    Written questions mean all ends of a pattern, so only the questions that were searched teach this.
    """
    first = found.questions - len(found.searched)
    given = list({example.question: example for example in found.all if example.question >= first}.values())
    _, held = _split(given, seed, share=1 / 3)
    if not held or not is_needed(given):
        return None
    apart = {example.question for example in held}
    learned = [example for example in found.all if example.question not in apart]
    examples = collect_ends(
        graph, [found.searched[example.question - first] for example in held], model(learned),
        watch=part_of(tell, "ends compared"),
    )  # fmt: skip
    return fit_ends(examples)


def linked(graph: Graph, found: GroundedQuestion) -> GroundedQuestion:
    """Return the question with linked seeds if the file names none; unchanged if linking finds none."""
    if found.question.seeds:
        return found
    try:
        return replace(found, seeds=LinkLabels().link(graph, Query(found.question.text)).seeds)
    except LinkError:
        return found


def _vectors(embedder: Embedder, texts: list[str], tell: Progress) -> Floats:
    """Return the features of masked questions, row by row, as `PatternModel.ask` makes them."""
    vectors = []
    for start in range(0, len(texts), _AT_ONCE):
        vectors.append(many_features(embedder, texts[start : start + _AT_ONCE]))
        tell("questions embedded", min(start + _AT_ONCE, len(texts)), len(texts))
    return np.concatenate(vectors)


def apart(wordings: Sequence[T], seed: int, share: float = _APART) -> set[T]:
    """Return the held-out wordings, from one wording for each question: a share, or none if there are few."""
    distinct = sorted(set(wordings))
    if len(wordings) < _LEAST_QUESTIONS or len(distinct) < _LEAST_WORDINGS:
        return set()
    drawn = np.random.default_rng([seed, 1]).permutation(len(distinct))
    return {distinct[i] for i in drawn[: round(share * len(distinct))]}


def _split(examples: Sequence[Example], seed: int, share: float = _APART) -> tuple[list[Example], list[Example]]:
    """Split the examples into those to train on at first and the held-out ones."""
    wordings = [int(example.masked[0]) for example in examples]
    held = apart(wordings, seed, share)
    sides: tuple[list[Example], list[Example]] = [], []
    for example, wording in zip(examples, wordings, strict=True):
        sides[wording in held].append(example)
    return sides


def _about(graph: Graph, relations: tuple[str, ...], report: PatternReport, seed: int) -> dict[str, Any]:
    """Return the provenance stored in the folder; it is the same for two equal trainings."""
    from graphbrick.core import __version__

    keys: dict[str, list[str]] = {label: [] for label in relations}
    for relation in range(graph.n_relations):
        label = graph.relation_label(relation)
        if label in keys:
            keys[label].append(graph.relation_key(relation))
    told = report.to_dict()
    del told["seconds"]
    return {
        "made_by": f"graphbrick {__version__}, numpy {np.__version__}",
        "graph": graph.hash,
        "relation_keys": [keys[label] for label in relations],
        "seed": seed,
        "report": told,
    }
