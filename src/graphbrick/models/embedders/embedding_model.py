"""Any embedding model: from a folder in ONNX, or from the hub with sentence-transformers."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import ModelError
from graphbrick.core.files.digests import digest
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.onnx_text import (
    POOLINGS,
    TOKENIZER,
    OnnxText,
    first_line,
    load,
    onnx_weights,
    readable,
    settings_of,
    torch_weights,
    unit_vectors,
)
from graphbrick.models.places import folder_of
from graphbrick.models.torch_text import BATCH, count_tokens, open_torch

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_MODULES = ("Transformer", "Pooling", "Normalize")
_POOLING_SWITCHES = {
    "cls": "pooling_mode_cls_token",
    "max": "pooling_mode_max_tokens",
    "mean": "pooling_mode_mean_tokens",
    "mean_sqrt_len_tokens": "pooling_mode_mean_sqrt_len_tokens",
    "weightedmean": "pooling_mode_weightedmean_tokens",
    "lasttoken": "pooling_mode_lasttoken",
}


@dataclass(frozen=True, repr=False)
class EmbeddingModel(Embedder):
    """Cosine similarity of the embeddings of any model: a folder, or a name of the Hugging Face hub.

    A folder with ``tokenizer.json`` and ``model.onnx`` or ``onnx/model.onnx`` (else the ``_quantized`` or ``_int8``
    form) runs on onnxruntime, without torch: texts are cut at the model's maximum and at 512 tokens at most, and token
    vectors are joined as ``1_Pooling/config.json`` says (mean, cls or max; the mean without that file). Everything else
    is loaded by sentence-transformers, on a GPU where there is one. Code that comes with a model is never run, and
    prompts in its files are not used: the prefixes here are what marks a text. Texts that are cut are an event.

    Systems with two encoders, such as DPR (Karpukhin et al., 2020), have one model for passages, ``model``, and one for
    questions, ``query_model``. DPR compares by inner product; here, as everywhere, vectors have length 1.

    Args:
        model: A folder, a name such as "BAAI/bge-small-en-v1.5", or one of ``graphbrick models list``.
        query_prefix: Text that the model expects before a question, such as "query: " for E5.
        text_prefix: Text that it expects before a text, such as "passage: " for E5.
        query_model: The model of questions if they have one of their own, else empty; vectors have the same length.
        batch: Texts that sentence-transformers runs at once, at least 1; fewer need less memory. Models in ONNX run as
            many as have 1,024 tokens together.

    Returns:
        One score for each text, in [-1, 1].

    Raises:
        ModelError: The folder holds no model, the hub does not know the name or is away, or a package is missing
            (``graphbrick[minilm]`` for folders in ONNX, ``graphbrick[torch]`` for all others).
    """

    paper = "Reimers and Gurevych, Sentence-BERT, EMNLP 2019"

    model: str = parameter(path=True, example="BAAI/bge-small-en-v1.5")
    query_prefix: str = parameter("", may_be_empty=True, example="query: ")
    text_prefix: str = parameter("", may_be_empty=True, example="passage: ")
    query_model: str = parameter(
        "", may_be_empty=True, path=True, example="sentence-transformers/facebook-dpr-question_encoder-single-nq-base"
    )
    batch: int = parameter(BATCH, at_least=1, changes_results=False)

    @property
    def identity(self) -> str:
        """Checksum of the files, or name and revision at the hub, and the prefix of texts.

        Prefix and model of questions are left out, because they do not change the vectors of texts.
        """
        weights, folder = onnx_weights(self.model, "EmbeddingModel"), folder_of(self.model)
        if weights is not None:
            model = load(self.model, weights)
            files = [
                *sorted(weights.parent.glob(f"{weights.name}*")),
                folder / TOKENIZER,
            ]  # with pieces
            source = f"onnx sha256 {_checksum(files)} {_pooling(folder, model)} of {model.max_tokens} tokens"
        elif folder.is_dir():
            settings = {
                *folder.glob("*.json"),
                *folder.glob("*/*.json"),
                *folder.glob("*.txt"),
                *folder.glob("*.model"),
            }
            source = f"torch sha256 {_checksum([*torch_weights(folder), *sorted(settings)])}"
        else:
            open_torch("SentenceTransformer", self.model)  # a model that was not downloaded has no revision
            source = f"hub {self.model} {_revision(self.model) or 'of unknown revision'}"
        return f"{source}, text_prefix={self.text_prefix!r}"

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the vectors of texts, float32 [texts, dimensions], of length 1."""
        return self._vectors(self.model, [self.text_prefix + text for text in texts])

    def encode_query(self, query: str) -> npt.NDArray[np.float32]:
        """Return the vector of a question, float32 [dimensions]."""
        model = self.query_model or self.model
        if not (self.query_prefix or self.text_prefix):
            prompts = {name: prompt for name, prompt in _prompts(model).items() if prompt}
            if prompts:
                event(
                    f"{model} was made with the prompts {prompts}; give them as query_prefix and text_prefix",
                    "embedding_model.has_prompts",
                    prompts=prompts,
                )
        vector: npt.NDArray[np.float32] = self._vectors(model, [self.query_prefix + query])[0]
        return vector

    def tokenizer(self) -> Tokenizer | None:
        """Return the tokenizer of the model of texts; None if torch loads it with one that is not a fast one."""
        weights = onnx_weights(self.model, "EmbeddingModel")
        if weights is not None:
            return load(self.model, weights).tokenizer
        tokenizer: Tokenizer | None = getattr(
            open_torch("SentenceTransformer", self.model).tokenizer, "backend_tokenizer", None
        )
        return tokenizer

    def _vectors(self, name: str, texts: list[str]) -> npt.NDArray[np.float32]:
        weights = onnx_weights(name, "EmbeddingModel")
        if weights is not None:
            onnx = load(name, weights)
            return onnx.embed(texts, _pooling(folder_of(name), onnx))
        model = open_torch("SentenceTransformer", name)
        texts = readable(texts)
        count_tokens(name, model, texts, self.batch)
        try:
            # The empty prompt overrides a default prompt in the model's files.
            vectors = model.encode(
                texts, prompt="", batch_size=self.batch, show_progress_bar=False, convert_to_numpy=True
            )
        except Exception as error:
            raise ModelError(f"{name} cannot be run: {first_line(error)}", code="embedding_model.cannot_run") from error
        return unit_vectors(np.asarray(vectors), texts, name)


def _prompts(model: str) -> dict[str, str]:
    """Return the prompts in the files of a model, by name."""
    if onnx_weights(model) is None:
        return dict(open_torch("SentenceTransformer", model).prompts or {})
    settings = settings_of(folder_of(model) / "config_sentence_transformers.json")
    prompts = settings.get("prompts")
    return dict(prompts) if isinstance(prompts, dict) else {}


def _pooling(folder: Path, model: OnnxText) -> str:
    """Return how the token vectors of a model in ONNX are joined.

    Raises:
        ModelError: The way is not supported, or the model has a module that is not in its ONNX file.
    """
    if model.gives_sentences:
        return "none"
    advice = (
        "export the whole model, so that it gives sentence_embedding, or remove the ONNX file to load it with torch"
    )
    modules = settings_of(folder / "modules.json", list)
    for module in modules:
        kind = str(module.get("type", "") if isinstance(module, dict) else module).rpartition(".")[2]
        if kind not in _MODULES:
            raise ModelError(
                f"{folder} has a module {kind} that is not in its ONNX file; {advice}",
                code="embedding_model.extra_module",
                module=kind,
            )
    settings = settings_of(folder / "1_Pooling" / "config.json")
    mode_setting = settings.get("pooling_mode")
    if mode_setting is None:  # older files have one switch for each mode
        mode_setting = [mode for mode, switch in _POOLING_SWITCHES.items() if settings.get(switch) is True]
    modes = list(map(str, mode_setting if isinstance(mode_setting, list) else [mode_setting])) or ["mean"]
    if len(modes) > 1 or modes[0] not in POOLINGS:
        allowed = ", ".join(POOLINGS)
        raise ModelError(
            f"{folder} joins token vectors by {' and '.join(modes)}, not by one of {allowed}; {advice}",
            code="embedding_model.unknown_pooling",
            modes=modes,
        )
    return modes[0]


def _checksum(files: Sequence[Path]) -> str:
    """Return one SHA-256 over the contents of files."""
    return hashlib.sha256("".join(map(digest, files)).encode()).hexdigest()


def _revision(model: str) -> str:
    """Return the commit of a hub model in the local cache; empty if the cache does not tell."""
    from huggingface_hub import try_to_load_from_cache

    names = [model] if "/" in model else [f"sentence-transformers/{model}", model]
    for name in names:
        for file in ("modules.json", "config.json"):
            cached = try_to_load_from_cache(name, file, cache_dir=os.environ.get("SENTENCE_TRANSFORMERS_HOME"))
            if isinstance(cached, str):
                return Path(cached).parent.name
    return ""
