"""Training examples: the patterns around the seeds of questions, and how right each is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.retrieve.patterns.pattern_layers import Layer, first_layer, next_layer
from graphbrick.core import Step
from graphbrick.core.compute import Progress, silent
from graphbrick.core.csr import Csr
from graphbrick.graphs.graph import Graph
from graphbrick.kernels.paths.relation_patterns_numpy import rows_of
from graphbrick.learn.train.frame import Counts
from graphbrick.patterns.text import Steps, labelled, masked
from graphbrick.questions.grounding import GroundedQuestion

CAP = 100_000  # triples looked at to carry one pattern on
Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Example:
    """One question and the patterns around its seeds.

    Attributes:
        question: Its place among the questions.
        masked: int32 [patterns], the masked question of the seed of each (place in `Examples.masked`).
        pattern: int32 [patterns], place in `Examples.patterns`.
        f1: float32 [patterns], F1 of the entities at the end of the pattern against the answers; other seeds count only
            if they are answers. The end of a pattern that comes back to its seed has the entities of both variants.
        precision: float32 [patterns], the share of these entities that are answers.
        promise: float32 [patterns], the best F1 of this pattern and of those that begin with it.
    """

    question: int
    masked: Ints
    pattern: Ints
    f1: Floats
    precision: Floats
    promise: Floats


@dataclass(slots=True)
class Examples(Counts):
    """The examples of a file of questions.

    Attributes:
        all: One a question that has a pattern around its seeds.
        masked: The distinct masked questions.
        patterns: The distinct patterns: a number a hop, twice the relation and one more if it is followed forwards; the
            complement of that number for a step that comes back to the seed.
        searched: The questions whose patterns were searched for, the last ones of all.
        n_written: How many of the masked questions, the first ones, were written from patterns.
    """

    all: list[Example] = field(default_factory=list)
    masked: dict[str, int] = field(default_factory=dict)
    patterns: dict[tuple[int, ...], int] = field(default_factory=dict)
    searched: list[GroundedQuestion] = field(default_factory=list)
    n_written: int = 0

    def steps(self, graph: Graph) -> list[Steps]:
        """Return the patterns as the model knows them."""
        return [labelled(_step(graph, number) for number in pattern) for pattern in self.patterns]

    def add_written(self, masked_text: str, patterns: Ints, right: Floats, promise: Floats) -> None:
        """Add a question that was written from a pattern.

        Args:
            masked_text: The question with the placeholder for its seed.
            patterns: int32, the patterns around the seed.
            right: float32 [patterns], how right each is.
            promise: float32 [patterns], the same for what each begins.
        """
        number = self.masked.setdefault(masked_text, len(self.masked))
        self.n_written = len(self.masked)
        column = np.full(len(patterns), number, dtype=np.int32)
        self.all.append(Example(self.questions, column, patterns, right, right, promise))
        self.questions += 1


@dataclass(frozen=True, slots=True)
class _Around:
    """Patterns around a seed: steps, F1, precision and promise of each, and whether any are left out."""

    steps: list[tuple[int, ...]]
    f1: Floats
    precision: Floats
    promise: Floats
    is_cut: bool


def collect(
    graph: Graph,
    questions: Sequence[GroundedQuestion],
    *,
    max_hops: int,
    most: int,
    seed: int,
    into: Examples | None = None,
    progress: Progress = silent,
) -> Examples:
    """Return the patterns around the seeds of questions and how well each gives the answers.

    Args:
        graph: The graph.
        questions: Questions with their seeds and answers in the graph.
        max_hops: The longest pattern.
        most: Patterns a seed. Where there are more, those that lead to an answer are kept first, then some drawn at
            random; those that end at many entities are not carried on.
        seed: Of what is drawn.
        into: Examples to add these to.
        progress: Told the number of questions done.
    """
    rng = np.random.default_rng(seed)
    examples = Examples() if into is None else into
    first = examples.questions
    examples.questions += len(questions)
    examples.searched += questions
    for place, question in enumerate(questions, first):
        gold = examples.gold(question)
        if gold:
            _add(examples, graph, place, question, np.array(gold, dtype=np.int32), max_hops, most, rng)
        progress("", place - first + 1, len(questions))
    return examples


def _add(
    examples: Examples,
    graph: Graph,
    place: int,
    question: GroundedQuestion,
    gold: Ints,
    max_hops: int,
    most: int,
    rng: np.random.Generator,
) -> None:
    """Add the example of one question."""
    text_numbers: list[int] = []
    patterns: list[int] = []
    around: list[_Around] = []
    for start in question.seeds:
        ignored = np.array(sorted(set(question.seeds) - set(question.answers) - {start}), dtype=np.int32)
        nearby = _around(graph.csr, start, ignored, gold, max_hops, most, rng)
        text = masked(question.question.text, graph.label(start))
        text_numbers += [examples.masked.setdefault(text, len(examples.masked))] * len(nearby.steps)
        patterns += [examples.patterns.setdefault(steps, len(examples.patterns)) for steps in nearby.steps]
        around.append(nearby)
    if not patterns:
        examples.unreached += 1
        return
    example = Example(
        place,
        np.array(text_numbers, dtype=np.int32),
        np.array(patterns, dtype=np.int32),
        np.concatenate([nearby.f1 for nearby in around]),
        np.concatenate([nearby.precision for nearby in around]),
        np.concatenate([nearby.promise for nearby in around]),
    )
    examples.unreached += not example.f1.any()
    examples.cut += any(nearby.is_cut for nearby in around)
    examples.all.append(example)


def _around(
    csr: Csr, start: int, ignored: Ints, gold: Ints, max_hops: int, most: int, rng: np.random.Generator
) -> _Around:
    """Return the patterns around one seed."""
    layer = first_layer(start)
    lengths = [_Length(layer, {(0, False): ()}, *_rewards(layer, ignored, gold))]
    is_cut = False
    for _ in range(max_hops):
        before = lengths[-1]
        # What ends at few entities says most, and is cheap to carry on.
        sizes = before.layer.sizes() + before.layer.sizes(back=True)
        chosen = np.sort(np.argsort(sizes, kind="stable")[: max(1, most // 8)])
        layer = next_layer(csr, start, before.layer, chosen, direction="both", cap=CAP)
        is_cut |= len(chosen) < len(before.layer) or layer.carried.cut > 0
        lengths.append(_Length(layer, _steps(layer, before.steps), *_rewards(layer, ignored, gold)))
    promises = [length.f1.copy() for length in lengths]
    for longer, promise, shorter in zip(lengths[:1:-1], promises[:1:-1], promises[-2:0:-1], strict=True):
        np.maximum.at(shorter[:, 0], longer.layer.parent, promise[:, 0])
        np.maximum.at(shorter, (longer.layer.parent, longer.layer.has_been_back.astype(np.int64)), promise[:, 1])
    steps: list[tuple[int, ...]] = []
    columns: list[list[Floats]] = [[], [], []]
    for length, promise in zip(lengths[1:], promises[1:], strict=True):
        steps += length.steps.values()
        pattern, back = length.layer.variants()
        for column, values in zip(columns, (length.f1, length.precision, promise), strict=True):
            column.append(values[pattern, back.astype(int)])
    f1, precision, promise = map(np.concatenate, columns)
    if len(steps) > most:
        is_cut = True
        drawn = np.lexsort((rng.random(len(f1)), -promise))[:most]
        drawn.sort()
        steps = [steps[i] for i in drawn]
        f1, precision, promise = f1[drawn], precision[drawn], promise[drawn]
    return _Around(steps, f1, precision, promise, is_cut)


@dataclass(frozen=True, slots=True)
class _Length:
    """The patterns of one length around a seed.

    Attributes:
        layer: The patterns and their ends.
        steps: The steps of each variant, by (pattern, whether it comes back), in the order of `Layer.variants`.
        f1: float32 [patterns, 2], F1 of both variants of each pattern.
        precision: float32 [patterns, 2].
    """

    layer: Layer
    steps: dict[tuple[int, bool], tuple[int, ...]]
    f1: Floats
    precision: Floats


def _steps(layer: Layer, before: dict[tuple[int, bool], tuple[int, ...]]) -> dict[tuple[int, bool], tuple[int, ...]]:
    """Return the steps of every variant from those of the layer before."""
    steps = {}
    pattern, back = layer.variants()
    for i, is_back in zip(pattern.tolist(), back.tolist(), strict=True):
        step = int(layer.carried.step[i])
        prefix = before[int(layer.parent[i]), is_back and bool(layer.has_been_back[i])]
        steps[i, is_back] = (*prefix, ~step if is_back and layer.returns[i] else step)
    return steps


def _step(graph: Graph, number: int) -> Step:
    """Return the step that a number stands for; see `Examples.patterns`."""
    relation, forward = divmod(~number if number < 0 else number, 2)
    return Step(graph.relation_label(relation), bool(forward), number < 0)


def _rewards(layer: Layer, ignored: Ints, gold: Ints) -> tuple[Floats, Floats]:
    """Return F1 and precision of the ends of both variants of each pattern, each float32 [patterns, 2].

    The variant that comes back has the ends of both variants: `PathAnswer` follows all walks then.
    """
    right, answered = np.zeros((len(layer), 2)), np.zeros((len(layer), 2))
    carried, owners = layer.carried, np.arange(len(layer))
    returning = np.flatnonzero(layer.sizes(back=True))
    ends, begin = rows_of(carried.end, carried.begin, returning)
    owner = np.concatenate([np.repeat(returning, np.diff(begin)), np.repeat(owners, layer.sizes(back=True))])
    # An end of both variants counts once.
    keys = np.unique((owner << 32) | np.concatenate([ends, carried.back_end]))
    variants = (
        (np.repeat(owners, layer.sizes()), carried.end),
        (keys >> 32, (keys & 0xFFFFFFFF).astype(np.int32)),
    )
    for column, (owner, ends) in enumerate(variants):
        right[:, column] = np.bincount(owner, np.isin(ends, gold), minlength=len(layer))
        answered[:, column] = np.bincount(owner, ~np.isin(ends, ignored), minlength=len(layer))
    return (2 * right / (answered + len(gold))).astype(np.float32), (right / np.maximum(answered, 1)).astype(np.float32)
