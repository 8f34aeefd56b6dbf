"""Learning which relation patterns answer questions, from questions written from the graph."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from graphbrick.core.compute import Progress, blas_threads, part_of, silent
from graphbrick.core.errors import InputError
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.symmetric import symmetric_relations
from graphbrick.kernels.loading import SECONDS, worth_loading
from graphbrick.language.counting import counted
from graphbrick.learn.feedback import feedback_questions, read_feedback
from graphbrick.learn.fitting.calibration import fit_calibration
from graphbrick.learn.fitting.fit_alignment import Example, fit_alignment
from graphbrick.learn.fitting.labelled import meant, plausible, repeats
from graphbrick.learn.learned import learned_place
from graphbrick.learn.train.frame import check_whole_numbers
from graphbrick.learn.train.patterns.pattern_course import PatternParameters
from graphbrick.learn.train.patterns.pattern_examples import Examples, Ints
from graphbrick.learn.train.patterns.patterns import ROUNDS, PatternReport, examples, fit_patterns
from graphbrick.learn.words.model_words import ModelWords, suggest
from graphbrick.learn.words.near_words import near_words
from graphbrick.learn.writing.sampling import Sample, further_fact, has_many_relations, samples
from graphbrick.learn.writing.writer import Writer
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.embedders.minilm import MiniLM
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.vectors.store import store_of, using
from graphbrick.patterns.model.end_model import OPEN
from graphbrick.patterns.model.folder import LEARNED_WORDS, check_place, save, words_in
from graphbrick.patterns.model.model import PatternModel
from graphbrick.patterns.text import Steps, canonical, masked, without_marks, words_of
from graphbrick.patterns.words.phrasebook import Phrasebook
from graphbrick.patterns.words_file import WORDS
from graphbrick.questions.grounding import Grounded, ground
from graphbrick.questions.question import Question

_A_PATTERN, _AT_LEAST = 20, 400  # questions at most for each pattern that is drawn, on average, but 400 in all
_SEEDS = 0.15  # distinct seeds, a question
_SMALL, _SMALL_OF_MANY = 200_000, 10_000  # triples of a small graph, and of one of many relations
_FIT, _SMALL_FIT = (12, 2_000), (6, 700)  # rounds of fitting the linear scorer, and questions embedded for it
_MANY_GIVEN = 100  # questions; fewer do not say by themselves which patterns are meant
_SAYS_MORE = 0.4  # of the questions about a graph of many relations say a fact about the answer as well
_SAME_ENDS = 0.3  # how right a pattern is that ends where the one does that a question was written from


@dataclass(frozen=True, slots=True)
class LearnReport:
    """Result of `learn`.

    Attributes:
        written: Number of questions written from the graph.
        given: Number of questions that the user gave.
        feedback: Number of questions with feedback (`add_feedback`) that says which answers are right.
        feedback_without_answer: Number of questions with feedback that says only that the answers were wrong; they are
            not learned from.
        relations: Number of relations in the graph.
        unreadable: Relations whose labels contain no words; questions use the label itself.
        nameless: Classes of entities without a name; up to three relations of each class.
        fitted: Report on training the linear scorer.
        min_confidence: Answers of lower confidence are withheld by default; None if there were too few questions to fit
            the confidence of answers.
        seconds: Wall-clock time.
        by_model: What a language model added to the words; None if none was given.
        edited: Whether the file of words was changed while it was learned from: it stays as it was changed, and the
            words that were learned with are beside it, in `words.learned.toml`.
    """

    written: int
    given: int
    feedback: int
    feedback_without_answer: int
    relations: int
    unreadable: list[str]
    nameless: list[list[str]]
    fitted: PatternReport
    min_confidence: float | None
    seconds: float
    by_model: ModelWords | None = None
    edited: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON types."""
        return asdict(self)

    def __str__(self) -> str:
        counts = f"{self.written:,} questions written from {self.relations:,} relations, {self.given:,} given"
        lines = [f"{counts}; {self.seconds:.0f} s"]
        if self.by_model is not None:
            lines.append(str(self.by_model))
        if self.feedback or self.feedback_without_answer:
            counts = f"{self.feedback:,} questions with feedback were learned from"
            if self.feedback_without_answer:
                counts += (
                    f", {self.feedback_without_answer:,} not: rules computed the answers, or they are wrong and nobody "
                    "named right ones"
                )
            lines.append(counts)
        if self.fitted.ends is not None:
            lines.append(str(self.fitted.ends))
        if self.min_confidence is None:
            lines.append("answers have no confidence: there are too few questions with and without an answer")
        else:
            lines.append(f"answers of less confidence than {self.min_confidence:g} are withheld (--min-confidence)")
        if self.unreadable:
            shown = ", ".join(self.unreadable[:5]) + (", ..." if len(self.unreadable) > 5 else "")
            share = f"{len(self.unreadable):,} of {self.relations:,} relations"
            lines.append(f"no words in the labels of {share} ({shown}); add some to {WORDS}")
        if self.edited:
            lines.append(
                f"{WORDS} was changed meanwhile, and stays so; this was learned with {LEARNED_WORDS}: learn again"
            )
        if self.nameless:
            first = self.nameless[0]
            lines.append(
                f"{counted(len(self.nameless), 'kind')} of entities without a name, such as those with "
                f"{' / '.join(first)}; give one with --call '{first[0]}=NAME' (all of them: names = [] in {WORDS})"
            )
        return "\n".join(lines)


def learn(
    graph: Graph,
    out: str | PathLike[str] | None = None,
    *,
    questions: Sequence[Question] | Grounded | None = None,
    call: Mapping[str, Sequence[str]] | None = None,
    n: int = 4_000,
    max_hops: int = 3,
    embedder: Embedder | None = None,
    llm: ChatModel | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> LearnReport:
    """Learn from the graph itself which relation patterns answer which questions.

    Questions are written from patterns that exist in the graph, in the words of its relation labels. Two scorers are
    fitted to them: the linear one of `graphbrick.learn.train.train_patterns`, and one that aligns words with hops in
    order; `PatternScorer` adds both up. What was understood of the labels is ``words.toml`` in the folder: correct
    it, and call this again. Questions with feedback (`add_feedback`) are learned from too, if the right answers are
    known. The same seed gives the same folder on the same machine.

    Args:
        graph: The graph.
        out: The folder to write; ``films.graph.patterns`` beside ``films.graph`` if None, where ``graphbrick ask``
            finds it. What was learned before is replaced, its words are kept.
        questions: Questions with answers that are learned from as well.
        call: Names of classes of entities: {"directed_by": ["film", "movie"]} names what has the relation,
            {"<-directed_by": ["person"]} what it points to.
        n: Questions to write, from 100; beyond 400, at most 20 for each pattern that is drawn. With 0, only the given
            questions teach, as in `train_patterns`.
        max_hops: The longest pattern, from 1 to 10.
        embedder: Makes vectors of questions and words; MiniLM() if None.
        llm: Suggests words for relations and names for classes, which are checked; if it fails, the words of the labels
            are used. `graphbrick.spending` limits its cost.
        seed: Of everything drawn at random.
        progress: Told (what is done, how many of them are done, how many there are).

    Raises:
        InputError: The graph has no triples, words.toml is damaged, or a parameter is out of range.
        ModelError: The folder cannot be written, or a package is missing (``graphbrick[learn]``).

    Example::

        learn(graph, call={"directed_by": ["film", "movie"]})
        pipeline = Patterns(PatternScorer("films.graph.patterns")) >> PathAnswer()
    """
    _check(n, max_hops, seed, has_questions=bool(questions) or bool(read_feedback(graph)))
    started = time.perf_counter()
    place = learned_place(graph) if out is None else Path(out).expanduser()
    check_place(place, overwrite=True)
    if not graph.n_triples:
        raise InputError(f"{graph.place} has no triples, so there is nothing to learn from", code="learn.no_triples")
    feedback, read = read_feedback(graph), words_in(place)
    how = PatternParameters(embedder=embedder or MiniLM(), max_hops=max_hops, rounds=ROUNDS, seed=seed)
    store = store_of(graph)  # the next learning embeds only the questions that are new
    worth_loading(2 * SECONDS)  # fitting needs the compiled kernels, so that drawing questions may use them too
    with using(store), blas_threads(1):  # the matrices are small
        book, by_model = _phrasebook(graph, place, call or {}, llm, seed, progress)
        marked = feedback_questions(feedback)
        own = questions if isinstance(questions, Grounded) else ground(graph, questions or (), max_hops=max_hops)
        taught = (*own.questions, *ground(graph, marked, max_hops=max_hops).questions)
        labelled = Grounded(taught, max_hops, graph.hash)
        if n:
            model, fitted, written = _fit_written(graph, book, labelled, n, how, progress)
            about = {"learned_from": "the graph itself", "written": n, "given": len(own.questions)}
            model = replace(model, about={**model.about, **about})
        else:
            all_examples = examples(graph, labelled, max_hops=max_hops, seed=seed, progress=progress)
            (model, fitted), written = fit_patterns(graph, all_examples, how, progress=progress), 0
        edited = save(model, place, words=book.to_toml(), read=read, overwrite=True)
    store.flush()
    seconds = time.perf_counter() - started
    report = _report(graph, book, model, fitted, (written, len(own.questions), len(marked), len(feedback)), seconds)
    return replace(report, by_model=by_model, edited=edited)


def _fit_written(
    graph: Graph, book: Phrasebook, given: Grounded, n: int, how: PatternParameters, progress: Progress
) -> tuple[PatternModel, PatternReport, int]:
    """Return the model of written and given questions, with its report and how many were written."""
    _require_words(graph, book)
    symmetric = symmetric_relations(graph)
    written = _written(graph, book, n, how.max_hops, how.seed, symmetric, progress)
    if not written:
        raise InputError(
            f"{graph.place} has no relation pattern that a question could be written about", code="learn.no_patterns"
        )
    all_examples = _examples(graph, written)
    examples(graph, given, max_hops=how.max_hops, seed=how.seed, into=all_examples, progress=progress)
    labelled = all_examples.all[len(written) :]
    alignment = fit_alignment(
        how.embedder, book, [example for _, example in written], meant(graph, all_examples, labelled),
        max_hops=how.max_hops, symmetric=symmetric, seed=how.seed,
        progress=part_of(progress, "words aligned with hops"),
    )  # fmt: skip
    are_few = len(labelled) < _MANY_GIVEN
    likely = plausible(graph, all_examples, labelled, alignment) if are_few else labelled
    all_examples.all[len(written) :] = likely * repeats(len(written), len(labelled))
    small = _SMALL_OF_MANY if has_many_relations(graph) else _SMALL
    rounds, embedded = _SMALL_FIT if graph.n_triples < small else _FIT
    how = replace(
        how, rounds=ROUNDS if len(labelled) > len(written) else rounds, hold_out=False, whole=not are_few,
        symmetric=symmetric, embedded=embedded,
    )  # fmt: skip
    model, fitted = fit_patterns(graph, all_examples, how, progress=progress)
    ends = OPEN if has_many_relations(graph) and not labelled else model.ends
    model = replace(model, alignment=alignment, near_words=near_words(book, all_examples.masked), ends=ends)
    calibration = fit_calibration(
        graph, model, Writer(book), [example for _, example in written], seed=how.seed,
        progress=part_of(progress, "questions to calibrate confidence"),
    )  # fmt: skip
    if calibration is not None:
        texts = (masked(one.question.text, graph.label(seed)) for one in given.questions for seed in one.seeds[:1])
        calibration = replace(calibration, heard=frozenset(word for text in texts for word in words_of(text)))
    return replace(model, calibration=calibration), fitted, len(written)


def _check(n: int, max_hops: int, seed: int, *, has_questions: bool) -> None:
    """Raise InputError unless the parameters are in range."""
    check_whole_numbers("learn", n=(n, 0, 10_000_000, 4000), max_hops=(max_hops, 1, 10, 3), seed=seed)
    if n < 100 and not (n == 0 and has_questions):
        raise InputError(
            f"learn n must be at least 100, or 0 where questions with answers are given; got {n}",
            code="learn.too_few",
            n=n,
        )


def _report(
    graph: Graph,
    book: Phrasebook,
    model: PatternModel,
    fitted: PatternReport,
    counts: tuple[int, int, int, int],
    seconds: float,
) -> LearnReport:
    """Return the report; the counts are of questions written, given, marked with right answers, and marked."""
    written, given, marked, feedback = counts
    return LearnReport(
        written=written,
        given=given,
        feedback=marked,
        feedback_without_answer=feedback - marked,
        relations=graph.n_relations,
        unreadable=book.unreadable,
        nameless=[[*one.heads, *one.tails][:3] for one in book.classes if not one.names and one.heads],
        fitted=fitted,
        min_confidence=None if model.calibration is None else model.calibration.min_confidence,
        seconds=seconds,
    )


def _require_words(graph: Graph, book: Phrasebook) -> None:
    """Raise InputError if no relation label has words."""
    if len(book.unreadable) == graph.n_relations:
        raise InputError(
            f"no relation label of {graph.place} contains words that questions could be written in "
            f"({', '.join(book.unreadable[:5])}); build it with labels for its relations, or learn from questions with "
            "answers alone (--questions 0)",
            code="learn.no_words",
            labels=tuple(book.unreadable),
        )


def _phrasebook(
    graph: Graph, place: Path, call: Mapping[str, Sequence[str]], llm: ChatModel | None, seed: int, progress: Progress
) -> tuple[Phrasebook, ModelWords | None]:
    """Return the words of a graph: as the user corrected them, with what is new and what a model adds."""
    rules = Phrasebook.of(graph)
    book = Phrasebook.read(place / WORDS).merged(rules) if (place / WORDS).exists() else deepcopy(rules)
    for relation, names in call.items():
        book.call(relation, names)
    return book, None if llm is None else suggest(graph, book, rules, llm, seed=seed, progress=progress)


def _written(
    graph: Graph, book: Phrasebook, n: int, max_hops: int, seed: int, symmetric: frozenset[str], progress: Progress
) -> list[tuple[Sample, Example]]:
    """Write questions about both directions of symmetric relations; the samples have them forwards only."""
    writer, written = Writer(book), list[tuple[Sample, Example]]()
    around: dict[int, Sample] = {}
    every = list(samples(graph, n, max_hops=max_hops, n_seeds=max(20, round(_SEEDS * n)), seed=seed))
    for drawn in every[: max(_AT_LEAST, _A_PATTERN * len({sample.pattern for sample in every}))]:
        if drawn.seed not in around:
            around[drawn.seed] = drawn.canonical(symmetric)
        sample = replace(around[drawn.seed], pattern=canonical(drawn.pattern, symmetric), ends=drawn.ends)
        # Each has random numbers of its own: other words change only the questions that they are in.
        rng = random.Random(f"{seed} {len(written)}")
        says_more = has_many_relations(graph) and rng.random() < _SAYS_MORE
        question = writer.write(drawn.pattern, rng, further_fact(graph, sample, rng) if says_more else None)
        written.append((sample, Example(question, sample.pattern, sample.others)))
        progress("questions written", len(written), n)
    return written


def _examples(graph: Graph, written: Sequence[tuple[Sample, Example]]) -> Examples:
    """Return written questions as examples for the linear scorer."""
    number = {graph.relation_label(i): i for i in reversed(range(graph.n_relations))}
    examples_of, rows = Examples(), dict[int, tuple[Ints, dict[Steps, int]]]()
    known: dict[Steps, int] = {}  # the same patterns are around many seeds
    for sample, example in written:
        if sample.seed not in rows:
            for steps in sample.others:
                if steps not in known:
                    numbered = tuple(_number(number, step) for step in steps)
                    known[steps] = examples_of.patterns.setdefault(numbered, len(examples_of.patterns))
            places = np.array([known[steps] for steps in sample.others], dtype=np.int32)
            rows[sample.seed] = places, {steps: i for i, steps in enumerate(sample.others)}
        patterns, place = rows[sample.seed]
        at = place[sample.pattern]
        right = np.where(sample.group == sample.group[at], _SAME_ENDS, 0).astype(np.float32)
        right[at] = 1
        promise = right.copy()
        promise[[place[sample.pattern[:hops]] for hops in range(1, len(sample.pattern))]] = 1
        examples_of.add_written(example.written.text(), patterns, right, promise)
    return examples_of


def _number(number: Mapping[str, int], step: tuple[str, bool]) -> int:
    """Return the number of a step; see `Examples.patterns`."""
    ((label, forward),) = without_marks((step,))
    return 2 * number[label] + forward if label == step[0] else ~(2 * number[label] + forward)
