"""Training an embedding model on questions with answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import InputError
from graphbrick.graphs.graph import Graph
from graphbrick.learn.train.texts.text_models import TextOptions, TextReport
from graphbrick.learn.train.texts.text_trainer import Candidates, Drawn, Floats, Trainee, train_text_model
from graphbrick.questions.grounding import Grounded
from graphbrick.questions.question import Question

if TYPE_CHECKING:
    import torch

_SCALE = 20.0  # scale of the cosines in the softmax


def train_embedder(
    graph: Graph,
    questions: Sequence[Question] | Grounded,
    out: str | PathLike[str],
    *,
    query_prefix: str = "",
    text_prefix: str = "",
    **options: Unpack[TextOptions],
) -> TextReport:
    """Train an embedding model so that questions lie near the paths that lead to their answers.

    The positives come from the graph: paths from the seeds of a question to its answers. The negatives are other paths
    around the same seeds, half of them those that the model itself scores highest (hard negatives). The texts
    are those that ``Rerank`` scores. A tenth of the wordings is held out to find the best epoch (see
    `graphbrick.learn.train.path_examples.split`). The same seed gives the same weights on the same machine with as many
    threads.

    Losses: "multiple_negatives", a softmax over cosines, in which the paths of the other questions of a batch are
    negatives too, except those that are right for the question as well; and "margin", the loss of the paper,
    max(0, margin - S(q, positive) + S(q, negative)).

    Args:
        graph: The graph.
        questions: Questions with answers, or the result of `ground`; those without seeds are linked by labels.
        out: The folder to write, for ``EmbeddingModel(out)``: weights for torch and in ONNX, which are float32.
        query_prefix: What the base expects before a question; give the same to `EmbeddingModel`.
        text_prefix: What it expects before a text.
        **options: See `graphbrick.learn.train.texts.text_models.TextOptions`. The base is
            "sentence-transformers/all-MiniLM-L6-v2" by default.

    Returns:
        Counts, and how well the model ranks with and without training.

    Raises:
        InputError: There is no question to learn from, or a parameter is out of range.
        ModelError: A package is missing, the base cannot be loaded, or the folder cannot be written.

    Example::

        from graphbrick.questions.loading import load
        train_embedder(graph, load("questions.jsonl"), "films.embedder", base="all-minilm-l6-v2")
        pipeline = ShortestPaths() >> Rerank(EmbeddingModel("films.embedder")) >> PathAnswer()
    """
    prefixes = {"query_prefix": query_prefix, "text_prefix": text_prefix}
    for name, prefix in prefixes.items():
        if not isinstance(prefix, str):
            raise InputError(
                f"train_embedder {name} must be a text, got {prefix!r}; try 'query: '",
                code="train_embedder.bad_prefix",
                name=name,
            )
    return train_text_model(EmbedderTrainee, graph, questions, out, options, prefixes)


class EmbedderTrainee(Trainee):
    """A bi-encoder in training."""

    kind = "embedder"
    caller = "train_embedder"
    library_class = ("SentenceTransformer", {})
    base = "sentence-transformers/all-MiniLM-L6-v2"
    losses = ("multiple_negatives", "margin")
    margin = 0.2
    batch_size = 16
    one_sided_losses = ("multiple_negatives",)
    outputs = ("last_hidden_state", "sentence_embedding")

    def inputs(self, question: str, texts: Sequence[str]) -> list[Any]:  # noqa: D102
        return list(texts)

    def forward(self, tokens: dict[str, torch.Tensor]) -> torch.Tensor:  # noqa: D102
        import torch

        return torch.nn.functional.normalize(self.model(dict(tokens))["sentence_embedding"], dim=-1)

    def loss(self, drawn: Sequence[Drawn]) -> torch.Tensor:  # noqa: D102
        import torch

        texts = list(dict.fromkeys(text for one in drawn for text in one.texts))
        place = {text: i for i, text in enumerate(texts)}
        questions = self.forward(self.tokens([self.prefixes["query_prefix"] + one.row.question for one in drawn]))
        cosines = questions @ self.forward(self.tokens([self.prefixes["text_prefix"] + text for text in texts])).T
        keys = {text: key for one in drawn for text, key in zip(one.texts, one.keys, strict=True)}
        if self.how.loss == "margin":
            terms = [
                torch.relu(self.how.margin - cosines[i, place[one.texts[0]]] + cosines[i, place[text]])
                for i, one in enumerate(drawn)
                for text in one.texts[1:]
            ]
            return torch.stack(terms).mean()
        # Texts of other questions are not negatives when they are right for this question too.
        masked = [
            [text != one.texts[0] and (keys[text] in one.row.right or text in one.row.positives) for text in texts]
            for one in drawn
        ]
        logits = (_SCALE * cosines).masked_fill(torch.tensor(masked, device=self.device), float("-inf"))
        target = torch.tensor([place[one.texts[0]] for one in drawn], device=self.device)
        return torch.nn.functional.cross_entropy(logits, target)

    def rate(self, questions: Sequence[Candidates]) -> list[Floats]:  # noqa: D102
        question_vectors = self.infer([self.prefixes["query_prefix"] + question for question, _ in questions])
        distinct = list(dict.fromkeys(text for _, texts in questions for text in texts))
        if not distinct:  # questions around which every path is right have no negatives to rate
            return [np.zeros(0, dtype=np.float32)] * len(questions)
        place = {text: i for i, text in enumerate(distinct)}
        vectors = self.infer([self.prefixes["text_prefix"] + text for text in distinct])
        return [
            vectors[[place[text] for text in texts]] @ vector
            for vector, (_, texts) in zip(question_vectors, questions, strict=True)
        ]

    def outputs_of(self, tokens: dict[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:  # noqa: D102
        made = self.model(tokens)
        return made["token_embeddings"], made["sentence_embedding"]

    @staticmethod
    def reopened(folder: str) -> Callable[[str, Sequence[str]], npt.NDArray[Any]]:  # noqa: D102
        from graphbrick.models.embedders.embedding_model import EmbeddingModel

        written = EmbeddingModel(folder)
        return lambda question, texts: np.asarray(written.encode(texts))
