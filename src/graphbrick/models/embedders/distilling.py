"""Static vectors of word pieces, distilled from an encoder: what a folder of them holds, and making one."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress, blas_threads, check_limits, watched_by, watched_part
from graphbrick.core.errors import ModelError
from graphbrick.core.files.digests import is_intact, sealed, sha256
from graphbrick.core.files.folders import check_place, files_in, new_folder
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.onnx_text import not_installed

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FORMAT, VERSION = "graphbrick-static-vectors", 1
ABOUT, VECTORS, TOKENIZER = "static.json", "vectors.f16", "tokenizer.json"
DIMENSIONS = 256
_SLICE = 512  # pieces embedded between two checks of the limits
_SIF = 1e-4  # the coefficient of Arora et al.: a piece of this probability weighs half
_MARKS = ("##", "\u2581", "\u0120")  # of pieces inside a word (BERT), and of those that begin one (SentencePiece, GPT)
_SPECIAL = re.compile(r"\[[^\W\d_]+\d*\]|<[^<>\s]+>")  # [CLS], [unused1], <pad>, <0x0A>

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class StaticReport:
    """What a distillation has made.

    Attributes:
        folder: The folder.
        encoder: The encoder, as text.
        pieces: Pieces that have a vector.
        left_out: Pieces of the vocabulary without one: special ones, and those of scripts that the encoder cannot read.
        dimensions: Numbers of a vector.
        variance: Share of the variance of the encoder's vectors that the dimensions keep.
        bytes: Size of the folder.
        seconds: Processor time that it took, of all threads.
    """

    folder: str
    encoder: str
    pieces: int
    left_out: int
    dimensions: int
    variance: float
    bytes: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{self.folder}: {self.pieces:,} pieces of {self.encoder} in {self.dimensions} dimensions, which keep "
            f"{self.variance:.0%} of the variance ({self.left_out:,} pieces left out); {self.bytes / 1e6:,.1f} MB, "
            f"{self.seconds:,.0f} s of processor time"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON types."""
        return asdict(self)


def distil(
    encoder: Embedder,
    out: str | os.PathLike[str],
    *,
    dimensions: int = DIMENSIONS,
    progress: Progress | None = None,
    overwrite: bool = False,
) -> StaticReport:
    """Distil an encoder into static vectors, for `StaticEmbedder`; no texts and no torch are needed.

    Each piece of the encoder's vocabulary is embedded as a text of its own. The vectors are centred and reduced to
    their principal components (Model2Vec: Tulkens and van Dongen, 2024). Each is multiplied by a / (a + p), the weight
    of smooth inverse frequency (SIF: Arora et al., 2017), with a = 1e-4. The probability p of a piece is that of Zipf's
    law for its rank; a vocabulary is taken to have frequent pieces first. An encoder that does not show its vocabulary
    (`Embedder.tokenizer` gives None) is asked for the pieces of bert-base-uncased.

    The last dimension is 0 for every piece; it is kept for texts without any piece that has a vector.

    Args:
        encoder: Any embedder; a model at a server is asked for some 30,000 texts.
        out: The folder to make.
        dimensions: Numbers of a vector, at least 2; fewer result where the encoder has fewer.
        progress: Called with a step, and how many pieces are done, of how many; None for what watches the current work.
        overwrite: Replace static vectors that are there.

    Returns:
        What was made.

    Raises:
        ModelError: The encoder cannot be used, the folder cannot be written, or it exists and ``overwrite`` is False or
            it holds something else.
    """
    if isinstance(dimensions, bool) or not isinstance(dimensions, int) or dimensions < 2:
        raise ModelError(
            f"dimensions must be a whole number of at least 2, got {dimensions!r}; try {DIMENSIONS}",
            code="static.bad_dimensions",
        )
    folder, start = Path(out).expanduser(), time.process_time()
    with new_folder(folder, lambda: _check_place(folder, overwrite=overwrite), ModelError) as work:
        tokenizer = _tokenizer_of(encoder)
        pieces = dict(_pieces(tokenizer, encoder))
        if len(pieces) < 2:
            raise ModelError(
                f"{encoder!r} has a vocabulary of {len(pieces)} pieces that it can read; two are needed",
                code="static.no_vocabulary",
            )
        with nullcontext() if progress is None else watched_by(progress):
            vectors = _embedded(encoder, list(pieces.values()))
        reduced, variance = _reduced(vectors, dimensions)
        table = np.zeros((max(tokenizer.get_vocab().values()) + 1, reduced.shape[1] + 1), dtype=np.float16)
        table[list(pieces), :-1] = reduced * sif_weights(len(pieces))[:, None]
        (work / VECTORS).write_bytes(table.tobytes())
        (work / TOKENIZER).write_text(tokenizer.to_str(), encoding="utf-8")
        about = sealed(
            {
                "format": FORMAT,
                "version": VERSION,
                "encoder": repr(encoder),
                "identity": encoder.identity,
                "rows": len(table),
                "pieces": len(pieces),
                "dimensions": table.shape[1],
                "sif": _SIF,
                "variance": round(variance, 6),
                "sha256": {name: sha256(work / name) for name in (VECTORS, TOKENIZER)},
            }
        )
        (work / ABOUT).write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        size = sum((work / name).stat().st_size for name in files_in(work))
    return StaticReport(
        str(folder), repr(encoder), len(pieces), len(table) - len(pieces), table.shape[1], round(variance, 6), size,
        time.process_time() - start,
    )  # fmt: skip


def described(folder: Path) -> dict[str, Any]:
    """Return what the folder of static vectors says of itself.

    Raises:
        ModelError: The folder does not hold static vectors, they are damaged, or another version has written them.
    """
    file = folder / ABOUT
    if not file.is_file():
        raise ModelError(
            f"{folder} does not hold static vectors ({ABOUT} is missing); make them with: "
            f"graphbrick models distil --out {folder}",
            code="static.no_folder",
            folder=folder,
        )
    try:
        about = json.loads(file.read_text(encoding="utf-8"))
        is_right = about["format"] == FORMAT and "checksum" in about and is_intact(about)
        version = about["version"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        is_right, version, about = False, VERSION, {}
    if not is_right:
        raise damaged(folder, ABOUT)
    if version != VERSION:
        raise ModelError(
            f"{folder} has version {version} of static vectors, and this graphbrick reads version {VERSION}; make it "
            "again with graphbrick models distil",
            code="static.other_version",
            version=version,
        )
    facts: dict[str, Any] = about
    return facts


def damaged(folder: Path, file: str) -> ModelError:
    """Return the error about a file that is not what was written."""
    return ModelError(
        f"{folder / file} is damaged or incomplete; make the folder again with graphbrick models distil --overwrite",
        code="static.damaged",
        file=file,
    )


def _check_place(folder: Path, *, overwrite: bool) -> None:
    """Raise ModelError unless static vectors can be written to a folder."""
    check_place(folder, "static vectors", _foreign_files, overwrite=overwrite, error=ModelError)


def _foreign_files(folder: Path) -> list[str] | None:
    """Return the files that are not of static vectors; None if a folder does not hold any."""
    if not (folder / ABOUT).is_file():
        return None
    return [name for name in files_in(folder) if name not in (ABOUT, VECTORS, TOKENIZER)]


def _tokenizer_of(encoder: Embedder) -> Tokenizer:
    """Return a tokenizer with the pieces of an encoder, or those of bert-base-uncased, that neither cuts nor pads."""
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise not_installed("StaticEmbedder", error.name) from error
    own = encoder.tokenizer()
    if own is None:
        from graphbrick.models.embedders.minilm import bert_tokenizer

        own = bert_tokenizer()
    tokenizer: Tokenizer = Tokenizer.from_str(own.to_str())  # a copy: the encoder goes on cutting its texts
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _pieces(tokenizer: Tokenizer, encoder: Embedder) -> Iterator[tuple[int, str]]:
    """Yield the id and the text of each piece that the encoder can read, frequent ones first."""
    special = {i for i, token in tokenizer.get_added_tokens_decoder().items() if token.special}
    decoder = tokenizer.decoder
    for token, i in sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1]):
        if i in special or _SPECIAL.fullmatch(token):
            continue
        text = token
        for mark in _MARKS:
            text = text.removeprefix(mark)
        if decoder is not None and not token.startswith("##"):
            text = decoder.decode([token])
        text = text.strip()
        if text and "\ufffd" not in text and encoder.reads(text):
            yield i, text


def _embedded(encoder: Embedder, texts: list[str]) -> Floats:
    """Return the vectors of pieces, float32 [pieces, dimensions of the encoder]."""
    parts = []
    for start in range(0, len(texts), _SLICE):
        check_limits()
        with watched_part("", len(texts), before=start):
            parts.append(encoder.made(texts[start : start + _SLICE]).astype(np.float32))
    return np.concatenate(parts)


def _reduced(vectors: Floats, dimensions: int) -> tuple[Floats, float]:
    """Return the first principal components of vectors, and the share of the variance that they keep."""
    with blas_threads(1):
        centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
        values, directions = np.linalg.eigh(centred.T @ centred)
        kept = directions[:, ::-1][:, : min(dimensions - 1, vectors.shape[1])]
        # The sign of a direction is free; one rule for it makes every run give the same numbers.
        kept = kept * np.sign(kept[np.abs(kept).argmax(axis=0), np.arange(kept.shape[1])])
        share = values[::-1][: kept.shape[1]].sum() / max(values.sum(), 1e-300)
        return (centred @ kept).astype(np.float32), float(np.clip(share, 0, 1))


def sif_weights(n: int) -> Floats:
    """Return the SIF weights of n pieces whose frequencies follow Zipf's law, in the order of their ranks."""
    inverse = 1 / np.arange(2, n + 2)
    weights: Floats = (_SIF / (_SIF + inverse / inverse.sum())).astype(np.float32)
    return weights
