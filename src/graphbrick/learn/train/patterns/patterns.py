"""Training `PatternScorer` on questions with answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress, part_of, silent
from graphbrick.core.errors import InputError
from graphbrick.graphs.graph import Graph
from graphbrick.learn.train.frame import (
    Training,
    TrainingReport,
    TrainOptions,
    held_out,
    linked_questions,
)
from graphbrick.learn.train.patterns.end_choice import EndChoice, choose_ends
from graphbrick.learn.train.patterns.estimated_features import estimated
from graphbrick.learn.train.patterns.pattern_course import Course, PatternParameters
from graphbrick.learn.train.patterns.pattern_ends import is_needed
from graphbrick.learn.train.patterns.pattern_examples import Example, Examples, collect
from graphbrick.learn.train.patterns.pattern_fit import Floats, Quality
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.embedders.integer_minilm import to_learn_from
from graphbrick.models.embedders.minilm import MiniLM
from graphbrick.patterns.model.end_model import EndModel
from graphbrick.patterns.model.folder import check_place, save
from graphbrick.patterns.model.model import PatternModel
from graphbrick.patterns.model.question_features import WORD_WEIGHT, WORDS, hashed_words, many_features
from graphbrick.patterns.text import canonical, simplified
from graphbrick.questions.grounding import Grounded
from graphbrick.questions.question import Question

MOST = 2_000  # patterns a seed
ROUNDS = 30  # at most; fewer where held-out questions say so
_AT_ONCE = 512  # questions embedded; those of similar length are read together


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternReport(TrainingReport[Quality]):
    """Result of a training; `Quality` is that of the best-scored pattern.

    Attributes:
        questions: Number of questions given.
        learned: Questions used for training: those with a pattern that leads to an answer.
        unseeded: Questions without a seed in the graph.
        unanswered: Questions without an answer in the graph.
        unreached: Questions with no pattern that leads to an answer.
        cut: Questions with more patterns around their seeds than were examined.
        patterns: Number of distinct patterns found.
        rounds: Rounds of training.
        ends: Whether `RankEnds` helps; None if there is nothing to choose, or too few questions to tell.
    """

    questions: int
    learned: int
    unseeded: int
    unanswered: int
    unreached: int
    cut: int
    patterns: int
    rounds: int
    ends: EndChoice | None = None

    def lines(self) -> list[str]:
        """Return what to tell the user."""
        return [
            f"{self.questions:,} questions, of which {self.learned:,} were learned from",
            f"  {self.unseeded:,} have no seed in the graph, {self.unanswered:,} no answer, {self.unreached:,} one "
            "that no pattern leads to",
            f"{self.patterns:,} patterns; around the seeds of {self.cut:,} questions there were more",
            f"{self.rounds} rounds, {self.seconds:.0f} s",
            *quality_lines(self),
            *([] if self.ends is None else [str(self.ends)]),
        ]


def quality_lines(report: TrainingReport[Quality]) -> list[str]:
    """Return what to tell the user of held-out questions; nothing if there were too few."""
    if report.trained is None:
        return []
    return [
        f"of {report.trained.questions:,} questions in wordings kept apart: Hits@1 {report.change('hits_at_1')}, "
        f"F1 {report.change('f1')}"
    ]


def train_patterns(
    graph: Graph,
    questions: Sequence[Question] | Grounded,
    out: str | PathLike[str],
    *,
    max_hops: int = 3,
    embedder: Embedder | None = None,
    rounds: int = ROUNDS,
    **options: Unpack[TrainOptions],
) -> PatternReport:
    """Learn which relation patterns around seeds lead to answers, for `PatternScorer`.

    The right patterns come from the graph: among all patterns of at most ``max_hops`` hops around the seeds, those
    whose end entities match the answers, by F1. The others around the same seeds are negatives. A tenth of the
    wordings (questions with the name of the seed masked) is held out at first, to find the number of rounds after
    which the result no longer improves; then the scorer is trained on all questions for as many rounds. With fewer
    than 30 questions, or 10 wordings, nothing is held out, and all rounds are run. If at least 20 questions, and a
    tenth of all, have a best pattern that also ends at wrong entities, `RankEnds` learns from a third of the wordings
    which end is meant; it is left out where these questions are answered better without it. The same seed gives the
    same weights on the same machine.

    Args:
        graph: The graph.
        questions: Questions with answers, or the result of `ground`; those without seeds are linked by labels.
        out: The folder to write.
        max_hops: The longest pattern, from 1 to 10. Longer patterns are never right in training.
        embedder: Embeds questions and relations; MiniLM() by default.
        rounds: Rounds at most, at least 1; a round is a pass over the questions, or over 6,400 of them.
        **options: See `graphbrick.learn.train.frame.TrainOptions`.

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
    training = Training("train_patterns", out, options)
    training.check(max_hops=(max_hops, 1, 10, 3), rounds=(rounds, 1, 10_000, ROUNDS))
    check_place(training.place, overwrite=training.overwrite)
    how = PatternParameters(embedder=embedder or MiniLM(), max_hops=max_hops, rounds=rounds, seed=training.seed)
    taught = examples(graph, questions, max_hops=max_hops, seed=how.seed, progress=training.progress)
    model, report = fit_patterns(graph, taught, how, progress=training.progress)
    save(model, training.place, overwrite=training.overwrite)
    return report


def examples(
    graph: Graph,
    questions: Sequence[Question] | Grounded,
    *,
    max_hops: int,
    seed: int,
    into: Examples | None = None,
    progress: Progress = silent,
) -> Examples:
    """Return the patterns around seeds of questions with how right they are; link missing seeds.

    Args:
        graph: The graph.
        questions: The questions.
        max_hops: The longest pattern.
        seed: Seed of everything that is drawn at random.
        into: Examples to add these to.
        progress: Called with (name of the step, number done, total).
    """
    linked = linked_questions(graph, questions, max_hops)
    return collect(
        graph, linked, max_hops=max_hops, most=MOST, seed=seed, into=into,
        progress=part_of(progress, "questions searched", len(linked)),
    )  # fmt: skip


def require_reached(found: Examples, max_hops: int) -> None:
    """Raise InputError unless some question has a pattern that leads to an answer."""
    if not any(example.f1.any() for example in found.all):
        raise InputError(
            f"none of {found.questions:,} questions has a pattern of at most {max_hops} hops from a seed to an answer; "
            "are they questions of this graph?",
            code="train_patterns.no_pattern",
            n=found.questions,
            max_hops=max_hops,
        )


def fit_patterns(
    graph: Graph, found: Examples, how: PatternParameters, *, progress: Progress = silent
) -> tuple[PatternModel, PatternReport]:
    """Fit the model to examples.

    Args:
        graph: The graph.
        found: The examples.
        how: Parameters of the training.
        progress: Called with (name of the step, number done, total).

    Raises:
        InputError: No question has a pattern that leads to an answer.
    """
    started = time.perf_counter()
    require_reached(found, how.max_hops)
    steps = [canonical(pattern, how.symmetric) for pattern in found.steps(graph)]
    masked = _features(found, how, progress)
    course = Course(how, masked, steps, progress)
    learned, held = held_out(found.all, _wording, how.seed) if how.hold_out else (found.all, [])
    before, after, rounds = None, None, how.rounds
    if held:
        rounds, before, after = course.best_rounds(learned, held, rounds)
    model = course.model(found.all, rounds, "rounds of training")  # on the held-out examples too
    for_ends = partial(course.model, rounds=rounds, what="rounds of training for ends")
    ends, choice = _chosen_ends(graph, found, for_ends, how.seed, progress)
    learned_from = sum(bool(example.f1.any()) for example in found.all)
    report = PatternReport(
        **found.lost(), learned=learned_from, cut=found.cut, patterns=len(steps), rounds=rounds, untrained=before,
        trained=after, ends=choice, seconds=time.perf_counter() - started,
    )  # fmt: skip
    return replace(model, about=_about(graph, model.relations, report, how.seed), ends=ends), report


def _features(found: Examples, how: PatternParameters, progress: Progress) -> Floats:
    """Return the features of the masked questions; those of written ones are nearly right, or estimated."""
    texts, last = list(found.masked), found.n_written
    first = min(how.embedded, last)
    rows = [
        in_batches(some, partial(many_features, embedder, keep=True), _AT_ONCE, "questions embedded", progress)
        for embedder, some in ((to_learn_from(how.embedder), texts[:first]), (how.embedder, texts[last:]))
        if some
    ]
    others = texts[first:last]
    if others:
        vectors = estimated(rows[0][:, :-WORDS], texts[:first], others, how.embedder.embed)
        hashed = np.stack([hashed_words(simplified(text)) for text in others])
        rows.insert(1, np.hstack([vectors, np.float32(WORD_WEIGHT) * hashed]))
    return np.concatenate(rows)


def _chosen_ends(
    graph: Graph, taught: Examples, model: Callable[[list[Example]], PatternModel], seed: int, progress: Progress
) -> tuple[EndModel | None, EndChoice | None]:
    """Learn to choose among ends from a third of the wordings, with patterns of the others, if that helps.

    Written questions mean all ends of a pattern, so only the questions that were searched teach this.
    """
    first = taught.questions - len(taught.searched)
    labelled = list({example.question: example for example in taught.all if example.question >= first}.values())
    _, held = held_out(labelled, _wording, seed, share=1 / 3)
    if not held or not is_needed(labelled):
        return None, None
    apart = {example.question for example in held}
    learned = [example for example in taught.all if example.question not in apart]
    return choose_ends(
        graph, [taught.searched[example.question - first] for example in held], model(learned), seed=seed,
        progress=part_of(progress, "ends compared"),
    )  # fmt: skip


def _wording(example: Example) -> int:
    return int(example.masked[0])


def in_batches(
    texts: Sequence[str], embed: Callable[[Sequence[str]], npt.NDArray[Any]], n: int, what: str, progress: Progress
) -> Floats:
    """Return a row for each text, float32, made ``n`` texts at a time.

    Args:
        texts: The texts.
        embed: Makes the rows of some texts.
        n: How many.
        what: Name of the step, for progress.
        progress: Told the step, the number done and the total.
    """
    rows = []
    for start in range(0, len(texts), n):
        rows.append(embed(texts[start : start + n]).astype(np.float32, copy=False))
        progress(what, min(start + n, len(texts)), len(texts))
    return np.concatenate(rows)


def _about(graph: Graph, relations: tuple[str, ...], report: PatternReport, seed: int) -> dict[str, Any]:
    """Return the provenance stored in the folder; it is the same for two equal trainings."""
    from graphbrick.core import __version__

    keys: dict[str, list[str]] = {label: [] for label in relations}
    for relation in range(graph.n_relations):
        label = graph.relation_label(relation)
        if label in keys:
            keys[label].append(graph.relation_key(relation))
    return {
        "made_by": f"graphbrick {__version__}, numpy {np.__version__}",
        "graph": graph.hash,
        "relation_keys": [keys[label] for label in relations],
        "seed": seed,
        "report": report.without_time(),
    }
