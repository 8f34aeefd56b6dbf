"""Training an embedding model on questions with answers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graphbrick.core.errors import InputError
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

KIND = "embedder"
LOSSES = ("multiple_negatives", "margin")
BASE = "sentence-transformers/all-MiniLM-L6-v2"
_SCALE = 20.0  # of cosines in the softmax


def train_embedder(
    graph: Graph,
    questions: Sequence[Question] | Grounded,
    out: str | PathLike[str],
    *,
    base: str = BASE,
    loss: str = "multiple_negatives",
    margin: float = 0.2,
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
    batch_size: int = 16,
    learning_rate: float = 5e-5,
    warm_up: float = 0.1,
    patience: int = 2,
    query_prefix: str = "",
    text_prefix: str = "",
    seed: int = 0,
    device: str | None = None,
    overwrite: bool = False,
    watch: Watch | None = None,
) -> TextReport:
    """Train an embedding model so that questions lie near the paths that lead to their answers.

    What is right comes from the graph: paths from the seeds of a question to its answers, told apart from other paths
    around the same seeds, half of which are those that the model itself takes for right (hard negatives). The texts
    are those that ``Rerank`` scores. With the loss "multiple_negatives", a softmax over cosines, the paths of the
    other questions of a batch are negatives too, but for those that are right for the question as well; with
    "margin", the loss of the paper, max(0, margin - S(q, positive) + S(q, negative)). A tenth of the wordings is kept
    apart to find the best epoch (see `graphbrick.train.path_examples.split`). The same seed gives the same weights on
    the same machine with as many threads.

    Args:
        graph: The graph.
        questions: Questions with answers, or what `ground` found of them; those without seeds are linked by labels.
        out: The folder to write, for ``EmbeddingModel(out)``: weights for torch and in ONNX, which are float32.
        base: What is trained on: a folder, a name that `graphbrick models` knows, or one of the hub.
        loss: "multiple_negatives" or "margin".
        margin: Of cosines, above 0; for the loss "margin".
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
        batch_size: Questions a step.
        learning_rate: At its highest, above 0.
        warm_up: Share of the steps in which it rises, in [0, 1]; then it falls to nothing.
        patience: Epochs without a better mean reciprocal rank after which the training ends.
        query_prefix: What the base expects before a question; give the same to `EmbeddingModel`.
        text_prefix: What it expects before a text.
        seed: Of everything that is drawn at random.
        device: Such as "cpu" or "cuda:0"; a GPU of CUDA where None and there is one.
        overwrite: Replace a trained embedding model that is there.
        watch: Told (what is done, how much of it is done, how much there is).

    Returns:
        Counts, and how well the model ranks with and without training.

    Raises:
        InputError: There is no question to learn from, or a parameter is out of range.
        ModelError: A package is missing, the base cannot be loaded, or the folder cannot be written.

    Example:
        >>> from graphbrick.evaluate.datasets import load
        >>> train_embedder(graph, load("questions.jsonl"), "films.embedder", base="all-minilm-l6-v2")  # doctest: +SKIP
        >>> pipeline = ShortestPaths() >> Rerank(EmbeddingModel("films.embedder")) >> PathAnswer()     # doctest: +SKIP
    """
    how = Fitting(
        "train_embedder", loss, LOSSES, margin, by, max_hops, negative_hops, k, positives, pool, least, negatives,
        hard, refresh, epochs, batch_size, learning_rate, warm_up, patience, seed,
    )  # fmt: skip
    for name, prefix in (("query_prefix", query_prefix), ("text_prefix", text_prefix)):
        if not isinstance(prefix, str):
            raise InputError(f"train_embedder {name} must be a text, got {prefix!r}; try 'query: '")
    started, place, tell = time.perf_counter(), Path(out).expanduser(), watch or (lambda what, done, total: None)
    check_place(place, KIND, overwrite=overwrite)
    check_packages("train_embedder")
    base = base_of(base)
    on = device_of(device)
    with seeded(seed, on):
        model = open_base("SentenceTransformer", base)
        given = prepare(graph, questions, how, tell, alone=loss == "multiple_negatives")
        trainee = _Embedder(model, on, how, query_prefix, text_prefix)
        long = trainee.count_long(given.texts())
        fitted = fit(trainee, given.learned, given.apart, how, tell)
    report = report_of(given, how, fitted, long=long, new_head=False, seconds=time.perf_counter() - started)
    said = about(graph, base, how, report, query_prefix=query_prefix, text_prefix=text_prefix)
    with writing(place, KIND, said, overwrite=overwrite) as folder:
        trainee.write(folder, given.texts())
    return report


class _Embedder(Trainee):
    """A bi-encoder in training."""

    def __init__(self, model: Any, device: torch.device, how: Fitting, query_prefix: str, text_prefix: str) -> None:
        super().__init__(model, device)
        self._how, self._query_prefix, self._text_prefix = how, query_prefix, text_prefix

    def loss(self, drawn: Sequence[Drawn]) -> torch.Tensor:
        import torch

        texts = list(dict.fromkeys(text for one in drawn for text in one.texts))
        place = {text: i for i, text in enumerate(texts)}
        asked = self._vectors([self._query_prefix + one.row.question for one in drawn])
        cosines = asked @ self._vectors([self._text_prefix + text for text in texts]).T
        keys = {text: key for one in drawn for text, key in zip(one.texts, one.keys, strict=True)}
        if self._how.loss == "margin":
            terms = [
                torch.relu(self._how.margin - cosines[i, place[one.texts[0]]] + cosines[i, place[text]])
                for i, one in enumerate(drawn)
                for text in one.texts[1:]
            ]
            return torch.stack(terms).mean()
        # Of the texts of other questions, those are no negatives that are right for this one too.
        masked = [
            [text != one.texts[0] and (keys[text] in one.row.right or text in one.row.positives) for text in texts]
            for one in drawn
        ]
        logits = (_SCALE * cosines).masked_fill(torch.tensor(masked, device=self.device), float("-inf"))
        target = torch.tensor([place[one.texts[0]] for one in drawn], device=self.device)
        return torch.nn.functional.cross_entropy(logits, target)

    def rate(self, asked: Sequence[Asked]) -> list[Floats]:
        questions = self.encode([self._query_prefix + question for question, _ in asked])
        distinct = list(dict.fromkeys(text for _, texts in asked for text in texts))
        place = {text: i for i, text in enumerate(distinct)}
        vectors = self.encode([self._text_prefix + text for text in distinct])
        return [
            vectors[[place[text] for text in texts]] @ question
            for question, (_, texts) in zip(questions, asked, strict=True)
        ]

    def encode(self, texts: Sequence[str]) -> Floats:
        """The vectors of texts, float32 [texts, dimensions], of length 1, without a gradient."""
        import torch

        distinct = list(dict.fromkeys(texts))
        place, rows = {text: i for i, text in enumerate(distinct)}, [np.zeros(0, dtype=np.float32)] * len(distinct)
        self.model.eval()
        with torch.inference_mode():
            for places, tokens in self.batches(distinct):
                for i, vector in zip(places, self._unit(tokens).cpu().numpy(), strict=True):
                    rows[i] = vector
        return np.stack([rows[place[text]] for text in texts])

    def write(self, folder: Path, texts: Sequence[str]) -> None:
        """Write the model, and see that what onnxruntime makes of it are the vectors of torch."""
        import torch

        from graphbrick.embedders.embedding_model import EmbeddingModel

        model = self.model.to("cpu").eval()
        self.device = torch.device("cpu")
        with quiet():
            model.save_pretrained(str(folder), create_model_card=False)
        tokens = self.tokens([texts[0], texts[-1] + texts[0]])
        names = list(tokens)

        class Whole(torch.nn.Module):  # type: ignore[misc]
            def __init__(self) -> None:
                super().__init__()
                self.model = model

            def forward(self, *given: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
                made = self.model(dict(zip(names, given, strict=True)))
                return made["token_embeddings"], made["sentence_embedding"]

        write_onnx(Whole(), tokens, ("last_hidden_state", "sentence_embedding"), folder / WEIGHTS)
        written = EmbeddingModel(str(folder))
        for batch in samples(texts):
            check_agreement(self.encode(batch), written.encode(batch), len(batch))

    def _vectors(self, texts: Sequence[str]) -> torch.Tensor:
        return self._unit(self.tokens(texts))

    def _unit(self, tokens: dict[str, torch.Tensor]) -> torch.Tensor:
        import torch

        return torch.nn.functional.normalize(self.model(dict(tokens))["sentence_embedding"], dim=-1)
