"""Parameters, examples and reports of the training of embedding models and re-rankers, without torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress, part_of
from graphbrick.core.errors import InputError, ModelError
from graphbrick.core.parameters import parameter
from graphbrick.graphs.graph import Graph
from graphbrick.learn.train.epochs import Course, check_parameters
from graphbrick.learn.train.frame import TorchOptions, TrainingReport, held_out, linked_questions
from graphbrick.learn.train.path_examples import PathExample, PathExamples, PathRules, by_text, collect
from graphbrick.models.onnx_text import torch_weights
from graphbrick.models.store import known, resolve
from graphbrick.questions.grounding import Grounded
from graphbrick.questions.question import Question

PACKAGES = ("torch", "sentence_transformers", "onnx", "onnxscript", "onnxruntime")
Key = tuple[int, tuple[tuple[int, bool], ...]]
"""The seed and the pattern of a path: two paths of one key say the same of a question."""


class TextOptions(TorchOptions, total=False):
    """Options that `train_embedder` and `train_reranker` share; `TextParameters` says their ranges.

    A step takes 16 questions for an embedder by default, and 8 for a re-ranker, which reads each with all its texts.

    Attributes:
        base: Base model: a folder, a name that `graphbrick models` knows, or one of the hub.
        loss: Name of the loss.
        margin: Margin of the loss "margin": of cosines (0.2) for an embedder, of raw scores (1.0) for a re-ranker.
        by: Texts learned from: "path" and "pattern" as ``Rerank`` scores them, or "both".
        max_hops: The longest path.
        negative_hops: The longest negative; ``max_hops`` where None.
        k: Entities around the seeds that paths run through.
        positives: Most paths to answers per question.
        pool: Most other paths per question, from which negatives are drawn.
        least: Which paths are right; see `graphbrick.learn.train.path_examples.PathRules`.
        negatives: Negatives per question and epoch, at most ``pool``.
        hard: Number of these that are the ones the model scores highest.
        refresh: Epochs after which the hard negatives are chosen again.
    """

    base: str
    loss: str
    margin: float
    by: str
    max_hops: int
    negative_hops: int | None
    k: int
    positives: int
    pool: int
    least: float
    negatives: int
    hard: int
    refresh: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TextParameters(Course):
    """Parameters of one training, checked; see `TextOptions`.

    Attributes:
        caller: The function that was called, for errors.
        losses: The losses that it supports.
    """

    decay: ClassVar[float] = 0.01
    caller: str
    losses: tuple[str, ...]
    loss: str
    margin: float = parameter(0.2, above=0, at_most=100)
    by: str = parameter("both", choices=("both", "path", "pattern"))
    max_hops: int = parameter(3, at_least=1, at_most=10)
    negative_hops: int | None = parameter(None, at_least=1)
    k: int = parameter(1000, at_least=1, at_most=1_000_000)
    positives: int = parameter(16, at_least=1, at_most=10_000)
    pool: int = parameter(32, at_least=1, at_most=10_000)
    least: float = parameter(0.5, at_least=0, at_most=1)
    negatives: int = parameter(8, at_least=1)
    hard: int = parameter(4, at_least=0)
    refresh: int = parameter(1, at_least=1, at_most=10_000)

    def __post_init__(self) -> None:
        if self.loss not in self.losses:
            raise InputError(
                f"{self.caller} loss must be one of {', '.join(self.losses)}, got {self.loss!r}; "
                f"try {self.losses[0]!r}",
                code="train_texts.bad_loss",
                loss=self.loss,
            )
        check_parameters(self.caller, self)
        pairs = (("negatives", "pool"), ("hard", "negatives"), ("negative_hops", "max_hops"))
        for name, limit in pairs:
            value, most = getattr(self, name), getattr(self, limit)
            if value is not None and value > most:
                raise InputError(
                    f"{self.caller} {name} must be at most {limit}, which is {most}, got {value}",
                    code="train_texts.too_large",
                    name=name,
                    value=value,
                )

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms of texts that are learned from: "path", "pattern", or both."""
        return ("path", "pattern") if self.by == "both" else (self.by,)

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters as plain JSON types."""
        return {name: value for name, value in asdict(self).items() if name not in ("caller", "losses")}


@dataclass(frozen=True, slots=True)
class Row:
    """A question with the texts, in one form, of paths to its answers and of other paths.

    Attributes:
        question: The question.
        positives: At least one.
        negatives: At least one.
        keys: The key of each text: first of the positives, then of the negatives.
        right: The keys of all positives of the question, in both forms.
    """

    question: str
    positives: tuple[str, ...]
    negatives: tuple[str, ...]
    keys: tuple[Key, ...]
    right: frozenset[Key]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Ranking quality of a model: how far it ranks positives above the drawn negatives.

    Attributes:
        questions: Number of questions ranked; each form of a question counts.
        mrr: The mean reciprocal rank of the best positive; it ranks behind negatives of the same score.
        hits_at_1: Share of questions for which a positive comes first.
    """

    questions: int
    mrr: float
    hits_at_1: float

    @property
    def merit(self) -> float:
        """Measure by which the best epoch is chosen."""
        return self.mrr


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReport(TrainingReport[Ranked]):
    """Result of a training.

    Attributes:
        questions: Number of questions given.
        learned: Questions used for training.
        apart: Questions held out, by their wording, to find the best epoch; 0 if there were too few.
        unseeded: Questions without a seed in the graph.
        unanswered: Questions without an answer in the graph.
        unreached: Questions with no path to an answer.
        cut: Questions with so many paths around the seeds that only the shortest to each entity were examined.
        alone: Questions without a wrong path, so that there is no negative.
        positives: Most paths to answers kept per question.
        long: Number of training texts that the model cuts.
        new_head: Whether the base was not a re-ranker, so that the last layer started at random.
        epochs: Number of epochs run.
        best: The pass after which the weights were best on the questions kept apart, and are kept; 0 where each was
            worse than no training; the last where none were kept apart.
    """

    questions: int
    learned: int
    apart: int
    unseeded: int
    unanswered: int
    unreached: int
    cut: int
    alone: int
    positives: int
    long: int
    new_head: bool
    epochs: int
    best: int

    def lines(self) -> list[str]:
        """Return what to tell the user."""
        lines = [
            f"{self.questions:,} questions, of which {self.learned:,} were learned from and {self.apart:,} kept apart",
            f"  {self.unseeded:,} have no seed in the graph, {self.unanswered:,} no answer, {self.unreached:,} one "
            f"that no path leads to; around {self.alone:,} every path is right",
            f"  at most {self.positives:,} paths to answers a question; around the seeds of {self.cut:,} there were so "
            "many paths that only the shortest were looked at",
            f"{self.epochs} epochs, {self.seconds:.0f} s",
        ]
        if self.long:
            lines.insert(3, f"  {self.long:,} texts are longer than the model reads")
        if self.new_head:
            lines.insert(3, "  the base is not a re-ranker: its last layer began at random")
        if self.untrained is not None and self.trained is not None:
            lines.append(
                f"of {self.trained.questions:,} rankings in wordings kept apart: MRR {self.change('mrr')}, "
                f"Hits@1 {self.change('hits_at_1')} (weights of epoch {self.best})"
            )
            if self.best == 0:
                lines.append("every epoch was worse than the base, whose weights are kept as they were")
        return lines


@dataclass(frozen=True, slots=True)
class Prepared:
    """Training data of a text model.

    Attributes:
        examples: All examples, with the counts of questions that give none.
        learned: The rows to learn from.
        apart: The rows that say which epoch is best.
        questions: Questions to learn from, questions kept apart, and questions that give no row.
    """

    examples: PathExamples
    learned: list[Row]
    apart: list[Row]
    questions: tuple[int, int, int]


def prepare(
    graph: Graph, questions: Sequence[Question] | Grounded, how: TextParameters, progress: Progress, *, alone: bool
) -> Prepared:
    """Find the paths of questions and write their texts.

    Args:
        graph: The graph.
        questions: Questions with answers.
        how: The parameters.
        progress: Told the step, the number done and the total.
        alone: Whether questions are of use around which every path is right.

    Raises:
        InputError: No question gives an example.
    """
    examples = collect(
        graph, linked_questions(graph, questions, how.max_hops),
        PathRules(how.max_hops, how.negative_hops, how.k, how.positives, how.pool, how.least, how.seed),
        progress=part_of(progress, "questions searched"),
    )  # fmt: skip
    usable = [example for example in examples.all if alone or any(rows_of(example, how.forms))]
    learned, apart = held_out(usable, lambda example: example.wording, how.seed)
    if not learned:
        raise InputError(
            f"none of {len(questions):,} questions has a path of at most {how.max_hops} hops from a seed to an answer "
            "and another path; are they questions of this graph?",
            code="train_texts.no_path",
            n=len(questions),
        )
    training = [row for example in learned for row in rows_of(example, how.forms, alone=alone)]
    ranked_by = [row for example in apart for row in rows_of(example, how.forms)]  # a ranking needs negatives
    return Prepared(examples, training, ranked_by, (len(learned), len(apart), len(examples.all) - len(usable)))


def rows_of(example: PathExample, forms: Sequence[str], *, alone: bool = False) -> list[Row]:
    """Return the rows of a question, one a form; without negatives only where ``alone``."""
    rows, right = [], frozenset((path.start, path.pattern) for path in example.positives)
    for by in forms:
        fine = by_text(example.positives, by)
        others = {text: path for text, path in by_text(example.negatives, by).items() if text not in fine}
        keys = tuple((path.start, path.pattern) for path in (*fine.values(), *others.values()))
        if others or alone:
            rows.append(Row(example.text, tuple(fine), tuple(others), keys, right))
    return rows


def ranked(rows: Sequence[Row], scores: Sequence[npt.NDArray[np.float32]]) -> Ranked:
    """Return how well scores rank; each row has those of its positives, then of its negatives."""
    ranks = []
    for row, row_scores in zip(rows, scores, strict=True):
        n = len(row.positives)
        ranks.append(1 + int((row_scores[n:] >= row_scores[:n].max()).sum()))
    reciprocal = 1 / np.array(ranks)
    return Ranked(len(ranks), float(reciprocal.mean()), float((reciprocal == 1).mean()))


def base_of(base: str) -> str:
    """Return the folder of a base model that is named or given by its path, or its name at the hub.

    Raises:
        ModelError: The model of this name was not fetched, or the folder holds no weights that can be trained.
    """
    if not isinstance(base, str) or not base.strip():
        raise ModelError(
            f"the base must be a folder or the name of a model, got {base!r}; try 'all-minilm-l6-v2'",
            code="train_texts.bad_base",
        )
    if base in known():
        base = str(resolve(base))
    folder = Path(base).expanduser()
    if folder.is_dir():
        if not (folder / "config.json").is_file() or not torch_weights(folder):
            raise ModelError(
                f"{base} holds no config.json with *.safetensors or pytorch_model*.bin; weights in ONNX cannot be "
                "trained on: name a folder of sentence-transformers, such as graphbrick models fetch all-minilm-l6-v2",
                code="train_texts.no_weights",
            )
        return str(folder)
    if folder.exists():
        raise ModelError(
            f"{base} is a file; name a folder with a model for sentence-transformers, or one of the hub",
            code="train_texts.base_is_file",
        )
    if base.startswith(("/", ".", "~")) or "\\" in base or base.count("/") > 1:
        raise ModelError(
            f"there is no folder {base}; name a folder with a model, or a model of the hub",
            code="train_texts.no_folder",
        )
    return base
