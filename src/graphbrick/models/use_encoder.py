"""The multilingual Universal Sentence Encoder (version 3): its tokenizer and its layers, in numpy.

The weights are those of the quantised ONNX export: a table of 128,010 pieces with one byte a number, everything else in
single precision. The encoder is a convolution over two, three and five neighbouring tokens, the mean of the tokens, and
four dense layers, so that its cost grows with the number of tokens alone.
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import blas_threads
from graphbrick.core.errors import ModelError
from graphbrick.core.trace import count_call
from graphbrick.models.onnx_text import cut_event, not_installed, readable, unit_vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

TOKENIZER, WEIGHTS = "sp.model", "weights.npz"
DIMENSIONS = 512
MAX_TOKENS = 512  # the cost of a text grows with its length; texts of a graph are far shorter
_UNKNOWN, _BEGIN, _END = 0, 1, 2
_TABLES = 17  # piece i is row i // 17 of table i % 17
_WIDTHS = ((2, 0), (3, 1), (5, 2))  # tokens that a convolution sees, and how many of them stand before its own
_BEFORE, _AFTER = 2, 2
_CHANNELS = 256
_JOINED = ("proj", "proj_b", "ln_g", "ln_b")  # of the three convolutions, which are normalised together
_BATCH_TOKENS = 384  # what fits the processor's cache


@dataclass(frozen=True, eq=False)
class UseEncoder:
    """The encoder, loaded.

    Attributes:
        tokenizer: Cuts texts into pieces, without the marks for their beginning and end.
        table: uint8 [pieces, 512].
        weights: The other arrays by name.
    """

    tokenizer: Tokenizer
    table: npt.NDArray[np.uint8]
    weights: dict[str, Floats]

    @classmethod
    def load(cls, folder: Path) -> UseEncoder:
        """Read the encoder from a folder with ``sp.model`` and ``weights.npz``.

        Raises:
            ModelError: The files are damaged, or the package tokenizers is not installed.
        """
        try:
            tokenizer = _tokenizer((folder / TOKENIZER).read_bytes())
            with np.load(folder / WEIGHTS, allow_pickle=False) as arrays:
                tables = [arrays[f"q{i + 1}"] for i in range(_TABLES)]
                weights = {name: arrays[name] for name in arrays.files if not name.startswith("q")}
        except ImportError as error:
            raise not_installed("USE", error.name) from error
        except (OSError, EOFError, ValueError, LookupError, RuntimeError, struct.error, zipfile.BadZipFile) as error:
            raise ModelError(
                f"the model in {folder} is damaged ({error}); remove that folder and fetch it again", code="use.damaged"
            ) from error
        table = np.stack(tables, axis=1).reshape(-1, DIMENSIONS)
        return cls(tokenizer, table, weights)

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of at least one text, float32 [texts, 512], of length 1."""
        encodings = self.tokenizer.encode_batch_fast(readable(texts), add_special_tokens=False)
        ids = [[_BEGIN, *(encoding.ids or [_UNKNOWN])[: MAX_TOKENS - 2], _END] for encoding in encodings]
        cut = sum(len(encoding.ids) > MAX_TOKENS - 2 for encoding in encodings)
        if cut:
            cut_event("USE", MAX_TOKENS, cut)
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        with blas_threads(1):
            for batch in _batches(ids):
                vectors[batch] = self._run([ids[i] for i in batch])
                count_call(tokens_in=sum(len(ids[i]) for i in batch))
        return unit_vectors(vectors, texts, "USE")

    def _run(self, texts: Sequence[Sequence[int]]) -> Floats:
        """Return the vectors of a batch, from the ids of the tokens of each text."""
        w = self.weights
        sizes = np.array([len(ids) for ids in texts])
        tokens = np.concatenate([np.asarray(ids, dtype=np.int64) for ids in texts])
        embedded = self.table[tokens] * w["scale"][tokens % _TABLES, None] + w["lo"][tokens % _TABLES, None]
        window = _window(sizes)
        joined = {name: np.concatenate([w[f"{name}{width}"] for width, _ in _WIDTHS], axis=-1) for name in _JOINED}
        projected = _normed(embedded @ joined["proj"] + joined["proj_b"], joined["ln_g"], joined["ln_b"], w["eps"])
        parts = [embedded]
        for (width, before), x in zip(_WIDTHS, np.split(projected, len(_WIDTHS), axis=1), strict=True):
            seen = window[:, _BEFORE - before : _BEFORE - before + width]
            for layer in ("1", "2"):
                x = np.maximum(_seen(x, seen) @ w[f"w{layer}_{width}"] + w[f"b{layer}_{width}"], 0) + x
            parts.append(x)
        features = _normed(np.concatenate(parts, axis=1), w["ln_g"], w["ln_b"], w["eps"])
        starts = np.cumsum(sizes) - sizes
        count = sizes.astype(np.float32)[:, None]
        mean = (np.add.reduceat(features, starts, axis=0) @ w["cnn_W"] + count * w["cnn_b"]) / np.sqrt(count)
        first = np.maximum(mean @ w["p1"] + np.maximum(mean @ w["d0"], 0) @ w["d1"], 0)
        vectors: Floats = np.tanh(first @ w["p3"] + np.maximum(first @ w["d2"], 0) @ w["d3"])
        return vectors


def _batches(texts: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Group texts until they have enough tokens; the groups do not depend on their order."""
    batch: list[int] = []
    tokens = 0
    for i in sorted(range(len(texts)), key=lambda i: (len(texts[i]), texts[i])):
        if batch and tokens + len(texts[i]) > _BATCH_TOKENS:
            yield batch
            batch, tokens = [], 0
        batch.append(i)
        tokens += len(texts[i])
    if batch:
        yield batch


def _window(sizes: Ints) -> Ints:
    """Return the rows of each token's neighbours, int64 [tokens, 5]; the last row beyond its text."""
    tokens = int(sizes.sum())
    rows = np.arange(tokens)[:, None] + np.arange(-_BEFORE, _AFTER + 1)
    ends = np.repeat(np.cumsum(sizes), sizes)[:, None]
    inside = (rows >= ends - np.repeat(sizes, sizes)[:, None]) & (rows < ends)
    return np.where(inside, rows, tokens)


def _seen(x: Floats, rows: Ints) -> Floats:
    """Return the features around each token, float32 [tokens, width * channels], zeros outside."""
    padded = np.concatenate([x, np.zeros((1, _CHANNELS), dtype=np.float32)])
    seen: Floats = padded[rows].reshape(len(x), -1)
    return seen


def _normed(x: Floats, gain: Floats, bias: Floats, epsilon: Floats) -> Floats:
    """Return rows with mean 0 and variance 1, scaled and shifted (layer normalisation)."""
    centred = x - x.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", centred, centred) / x.shape[1]
    normed: Floats = centred / np.sqrt(variance + epsilon.astype(np.float32))[:, None] * gain + bias
    return normed


# The tokenizer: a SentencePiece model of unigrams, which the package tokenizers runs


def _tokenizer(data: bytes) -> Tokenizer:
    """Return the tokenizer in a SentencePiece file."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    pieces: list[tuple[str, float]] = []
    rules = b""
    for field, start, stop in _fields(data, 0, len(data)):
        if field == 1:
            length = data[start + 1]  # every piece is shorter than 128 bytes
            text = data[start + 2 : start + 2 + length].decode("utf-8")
            has_score = start + 2 + length < stop and data[start + 2 + length] == 0x15
            score = struct.unpack_from("<f", data, start + 3 + length)[0] if has_score else 0.0
            pieces.append((text, score))
        elif field == 3:
            rules = next((data[a:b] for inner, a, b in _fields(data, start, stop) if inner == 2), b"")
    if not pieces or not rules:
        raise ValueError(f"{TOKENIZER} has {len(pieces)} pieces and {len(rules)} bytes of rules")
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=_UNKNOWN, byte_fallback=False))
    spaces = normalizers.Replace(Regex(" {2,}"), " ")
    tokenizer.normalizer = normalizers.Sequence([normalizers.Precompiled(rules), normalizers.Strip(), spaces])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=True)
    return tokenizer


def _fields(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield the number, start and end of the fields with a length in a protocol buffer."""
    while at < end:
        tag, at = _varint(data, at)
        if tag & 7 == 0:
            _, at = _varint(data, at)
        elif tag & 7 == 2:
            length, at = _varint(data, at)
            yield tag >> 3, at, at + length
            at += length
        else:
            at += {1: 8, 5: 4}[tag & 7]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of variable length and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7
