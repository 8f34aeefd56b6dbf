"""What patterns are trained on: those around the seeds of each question, each with how well it gives the answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from graphbrick.core.csr import Csr
from graphbrick.evaluate.datasets.grounding import GroundedQuestion
from graphbrick.graphs.graph import Graph
from graphbrick.patterns.text import Steps, masked
from graphbrick.retrieve.pattern_layers import Layer, first_layer, next_layer

CAP = 100_000  # triples looked at to carry one pattern on
_EMPTY: list[tuple[int, ...]] = [()]
Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Example:
    """One question and the patterns around its seeds.

    Attributes:
        question: Its place among the questions.
        asked: int32 [patterns], the masked question of the seed of each (place in `Examples.asked`).
        pattern: int32 [patterns], place in `Examples.patterns`.
        f1: float32 [patterns], of the entities at the end of the pattern against the answers; seeds do not count.
        precision: float32 [patterns], the share of these entities that are answers.
        promise: float32 [patterns], the best F1 of this pattern and of those that begin with it.
    """

    question: int
    asked: Ints
    pattern: Ints
    f1: Floats
    precision: Floats
    promise: Floats


@dataclass(slots=True)
class Examples:
    """The examples of a file of questions.

    Attributes:
        all: One a question that has a pattern around its seeds.
        asked: The distinct masked questions.
        patterns: The distinct patterns, as (relation, forward) a hop.
        questions: How many questions there were.
        unseeded: How many have no seed in the graph.
        unanswered: How many have no answer in the graph other than a seed.
        unreached: How many have an answer that no pattern leads to.
        cut: How many have patterns that were left out, or cut at a hub.
    """

    all: list[Example] = field(default_factory=list)
    asked: dict[str, int] = field(default_factory=dict)
    patterns: dict[tuple[int, ...], int] = field(default_factory=dict)
    questions: int = 0
    unseeded: int = 0
    unanswered: int = 0
    unreached: int = 0
    cut: int = 0

    def steps(self, graph: Graph) -> list[Steps]:
        """The patterns by the labels of their relations."""
        return [
            tuple((graph.relation_label(step >> 1), bool(step & 1)) for step in pattern) for pattern in self.patterns
        ]


@dataclass(frozen=True, slots=True)
class _Around:
    """The patterns around one seed: steps, F1, precision and promise of each, and whether some are left out."""

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
    watch: Callable[[int], None] | None = None,
) -> Examples:
    """The patterns around the seeds of questions and how well each gives the answers.

    Args:
        graph: The graph.
        questions: Questions with their seeds and answers in the graph.
        max_hops: The longest pattern.
        most: Patterns a seed. Where there are more, those that lead to an answer are kept first, then some drawn at
            random; those that end at many entities are not carried on.
        seed: Of what is drawn.
        watch: Told the number of questions done.
    """
    rng = np.random.default_rng(seed)
    examples = Examples(questions=len(questions))
    for place, found in enumerate(questions):
        gold = np.array(sorted(set(found.answers) - set(found.seeds)), dtype=np.int32)
        examples.unseeded += not found.seeds
        examples.unanswered += bool(found.seeds) and not len(gold)
        if found.seeds and len(gold):
            _add(examples, graph, place, found, gold, max_hops, most, rng)
        if watch is not None:
            watch(place + 1)
    return examples


def _add(
    examples: Examples,
    graph: Graph,
    place: int,
    found: GroundedQuestion,
    gold: Ints,
    max_hops: int,
    most: int,
    rng: np.random.Generator,
) -> None:
    """Add the example of one question."""
    seeds = np.array(sorted(found.seeds), dtype=np.int32)
    asked: list[int] = []
    patterns: list[int] = []
    around: list[_Around] = []
    for start in found.seeds:
        some = _around(graph.csr, start, seeds, gold, max_hops, most, rng)
        text = masked(found.question.text, graph.label(start))
        asked += [examples.asked.setdefault(text, len(examples.asked))] * len(some.steps)
        patterns += [examples.patterns.setdefault(steps, len(examples.patterns)) for steps in some.steps]
        around.append(some)
    if not patterns:
        examples.unreached += 1
        return
    example = Example(
        place,
        np.array(asked, dtype=np.int32),
        np.array(patterns, dtype=np.int32),
        np.concatenate([some.f1 for some in around]),
        np.concatenate([some.precision for some in around]),
        np.concatenate([some.promise for some in around]),
    )
    examples.unreached += not example.f1.any()
    examples.cut += any(some.is_cut for some in around)
    examples.all.append(example)


def _around(
    csr: Csr, start: int, seeds: Ints, gold: Ints, max_hops: int, most: int, rng: np.random.Generator
) -> _Around:
    """The patterns around one seed."""
    layers, steps = [first_layer(start)], [_EMPTY]
    f1s, precisions = [np.zeros(1, dtype=np.float32)], [np.zeros(1, dtype=np.float32)]
    is_cut = False
    for _ in range(max_hops):
        # What ends at few entities says most, and is cheap to carry on.
        chosen = np.sort(np.argsort(layers[-1].sizes(), kind="stable")[: max(1, most // 8)])
        is_cut |= len(chosen) < len(layers[-1])
        layer = next_layer(csr, start, layers[-1], chosen, direction="both", cap=CAP)
        is_cut |= layer.carried.cut > 0
        before = steps[-1]
        steps.append(
            [
                (*before[parent], step)
                for parent, step in zip(layer.parent.tolist(), layer.carried.step.tolist(), strict=True)
            ]
        )
        f1, precision = _rewards(layer, seeds, gold)
        layers.append(layer)
        f1s.append(f1)
        precisions.append(precision)
    promises = [f1.copy() for f1 in f1s]
    for hop in range(max_hops, 1, -1):
        np.maximum.at(promises[hop - 1], layers[hop].parent, promises[hop])
    all_steps = [some for layer in steps[1:] for some in layer]
    f1, precision, promise = (np.concatenate(some[1:]) for some in (f1s, precisions, promises))
    if len(all_steps) > most:
        is_cut = True
        drawn = np.lexsort((rng.random(len(f1)), -promise))[:most]
        drawn.sort()
        all_steps = [all_steps[i] for i in drawn]
        f1, precision, promise = f1[drawn], precision[drawn], promise[drawn]
    return _Around(all_steps, f1, precision, promise, is_cut)


def _rewards(layer: Layer, seeds: Ints, gold: Ints) -> tuple[Floats, Floats]:
    """F1 and precision of the entities at the end of each pattern, seeds left out."""
    sizes = layer.sizes()
    if not len(sizes):
        return np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.float32)
    end, first = layer.carried.end, layer.carried.begin[:-1]
    right = np.add.reduceat(_among(end, gold), first)
    given = sizes - np.add.reduceat(_among(end, seeds), first)
    return (2 * right / (given + len(gold))).astype(np.float32), (right / np.maximum(given, 1)).astype(np.float32)


def _among(values: Ints, wanted: Ints) -> npt.NDArray[np.int64]:
    """1 where a value is one of those wanted (ascending, not empty), else 0."""
    at = np.minimum(np.searchsorted(wanted, values), len(wanted) - 1)
    among: npt.NDArray[np.int64] = (wanted[at] == values).astype(np.int64)
    return among
