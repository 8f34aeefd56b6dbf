"""Training a re-ranker on questions with answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import ModelError
from graphbrick.graphs.graph import Graph
from graphbrick.learn.train.texts.text_models import TextOptions, TextParameters, TextReport
from graphbrick.learn.train.texts.text_trainer import Candidates, Drawn, Floats, Trainee, train_text_model
from graphbrick.questions.grounding import Grounded
from graphbrick.questions.question import Question

if TYPE_CHECKING:
    import torch


def train_reranker(
    graph: Graph,
    questions: Sequence[Question] | Grounded,
    out: str | PathLike[str],
    **options: Unpack[TextOptions],
) -> TextReport:
    """Train a cross-encoder that scores the paths that lead to the answers of a question above others.

    The positives come from the graph, as for `train_embedder`. A base that is not a re-ranker, such as a plain BERT
    or an embedding model, gets a new last layer and needs more questions. The same seed gives the same
    weights on the same machine with as many threads.

    Losses: "binary" (cross-entropy of right and wrong), "softmax" over one positive and its negatives, and "margin",
    the loss of the paper, max(0, margin - S(q, positive) + S(q, negative)).

    Args:
        graph: The graph.
        questions: Questions with answers, or the result of `ground`; those without seeds are linked by labels.
        out: The folder to write, for ``CrossEncoder(out)``: weights for torch and in ONNX, which are float32.
        **options: See `graphbrick.learn.train.texts.text_models.TextOptions`. The base is
        "cross-encoder/ms-marco-MiniLM-L6-v2" by
            default.

    Returns:
        Counts, and how well the model ranks with and without training.

    Raises:
        InputError: There is no question to learn from, or a parameter is out of range.
        ModelError: A package is missing, the base cannot be loaded, or the folder cannot be written.

    Example::

        from graphbrick.questions.loading import load
        train_reranker(graph, load("questions.jsonl"), "films.reranker")
        pipeline = ShortestPaths() >> Rerank(CrossEncoder("films.reranker")) >> PathAnswer()
    """
    return train_text_model(RerankerTrainee, graph, questions, out, options, {})


class RerankerTrainee(Trainee):
    """A cross-encoder in training."""

    kind = "re-ranker"
    caller = "train_reranker"
    library_class = ("CrossEncoder", {"num_labels": 1})
    base = "cross-encoder/ms-marco-MiniLM-L6-v2"
    losses = ("binary", "softmax", "margin")
    margin = 1.0
    batch_size = 8
    outputs = ("logits",)

    def __init__(self, model: Any, device: torch.device, how: TextParameters, prefixes: Mapping[str, str]) -> None:
        if model.model is None or model.num_labels != 1 or len(list(model.children())) != 1:
            raise ModelError(
                "the base does not classify texts; name a BERT or a re-ranker with one output",
                code="train_reranker.no_classifier",
            )
        super().__init__(model, device, how, prefixes)
        architectures = model.config.architectures or ()
        self.new_head = not any(name.endswith("ForSequenceClassification") for name in architectures)

    def inputs(self, question: str, texts: Sequence[str]) -> list[Any]:  # noqa: D102
        return [(question, text) for text in texts]

    def forward(self, tokens: dict[str, torch.Tensor]) -> torch.Tensor:  # noqa: D102
        return self.model.model(**tokens).logits[:, 0]

    def loss(self, drawn: Sequence[Drawn]) -> torch.Tensor:  # noqa: D102
        import torch

        pairs = [pair for one in drawn for pair in self.inputs(one.row.question, one.texts)]
        rows = torch.split(self.forward(self.tokens(pairs)), [len(one.texts) for one in drawn])
        scores = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=float("-inf"))
        is_text = torch.isfinite(scores)
        if self.how.loss == "softmax":
            first = torch.zeros(len(drawn), dtype=torch.long, device=self.device)
            return torch.nn.functional.cross_entropy(scores, first)
        if self.how.loss == "binary":
            wanted = torch.zeros_like(scores)
            wanted[:, 0] = 1
            return torch.nn.functional.binary_cross_entropy_with_logits(scores[is_text], wanted[is_text])
        return torch.relu(self.how.margin - scores[:, :1] + scores[:, 1:])[is_text[:, 1:]].mean()

    def rate(self, questions: Sequence[Candidates]) -> list[Floats]:  # noqa: D102
        scores = self.infer([pair for question, texts in questions for pair in self.inputs(question, texts)])
        return list(np.split(scores, np.cumsum([len(texts) for _, texts in questions])[:-1]))

    def outputs_of(self, tokens: dict[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:  # noqa: D102
        return (self.model.model(**tokens).logits,)

    @staticmethod
    def reopened(folder: str) -> Callable[[str, Sequence[str]], npt.NDArray[Any]]:  # noqa: D102
        from graphbrick.models.scorers.cross_encoder import CrossEncoder

        return CrossEncoder(folder).score
