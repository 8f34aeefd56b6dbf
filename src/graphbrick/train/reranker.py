"""Training a re-ranker on questions with answers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graphbrick.core.errors import ModelError
from graphbrick.evaluate.datasets import Grounded, Question
from graphbrick.graphs.graph import Graph
from graphbrick.train.export import WEIGHTS, check_agreement, samples, write_onnx
from graphbrick.train.folder import check_place, writing
from graphbrick.train.patterns import Watch
from graphbrick.train.text_models import (
    Fitting,
    TextReport,
    about,
    base_of,
    check_packages,
    prepare,
    report_of,
)
from graphbrick.train.torch_fit import Asked, Drawn, Floats, Trainee, device_of, fit, open_base, quiet, seeded

if TYPE_CHECKING:
    import torch

KIND = "re-ranker"
LOSSES = ("binary", "softmax", "margin")
BASE = "cross-encoder/ms-marco-MiniLM-L6-v2"


def train_reranker(
    graph: Graph,
    questions: Sequence[Question] | Grounded,
    out: str | PathLike[str],
    *,
    base: str = BASE,
    loss: str = "binary",
    margin: float = 1.0,
    by: str = "both",
    max_hops: int = 3,
    negative_hops: int | None = None,
    k: int = 1000,
    positives: int = 16,
    pool: int = 32,
    least: float = 0.5,
    negatives: int = 8,
    hard: int = 4,
    refresh: int = 1,
    epochs: int = 4,
    batch_size: int = 8,
    learning_rate: float = 5e-5,
    warm_up: float = 0.1,
    patience: int = 2,
    seed: int = 0,
    device: str | None = None,
    overwrite: bool = False,
    watch: Watch | None = None,
) -> TextReport:
    """Train a cross-encoder that scores the paths that lead to the answers of a question above others.

    What is right comes from the graph, as for `train_embedder`. The losses: "binary" (cross-entropy of right and
    wrong), "softmax" over one positive and its negatives, and "margin", that of the paper,
    max(0, margin - S(q, positive) + S(q, negative)). A base that is no re-ranker, such as a plain BERT or an
    embedding model, gets a new last layer, which takes more questions to learn. The same seed gives the same weights
    on the same machine with as many threads.

    Args:
        graph: The graph.
        questions: Questions with answers, or what `ground` found of them; those without seeds are linked by labels.
        out: The folder to write, for ``CrossEncoder(out)``: weights for torch and in ONNX, which are float32.
        base: What is trained on: a folder, a name that `graphbrick models` knows, or one of the hub.
        loss: "binary", "softmax" or "margin".
        margin: Of raw scores, above 0; for the loss "margin".
        by: What texts are learned from: "path" and "pattern" as ``Rerank`` scores them, or "both".
        max_hops: The longest path, from 1 to 10.
        negative_hops: The longest negative; ``max_hops`` where None.
        k: Entities around the seeds that paths run through, at least 1.
        positives: Paths to answers a question at most.
        pool: Other paths a question at most; the negatives are drawn from them.
        least: Which paths are right; see `graphbrick.train.path_examples.collect`.
        negatives: Negatives a question and epoch, from 1 to ``pool``.
        hard: How many of these are the ones that the model scores highest, from 0.
        refresh: Epochs after which the model is asked again which these are.
        epochs: Passes at most.
        batch_size: Questions a step; each is read with its positive and every negative.
        learning_rate: At its highest, above 0.
        warm_up: Share of the steps in which it rises, in [0, 1]; then it falls to nothing.
        patience: Epochs without a better mean reciprocal rank after which the training ends.
        seed: Of everything that is drawn at random.
        device: Such as "cpu" or "cuda:0"; a GPU of CUDA where None and there is one.
        overwrite: Replace a trained re-ranker that is there.
        watch: Told (what is done, how much of it is done, how much there is).

    Returns:
        Counts, and how well the model ranks with and without training.

    Raises:
        InputError: There is no question to learn from, or a parameter is out of range.
        ModelError: A package is missing, the base cannot be loaded, or the folder cannot be written.

    Example:
        >>> from graphbrick.evaluate.datasets import load
        >>> train_reranker(graph, load("questions.jsonl"), "films.reranker")                      # doctest: +SKIP
        >>> pipeline = ShortestPaths() >> Rerank(CrossEncoder("films.reranker")) >> PathAnswer()  # doctest: +SKIP
    """
    how = Fitting(
        "train_reranker", loss, LOSSES, margin, by, max_hops, negative_hops, k, positives, pool, least, negatives,
        hard, refresh, epochs, batch_size, learning_rate, warm_up, patience, seed,
    )  # fmt: skip
    started, place, tell = time.perf_counter(), Path(out).expanduser(), watch or (lambda what, done, total: None)
    check_place(place, KIND, overwrite=overwrite)
    check_packages("train_reranker")
    base = base_of(base)
    on = device_of(device)
    with seeded(seed, on):
        model = open_base("CrossEncoder", base, num_labels=1)
        if model.model is None or model.num_labels != 1 or len(list(model.children())) != 1:
            raise ModelError(f"{base} is no model that classifies texts; name a BERT or a re-ranker with one output")
        given = prepare(graph, questions, how, tell, alone=False)
        trainee = _Reranker(model, on, how)
        rows = given.learned + given.apart
        long = trainee.count_long([(row.question, text) for row in rows for text in row.positives + row.negatives])
        fitted = fit(trainee, given.learned, given.apart, how, tell)
    report = report_of(given, how, fitted, long=long, new_head=trainee.new_head, seconds=time.perf_counter() - started)
    with writing(place, KIND, about(graph, base, how, report), overwrite=overwrite) as folder:
        trainee.write(folder, given.learned[0].question, given.texts())
    return report


def _is_new(model: Any) -> bool:
    """Whether the base had no layer that makes a score of a pair."""
    return not any(name.endswith("ForSequenceClassification") for name in model.config.architectures or ())


class _Reranker(Trainee):
    """A cross-encoder in training."""

    def __init__(self, model: Any, device: torch.device, how: Fitting) -> None:
        super().__init__(model, device, new_head=_is_new(model))
        self._how = how

    def loss(self, drawn: Sequence[Drawn]) -> torch.Tensor:
        import torch

        given = self._logits(self.tokens([(one.row.question, text) for one in drawn for text in one.texts]))
        scores = torch.nn.utils.rnn.pad_sequence(
            torch.split(given, [len(one.texts) for one in drawn]), batch_first=True, padding_value=float("-inf")
        )
        there = torch.isfinite(scores)
        if self._how.loss == "softmax":
            return torch.nn.functional.cross_entropy(
                scores, torch.zeros(len(drawn), dtype=torch.long, device=self.device)
            )
        if self._how.loss == "binary":
            wanted = torch.zeros_like(scores)
            wanted[:, 0] = 1
            return torch.nn.functional.binary_cross_entropy_with_logits(scores[there], wanted[there])
        return torch.relu(self._how.margin - scores[:, :1] + scores[:, 1:])[there[:, 1:]].mean()

    def rate(self, asked: Sequence[Asked]) -> list[Floats]:
        scores = self.score([(question, text) for question, texts in asked for text in texts])
        return list(np.split(scores, np.cumsum([len(texts) for _, texts in asked])[:-1]))

    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """The raw scores of pairs, float32 [pairs], without a gradient."""
        import torch

        scores = np.zeros(len(pairs), dtype=np.float32)
        self.model.eval()
        with torch.inference_mode():
            for places, tokens in self.batches(pairs):
                scores[places] = self._logits(tokens).cpu().numpy()
        return scores

    def write(self, folder: Path, question: str, texts: Sequence[str]) -> None:
        """Write the model, and see that what onnxruntime makes of it are the scores of torch."""
        import torch

        from graphbrick.scorers.cross_encoder import CrossEncoder

        self.model.to("cpu").eval()
        self.device = torch.device("cpu")
        with quiet():
            self.model.save_pretrained(str(folder), create_model_card=False)
        tokens = self.tokens([(question, texts[0]), (question, texts[-1] + texts[0])])
        names, inner = list(tokens), self.model.model

        class Whole(torch.nn.Module):  # type: ignore[misc]
            def __init__(self) -> None:
                super().__init__()
                self.model = inner

            def forward(self, *given: torch.Tensor) -> tuple[torch.Tensor]:
                return (self.model(**dict(zip(names, given, strict=True))).logits,)

        write_onnx(Whole(), tokens, ("logits",), folder / WEIGHTS)
        written = CrossEncoder(str(folder))
        for batch in samples(texts):
            expected = self.score([(question, text) for text in batch])
            check_agreement(expected, written.score(question, batch).astype(np.float32), len(batch))

    def _logits(self, tokens: dict[str, torch.Tensor]) -> torch.Tensor:
        return self.model.model(**tokens).logits[:, 0]
