"""Training `PatternScorer` on questions with answers."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from graphbrick.core import Query
from graphbrick.core.errors import InputError, LinkError
from graphbrick.embedders.embedder import Embedder
from graphbrick.evaluate.datasets import Grounded, GroundedQuestion, Question, ground
from graphbrick.graphs.graph import Graph
from graphbrick.link.labels import LinkLabels
from graphbrick.patterns.folder import check_place, save
from graphbrick.patterns.model import PatternModel, kinds_of
from graphbrick.patterns.question_features import features
from graphbrick.patterns.text import Steps, readable
from graphbrick.train.pattern_examples import Example, Examples, collect
from graphbrick.train.pattern_fit import Encoded, Floats, Ints, Quality, Weights, fit, quality

T = TypeVar("T", int, str)

MOST = 2_000  # patterns a seed
_LEAST_QUESTIONS, _LEAST_WORDINGS = 30, 10  # to keep some apart
_APART = 0.1  # of the wordings, to say when to stop
_PATIENCE = 4
_OFTEN = 3  # examples from which on a pattern has weights of its own


class Watch(Protocol):
    """Told how far the work is."""

    def __call__(self, what: str, done: int, total: int) -> None:
        """What is done, how many of them are done, and how many there are."""


@dataclass(frozen=True, slots=True)
class PatternReport:
    """What a training did.

    Attributes:
        questions: Given.
        learned: Questions that were learned from: with a pattern that leads to an answer.
        unseeded: Questions without a seed in the graph.
        unanswered: Questions without an answer in the graph.
        unreached: Questions to whose answers no pattern leads.
        cut: Questions around whose seeds there are more patterns than were looked at.
        patterns: Distinct patterns that were met.
        rounds: Rounds of training.
        untrained: How good the pattern that scores best is before training, on the questions kept apart; None where
            there were too few to keep some apart.
        trained: The same after training on the others.
        seconds: Of work.
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
        """The report as plain JSON types."""
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
    rounds: int = 30,
    seed: int = 0,
    overwrite: bool = False,
    watch: Watch | None = None,
) -> PatternReport:
    """Learn which relation patterns around the seeds of a question lead to its answers; `PatternScorer` uses it.

    What is right comes from the graph: of all patterns of at most ``max_hops`` hops around the seeds, those whose ends
    are the answers, by F1. The others around the same seeds are what it is told apart from. A tenth of the wordings
    (of questions with the name of the seed masked) is kept apart at first, to find after how many rounds it no longer
    gets better there; then all questions are learned from, for as many rounds. Of fewer than 30 questions, or 10
    wordings, none is kept apart, and all rounds are run. The same seed gives the same weights on the same machine.

    Args:
        graph: The graph.
        questions: Questions with answers, or what `ground` found of them; those without seeds are linked by labels.
        out: The folder to write.
        max_hops: The longest pattern, from 1 to 10. A longer one is never right for what is trained.
        embedder: What makes vectors of questions and relations; MiniLM() where none is given.
        rounds: Rounds at most, at least 1; a round is a pass over the questions, or over 6,400 of them.
        seed: Of everything that is drawn at random.
        overwrite: Replace trained patterns that are there.
        watch: Told (what is done, how many of them are done, how many there are).

    Returns:
        Counts, and how good the best pattern is with and without training.

    Raises:
        InputError: There is no question to learn from, or a parameter is out of range.
        ModelError: The place cannot be written, or the embedder is not installed.

    Example:
        >>> from graphbrick.evaluate.datasets import load
        >>> train_patterns(graph, load("questions.jsonl"), "films.patterns")        # doctest: +SKIP
        >>> pipeline = Patterns(PatternScorer("films.patterns")) >> PathAnswer()    # doctest: +SKIP
    """
    for name, value, most in (("max_hops", max_hops, 10), ("rounds", rounds, 10_000)):
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
            raise InputError(f"train_patterns {name} must be a whole number from 1 to {most:,}, got {value!r}; try 3")
    place = Path(out).expanduser()
    check_place(place, overwrite=overwrite)
    model, report = fit_patterns(
        graph, questions, max_hops=max_hops, embedder=embedder, rounds=rounds, seed=seed, watch=watch
    )
    save(model, place, overwrite=overwrite)
    return report


def fit_patterns(
    graph: Graph,
    questions: Sequence[Question] | Grounded,
    *,
    max_hops: int = 3,
    embedder: Embedder | None = None,
    rounds: int = 30,
    seed: int = 0,
    watch: Watch | None = None,
) -> tuple[PatternModel, PatternReport]:
    """Like `train_patterns`, but returns the model, and writes nothing."""
    started = time.perf_counter()
    if embedder is None:
        from graphbrick.embedders.minilm import MiniLM

        embedder = MiniLM()
    tell = watch or (lambda what, done, total: None)
    grounded = questions if isinstance(questions, Grounded) else ground(graph, questions, max_hops=max_hops)
    found = collect(
        graph, [linked(graph, question) for question in grounded.questions], max_hops=max_hops, most=MOST, seed=seed,
        watch=lambda done: tell("questions searched", done, len(grounded)),
    )  # fmt: skip
    if not any(example.f1.any() for example in found.all):
        raise InputError(
            f"none of {len(grounded):,} questions has a pattern of at most {max_hops} hops from a seed to an answer; "
            "are they questions of this graph?"
        )
    asked, steps = _vectors(embedder, list(found.asked), tell), found.steps(graph)
    learned, held = _split(found, seed)
    before = after = None
    if held:
        weights, *_ = _weights(embedder, steps, learned, max_hops, seed)
        before = quality(weights, held, asked)
        rounds = fit(
            weights, learned, asked, held, rounds=rounds, patience=_PATIENCE, seed=seed,
            watch=partial(tell, "rounds to find how many", total=rounds),
        )  # fmt: skip
        after = quality(weights, held, asked)
    # What was kept apart is now learned from as well.
    weights, relations, patterns = _weights(embedder, steps, found.all, max_hops, seed)
    fit(
        weights, found.all, asked, [], rounds=rounds, patience=_PATIENCE, seed=seed,
        watch=partial(tell, "rounds of training", total=rounds),
    )  # fmt: skip
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
    model = PatternModel(
        embedder=embedder,
        relations=relations,
        patterns=patterns,
        about=_about(graph, relations, report, seed),
        **weights.values,  # type: ignore[arg-type]
    )
    return model, report


def linked(graph: Graph, found: GroundedQuestion) -> GroundedQuestion:
    """The question with the seeds that a pipeline finds, where the file names none; as it is where it finds none."""
    if found.question.seeds:
        return found
    try:
        return replace(found, seeds=LinkLabels().link(graph, Query(found.question.text)).seeds)
    except LinkError:
        return found


def _vectors(embedder: Embedder, texts: list[str], tell: Watch) -> Floats:
    """The features of masked questions, one after the other as `PatternModel.ask` makes them."""
    vectors = []
    for done, text in enumerate(texts, 1):
        vectors.append(features(embedder, text))
        tell("questions embedded", done, len(texts))
    return np.stack(vectors)


def apart(wordings: Sequence[T], seed: int) -> set[T]:
    """The wordings, one given for each question, that say when to stop: a tenth, or none where there are few."""
    distinct = sorted(set(wordings))
    if len(wordings) < _LEAST_QUESTIONS or len(distinct) < _LEAST_WORDINGS:
        return set()
    drawn = np.random.default_rng([seed, 1]).permutation(len(distinct))
    return {distinct[i] for i in drawn[: round(_APART * len(distinct))]}


def _split(found: Examples, seed: int) -> tuple[list[Example], list[Example]]:
    """What is learned from at first, and what says when to stop."""
    wordings = [int(example.asked[0]) for example in found.all]
    held = apart(wordings, seed)
    sides: tuple[list[Example], list[Example]] = [], []
    for example, wording in zip(found.all, wordings, strict=True):
        sides[wording in held].append(example)
    return sides


def _weights(
    embedder: Embedder, steps: list[Steps], learned: list[Example], max_hops: int, seed: int
) -> tuple[Weights, tuple[str, ...], tuple[Steps, ...]]:
    """Weights before training; the relations and the patterns that have some of their own."""
    often: Counter[int] = Counter()
    for example in learned:
        top = example.f1.max(initial=0)
        if top > 0:
            often.update(set(example.pattern[example.f1 >= top].tolist()))
    relations = tuple(sorted({label for pattern in often for label, _ in steps[pattern]}))
    patterns = tuple(sorted({steps[pattern] for pattern, count in often.items() if count >= _OFTEN}))
    labels = sorted({label for pattern in steps for label, _ in pattern})
    words = embedder.made([readable(label) for label in labels]).astype(np.float32)
    encoded = _encoded(steps, labels, relations, patterns, max_hops)
    return Weights(max_hops, words, encoded, seed), relations, patterns


def _encoded(
    steps: list[Steps],
    labels: list[str],
    relations: tuple[str, ...],
    patterns: tuple[Steps, ...],
    max_hops: int,
) -> Encoded:
    kinds, number = kinds_of(max_hops), {label: i for i, label in enumerate(labels)}
    place: Ints = np.full((len(steps), max_hops + 1), -1, dtype=np.int64)
    for row, pattern in enumerate(steps):
        for hop, (label, forward) in enumerate(pattern):
            place[row, hop] = number[label] * kinds + 2 * hop + forward
        label, forward = pattern[-1]
        place[row, len(pattern)] = number[label] * kinds + kinds - 2 + forward
    own, whole = {label: i for i, label in enumerate(relations)}, {pattern: i for i, pattern in enumerate(patterns)}
    return Encoded(
        place,
        np.array([len(pattern) for pattern in steps], dtype=np.int64),
        np.array([own.get(label, -1) for label in labels], dtype=np.int64),
        np.array([whole.get(pattern, -1) for pattern in steps], dtype=np.int64),
    )


def _about(graph: Graph, relations: tuple[str, ...], report: PatternReport, seed: int) -> dict[str, Any]:
    """What the folder says of its making; nothing that differs between two trainings that are the same."""
    from graphbrick import __version__

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
