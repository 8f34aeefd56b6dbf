"""Training data for language models: the prompts that bricks send, each with the right reply.

No prompt is written here: the brick itself makes its prompts, so that training and query time use the same ones. Every
reply is read back by the reader of the brick; a reply that it reads differently is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from graphbrick.bricks.extract.planned_relations import PlannedRelations
from graphbrick.bricks.generate.answers import ReplyAnswer, read_answers, spellings, write_answers
from graphbrick.bricks.generate.generate import Generate
from graphbrick.bricks.retrieve.paths.beam import Partial, expand
from graphbrick.core import Evidence, Path, Query, Subgraph
from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import ModelError
from graphbrick.learn.train.path_examples import PathExample
from graphbrick.models.llm.messages import Message
from graphbrick.models.llm.replies.path_replies import read_paths, write_paths
from graphbrick.models.llm.replies.replies import one_line
from graphbrick.models.scorers.llm_scorer import LLMScorer

Tuned = PlannedRelations | LLMScorer | Generate
TEXTS = ("path", "step", "relation", "pattern", "triple", "entity")
"""Kinds of ranked texts: whole paths (`Rerank`), paths one triple longer (`BeamSearch`), relation names (`PruneEdges`);
patterns (`Rerank` by pattern), new triples alone (`BeamSearch` by triple, `PruneTriples`), entities (`PruneNodes`)."""
DEFAULT_TEXTS = TEXTS[:3]

_BEAM = 8  # paths that a step carries on
_CAP = 5_000  # candidates of a step, as in BeamSearch


@dataclass(frozen=True, slots=True)
class Lesson:
    """One prompt and the reply to it.

    Attributes:
        wording: The text of the question with its seeds masked.
        messages: The messages that the brick sends.
        reply: The reply that the model should give.
    """

    wording: str
    messages: tuple[Mapping[str, str], ...]
    reply: str


@dataclass(slots=True)
class Lost:
    """Counts of the questions and prompts that give no lesson.

    Attributes:
        unshown: Questions whose prompts teach nothing: nothing that is right is in it, as for a relation path
            over relations that the model is not shown, or nothing that is wrong where candidates are ranked, or it does
            not hold a single path.
        unread: Lessons whose reply is not read as it is meant, such as a name in which there are brackets.
    """

    unshown: int = 0
    unread: int = 0


def lessons(
    brick: Tuned,
    examples: Sequence[PathExample],
    lost: Lost,
    *,
    n: int = 32,
    nothing: float = 0.1,
    texts: Sequence[str] = DEFAULT_TEXTS,
    seed: int = 0,
    progress: Progress = silent,
) -> list[Lesson]:
    """Return the lessons for a brick, in the order of the examples.

    Args:
        brick: The brick as the pipeline will use it.
        examples: Questions with paths that are right and wrong.
        lost: Counts of what gives no lesson; updated.
        n: Candidates, or paths of the evidence, at most; what is right comes first into them, and they stand in an
            order that is drawn.
        nothing: Share of the questions whose prompt holds nothing that is right, so that the model learns to say so;
            not for relation paths, and only where there is something wrong to show.
        texts: What an `LLMScorer` is to rank, some of `TEXTS`.
        seed: Of what is drawn.
        progress: Told the number of examples done.
    """
    all_lessons: list[Lesson] = []
    for done, example in enumerate(examples, 1):
        rng = np.random.default_rng([seed, example.positives[0].start, done])
        if isinstance(brick, PlannedRelations):
            replies = _plan(brick, example)
        else:
            shown = _without_right(example, rng.random() < nothing)
            if isinstance(brick, Generate):
                replies = _answer(brick, shown, n, rng)
            else:
                replies = [lesson for kind in texts for lesson in _rank(brick, shown, kind, n, rng)]
        lost.unshown += not replies
        readable = [lesson for lesson in replies if lesson is not None]
        lost.unread += len(replies) - len(readable)
        all_lessons += readable
        progress("", done, len(examples))
    return all_lessons


def _without_right(example: PathExample, nothing: bool) -> tuple[PathExample, tuple[Path, ...]]:
    """Return an example with its right paths, or with only paths that are certainly wrong."""
    answers = set(example.grounded.answers)
    wrong = tuple(path for path in example.negatives if answers.isdisjoint(path.nodes[1:]))
    return (replace(example, negatives=wrong), ()) if nothing and wrong else (example, example.positives)


def _plan(brick: PlannedRelations, example: PathExample) -> list[Lesson | None]:
    """Return the relation paths of the right paths, as numbers of the relations shown to the model."""
    graph = example.positives[0].graph
    request = brick.plan_request(graph, Query(example.text, example.grounded.seeds))
    if request is None:
        return []
    number = {move: place for place, move in enumerate(request.offer, 1)}
    plans = dict[tuple[int, ...], None]()
    for path in example.positives:
        moves = [number.get((one_line(graph.relation_label(relation)), way)) for relation, way in path.pattern]
        plan = tuple(place for place in moves if place is not None)
        if len(plan) == len(moves) <= brick.max_hops:
            plans[plan] = None
    best = list(plans)[: brick.plans]
    if not best:
        return []
    reply = write_paths(best, structured=brick.llm.structured)
    read = [tuple(step.number for step in steps) for _, steps in read_paths(reply)]
    return [_lesson(example, request.request.messages, reply, right=read == best)]


def _rank(
    brick: LLMScorer, shown: tuple[PathExample, tuple[Path, ...]], kind: str, n: int, rng: np.random.Generator
) -> list[Lesson | None]:
    """Return the numbers of the right candidates, those of fewer hops first."""
    example, positives = shown
    right, wrong = _candidates(example, positives, kind, rng)
    right, wrong = right[:n], wrong[: max(n - len(right), 0)]
    place = {text: i for i, text in enumerate(right)}
    texts = [*right, *wrong]
    texts = [texts[i] for i in rng.permutation(len(texts))]
    lessons: list[Lesson | None] = []
    for places, request in brick.requests(example.text, texts) if texts and wrong else ():
        shown_texts = [texts[i] for i in places]
        useful = sorted(
            (number for number, text in enumerate(shown_texts, 1) if text in place),
            key=lambda i: place[shown_texts[i - 1]],
        )
        reply = brick.write_reply(useful, len(shown_texts))
        read = brick.read_reply(reply, shown_texts)
        right_reply = read is not None and sorted(read) == sorted(useful)
        lessons.append(_lesson(example, request.messages, reply, right=right_reply))
    return lessons


def _candidates(
    example: PathExample, positives: Sequence[Path], kind: str, rng: np.random.Generator
) -> tuple[list[str], list[str]]:
    """Return the right and the wrong texts, without duplicates."""
    negatives = example.negatives
    if kind in ("step", "triple"):
        right, wrong = _step(example, positives, rng, triples=kind == "triple")
    else:
        right, wrong = ([text for path in paths for text in _texts_of(path, kind)] for paths in (positives, negatives))
    right, wrong = list(dict.fromkeys(right)), list(dict.fromkeys(wrong))
    among = set(right)
    return right, [text for text in wrong if text not in among]


def _texts_of(path: Path, kind: str) -> list[str]:
    """Return the texts of a path as candidates of one kind."""
    if kind == "relation":
        return [path.graph.relation_label(relation) for relation, _ in path.pattern]
    if kind == "entity":
        return [path.graph.label(node) for node in path.nodes[1:]]
    return [path.text if kind == "path" else path.pattern_text]


def _step(
    example: PathExample, positives: Sequence[Path], rng: np.random.Generator, *, triples: bool
) -> tuple[list[str], list[str]]:
    """Return the candidates of one beam step from a seed, after right paths and some others."""
    graph, walked = example.positives[0].graph, [*positives, *example.negatives]
    one = walked[rng.integers(len(positives) or len(walked))]
    hops = int(rng.integers(one.hops))
    walked = [path for path in walked if path.hops > hops and path.start == one.start]
    begun = list(dict.fromkeys((path.nodes[: hops + 1], path.triples[:hops], path.forward[:hops]) for path in walked))
    beam = [Partial(*begin) for begin in begun[:_BEAM]]
    candidates, _ = expand(beam, Subgraph(graph).csr, follow_out=True, follow_in=True, cap=_CAP)
    wanted = {(path.nodes[: hops + 2], path.triples[: hops + 1]) for path in positives}
    # A continuation shared with a right path may be right, even if it was not drawn as right.
    patterns = {path.pattern[: hops + 1] for path in example.positives}
    right, wrong, turns = list[str](), list[tuple[int, str]](), Counter[object]()
    for row in rng.permutation(len(candidates)).tolist():
        before, triple = beam[candidates.parent[row]], int(candidates.triple[row])
        nodes, way = (*before.nodes, int(candidates.node[row])), bool(candidates.forward[row])
        path = Path(graph, nodes, (*before.triples, triple), (*before.forward, way))
        text = graph.triple_text(triple) if triples else path.text
        if (path.nodes, path.triples) in wanted:
            right.append(text)
        elif path.pattern not in patterns:
            turns[path.pattern] += 1
            wrong.append((turns[path.pattern], text))
    # In turns from every pattern, so that one with many ends does not fill the place of all others.
    return right, [text for _, text in sorted(wrong, key=lambda drawn: drawn[0])]


def _answer(
    brick: Generate, shown: tuple[PathExample, tuple[Path, ...]], n: int, rng: np.random.Generator
) -> list[Lesson | None]:
    """Return the answers at the ends of the right paths, each with the numbers of its paths."""
    example, positives = shown
    listed = [*positives, *example.negatives][:n]
    listed = [listed[i] for i in rng.permutation(len(listed))]
    try:
        request, items = brick.request(Query(example.text, example.grounded.seeds), Evidence(tuple(listed)))
    except ModelError:  # there is no room for a single path, which the count of what is not shown tells
        return []
    right, cited = set(positives), dict[str, list[int]]()
    for number, item in enumerate(items, 1):
        if isinstance(item, Path) and item in right:
            cited.setdefault(one_line(item.graph.label(item.end)), []).append(number)
    answers = [ReplyAnswer(text, tuple(numbers)) for text, numbers in cited.items()]
    if positives and not answers:
        return []
    reply = write_answers(answers, structured=brick.llm.structured)
    names = {spelling for text in cited for spelling in spellings(text)}
    is_right = read_answers(reply, names, len(items)) == answers
    return [_lesson(example, request.messages, reply, right=is_right)]


def _lesson(example: PathExample, messages: Sequence[Message], reply: str, *, right: bool) -> Lesson | None:
    """Return the lesson; None if the brick would misread its reply."""
    is_text = reply.encode("utf-8", "replace").decode() == reply  # a badly decoded name is none
    made = Lesson(
        example.wording, tuple({"role": message.role, "content": message.text} for message in messages), reply
    )
    return made if right and is_text else None
