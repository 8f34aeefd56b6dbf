"""Any cross-encoder: a model that reads question and text together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import ModelError
from graphbrick.core.parameters import parameter
from graphbrick.models.onnx_text import Texts, first_line, load, onnx_weights, readable
from graphbrick.models.places import template_of
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.models.torch_text import BATCH, count_tokens, open_torch


@dataclass(frozen=True, repr=False)
class CrossEncoder(Scorer):
    """A re-ranker that reads question and text together: slower than an embedding model, and more exact.

    A folder with ``tokenizer.json`` and ``model.onnx`` or ``onnx/model.onnx`` (else the ``_quantized`` or ``_int8``
    form) runs on onnxruntime, without torch, and cuts pairs at the model's maximum and at 512 tokens at most; all
    other models are loaded by sentence-transformers, on a GPU where there is one. The score is the raw output of
    the model; of a model with two outputs it is the second minus the first. Code that comes with a model is never
    run. Pairs that are cut are an event. With quantised weights a score changes a little with the texts that it is
    scored together with.

    Args:
        model: A model of ``graphbrick models list``, such as "reranker"; a folder; or a name of the Hugging Face hub.
        template: For a model in ONNX that reads one text: how it is made, such as "Question: {query} Text: {text}";
            empty for one that reads a pair, and for a listed model, whose template is known.

    Returns:
        One score a text, of any size; higher is better.

    Raises:
        ModelError: The folder holds no model, the hub does not know the name or is away, or a package is missing
            (``graphbrick[minilm]`` for folders in ONNX, ``graphbrick[torch]`` for all others).
    """

    paper = "Nogueira and Cho, Passage Re-ranking with BERT, 2019"
    comparable: ClassVar[bool] = True

    model: str = parameter("BAAI/bge-reranker-v2-m3", path=True)
    template: str = parameter("", may_be_empty=True, example="Query: {query}\nSentence: {text}")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.template and not ("{query}" in self.template and "{text}" in self.template):
            self.refuse("template", "a text with {query} and {text} in it", "Query: {query}\nSentence: {text}")

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the output of the model for each pair of query and text."""
        if not texts:
            return np.zeros(0)
        weights = onnx_weights(self.model, "CrossEncoder")
        if weights is None and self.template:
            raise ModelError(
                f"{self!r}: sentence-transformers reads pairs; a template needs a model in ONNX",
                code="cross_encoder.template_needs_onnx",
            )
        template = self.template or template_of(self.model)
        pairs = [_filled(template, query, text) for text in texts] if template else [(query, text) for text in texts]
        outputs = self._by_torch(pairs) if weights is None else self._by_onnx(weights, pairs)
        logits = outputs.astype(np.float64).reshape(len(texts), -1)
        if logits.shape[1] > 2:
            raise ModelError(
                f"{self.model} gives {logits.shape[1]} numbers a pair; a re-ranker gives one or two",
                code="cross_encoder.wrong_outputs",
                numbers=logits.shape[1],
            )
        scores: npt.NDArray[np.float64] = logits[:, -1] - logits[:, 0] if logits.shape[1] == 2 else logits[:, 0]
        return scores

    def _by_onnx(self, weights: Path, pairs: Texts) -> npt.NDArray[np.float32]:
        model = load(self.model, weights)
        names = [put.name for put in model.session.get_outputs()]
        rows: dict[int, npt.NDArray[np.float32]] = {}
        for batch, _, values in model.run(pairs, "logits" if "logits" in names else names[0]):
            rows.update(zip(batch, values, strict=True))
        return np.stack([rows[i] for i in range(len(pairs))])

    def _by_torch(self, pairs: Texts) -> npt.NDArray[np.float32]:
        model = open_torch("CrossEncoder", self.model)
        import torch

        pairs = readable(pairs)
        count_tokens(self.model, model, pairs)
        raw = torch.nn.Identity()  # in the place of the sigmoid, in which high scores run together
        try:
            logits = model.predict(pairs, batch_size=BATCH, show_progress_bar=False, activation_fn=raw)
        except Exception as error:
            raise ModelError(
                f"{self.model} cannot be run: {first_line(error)}", code="cross_encoder.cannot_run"
            ) from error
        return np.asarray(logits)


def _filled(template: str, query: str, text: str) -> str:
    # In one pass, so that a query may hold "{text}".
    return re.sub(r"\{(query|text)\}", lambda match: query if match[1] == "query" else text, template)
