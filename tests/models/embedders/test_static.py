from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from faults import fails, told
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx_models import write_embedder, write_tokenizer

from graphbrick import Embedder, EmbeddingModel, MiniLM, StaticEmbedder
from graphbrick.core.compute import limited_by
from graphbrick.core.errors import ModelError
from graphbrick.core.session import Session
from graphbrick.core.trace import Trace, record
from graphbrick.models.embedders import minilm
from graphbrick.models.embedders.distilling import ABOUT, DIMENSIONS, TOKENIZER, VECTORS, distil
from graphbrick.models.embedders.static import default_folder

WORDS = ["the", "of", "kenya", "peso", "capital", "river", "lake", "money", "city", "king"]
BASE = "base"  # a prefix that the toy model knows, so that no vector is zero
TABLE = dict(zip([BASE, *WORDS], np.random.default_rng(5).normal(size=(11, 6)), strict=True))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Static vectors of a toy encoder of eleven words in six dimensions, all kept."""
    place = tmp_path_factory.mktemp("static")
    distil(toy(place / "toy"), place / "made", dimensions=7)
    return place / "made"


def toy(place: Path, table: dict[str, Any] = TABLE) -> EmbeddingModel:
    return EmbeddingModel(str(write_embedder(place, table).parent), text_prefix=f"{BASE} ")


def reference(texts: Sequence[str], components: int) -> npt.NDArray[np.float64]:
    """The same by other means: singular vectors, and one text after the other."""
    pieces = [BASE, *WORDS]
    encoded = {piece: TABLE[BASE] + TABLE[piece] for piece in pieces}
    rows = np.array([row / np.linalg.norm(row) for row in encoded.values()])
    rows = rows - rows.mean(axis=0)
    rows = rows @ np.linalg.svd(rows)[2][:components].T
    harmonic = sum(1 / (rank + 2) for rank in range(len(pieces)))
    made = []
    for text in texts:
        total = np.zeros(components)
        for word in text.split():
            if word in pieces:
                rank = pieces.index(word)
                total += rows[rank] * 1e-4 / (1e-4 + 1 / (rank + 2) / harmonic)
        made.append(total / np.linalg.norm(total))
    return np.array(made)


@pytest.mark.parametrize("components", [2, 4, 6])
def test_like_a_plain_calculation(components: int, folder: Path, tmp_path: Path) -> None:
    report = distil(toy(tmp_path / "toy"), tmp_path / "made", dimensions=components + 1)
    texts = [*WORDS, "the capital of kenya", "money money peso", "lake city king unheard"]
    vectors = StaticEmbedder(str(tmp_path / "made")).encode(texts)
    expected = reference(texts, components)
    assert vectors.shape == (len(texts), components + 1)
    # Cosines, as the sign of a principal component is free.
    assert np.allclose(vectors @ vectors.T, expected @ expected.T, atol=3e-3)
    assert (report.pieces, report.left_out, report.dimensions) == (11, 4, components + 1)
    assert (report.variance == 1) == (components == 6)


@settings(max_examples=25)
@given(st.lists(st.sampled_from([*WORDS, "unheard", "\u4f60\u597d"]), max_size=12), st.randoms(use_true_random=False))
def test_order_and_company_do_not_matter(folder: Path, words: list[str], random: Any) -> None:
    shuffled = random.sample(words, len(words))
    embedder = StaticEmbedder(str(folder))
    one, other = embedder.encode([" ".join(words), " ".join(shuffled)])
    assert np.allclose(one, other, atol=1e-6)
    assert np.linalg.norm(one) == pytest.approx(1, abs=1e-6)
    assert np.array_equal(embedder.encode(["river", "the lake", " ".join(words)])[2], one)


@pytest.mark.parametrize("text", ["", "   ", "\u4f60\u597d", "unheard", "\ud800", "[CLS]", "\U0001f600"])
def test_a_text_without_known_pieces_is_like_no_other(text: str, folder: Path) -> None:
    embedder = StaticEmbedder(str(folder))
    assert embedder.score(text, ["kenya", "the river"]).tolist() == [0, 0]
    assert embedder.score("kenya", [text, "kenya"]) == pytest.approx([0, 1], abs=1e-3)


def test_unknown_words_change_nothing(folder: Path) -> None:
    embedder = StaticEmbedder(str(folder))
    known, mixed = embedder.encode(["kenya river", "kenya unheard river \u4f60"])
    assert np.array_equal(known, mixed)


def test_long_texts_are_not_cut(folder: Path) -> None:
    embedder = StaticEmbedder(str(folder))
    first, longer = embedder.encode(["kenya " * 20_000, "kenya " * 20_000 + "river " * 20_000])
    assert first @ longer < 0.95
    assert np.allclose(longer, embedder.encode(["kenya river"])[0], atol=1e-4)


def test_reads_what_it_has_vectors_for(folder: Path) -> None:
    embedder = StaticEmbedder(str(folder))
    texts = {"the river": True, "\u4f60\u597d": False, "river \u4f60\u597d": True, "unheard lake": False, "": True}
    assert {text: embedder.reads(text) for text in texts} == texts


def test_pieces_that_the_encoder_cannot_read_have_no_vectors(tmp_path: Path) -> None:
    write_tokenizer(tmp_path / "toy", ["river", "lake", "\u4f60", "\u0646\u0647\u0631"])

    @dataclass(frozen=True, repr=False)
    class Latin(EmbeddingModel):
        def reads(self, text: str) -> bool:
            return text.isascii()

    table = {"river": (1.0, 0.0), "lake": (0.6, 0.8), "\u4f60": (0.0, 1.0), "\u0646\u0647\u0631": (0.8, 0.6)}
    report = distil(Latin(str(write_embedder(tmp_path / "toy", table).parent)), tmp_path / "made")
    assert (report.pieces, report.left_out) == (2, 6)
    embedder = StaticEmbedder(str(tmp_path / "made"))
    assert not embedder.reads("\u4f60")
    assert embedder.score("river", ["\u4f60 river", "\u0646\u0647\u0631"]) == pytest.approx([1, 0], abs=1e-3)


def test_identity_changes_with_the_encoder_and_dimensions(folder: Path, tmp_path: Path) -> None:
    changed = {**TABLE, "king": TABLE["king"] + 0.1}
    distil(toy(tmp_path / "toy"), tmp_path / "same", dimensions=7)
    distil(toy(tmp_path / "other toy", changed), tmp_path / "encoder", dimensions=7)
    distil(toy(tmp_path / "toy"), tmp_path / "small", dimensions=3)
    names = [folder, *(tmp_path / name for name in ("same", "encoder", "small"))]
    again = [StaticEmbedder(str(name)) for name in names]
    assert np.array_equal(again[0].encode(WORDS), again[1].encode(WORDS))
    assert len({one.identity for one in again[1:]}) == 3


@pytest.mark.whole
def test_an_encoder_without_pieces_is_asked_for_those_of_bert(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    @dataclass(frozen=True, repr=False)
    class Letters(Embedder):
        """Says whether a text has an a."""

        identity = "letters"

        def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            asked.extend(texts)
            return np.array([[1.0, 0.0] if "a" in text else [0.0, 1.0] for text in texts], dtype=np.float32)

    report = distil(Letters(), tmp_path / "made")
    assert report.pieces == len(asked) > 25_000
    assert {"kenya", "the", "ing"} <= set(asked)
    assert not {"[CLS]", "[unused1]", "##ing"} & set(asked)
    assert StaticEmbedder(str(tmp_path / "made")).score("kenya", ["ghana", "peru"]) == pytest.approx([1, -1], abs=1e-3)


def test_a_budget_stops_a_distillation_and_leaves_nothing(tmp_path: Path) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), limited_by(stop):
        distil(toy(tmp_path / "toy"), tmp_path / "made")
    assert [path.name for path in tmp_path.iterdir()] == ["toy"]


@pytest.mark.parametrize("file", [ABOUT, VECTORS, TOKENIZER])
def test_damage_is_told(file: str, tmp_path: Path) -> None:
    distil(toy(tmp_path / "toy"), tmp_path / "made")
    content = bytearray((tmp_path / "made" / file).read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "made" / file).write_bytes(content)
    with fails("static.damaged", ModelError, file=file), Session():
        StaticEmbedder(str(tmp_path / "made")).encode(["kenya"])
    (tmp_path / "made" / file).unlink()
    with pytest.raises(ModelError), Session():
        StaticEmbedder(str(tmp_path / "made")).encode(["kenya"])


def test_folders_of_others_are_kept(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    encoder = toy(tmp_path / "toy")
    with fails("place.other_contents", ModelError):
        distil(encoder, tmp_path / "mine", overwrite=True)
    distil(encoder, tmp_path / "made")
    with fails("place.taken", ModelError):
        distil(encoder, tmp_path / "made")
    assert distil(encoder, tmp_path / "made", dimensions=3, overwrite=True).dimensions == 3
    with fails("static.no_folder", ModelError):
        StaticEmbedder(str(tmp_path / "mine")).encode(["kenya"])
    with fails("static.bad_dimensions", ModelError):
        distil(encoder, tmp_path / "new", dimensions=1)


def test_another_version_is_told(folder: Path, tmp_path: Path) -> None:
    from graphbrick.core.files.digests import sealed

    distil(toy(tmp_path / "toy"), tmp_path / "made")
    about = json.loads((tmp_path / "made" / ABOUT).read_text())
    del about["checksum"]
    (tmp_path / "made" / ABOUT).write_text(json.dumps(sealed({**about, "version": 9})))
    with fails("static.other_version", ModelError, version=9):
        StaticEmbedder(str(tmp_path / "made")).encode(["kenya"])


def test_minilm_is_distilled_at_the_first_use_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MiniLM itself, with a vocabulary of a few words, as all of it takes half a minute."""
    monkeypatch.setenv("GRAPHBRICK_MODELS", str(tmp_path / "models"))
    small = {token: i for i, token in enumerate(["[UNK]", "[CLS]", "[SEP]", "king", "queen", "city", "town", "##s"])}

    def few() -> Any:
        from tokenizers import Tokenizer, models, pre_tokenizers

        tokenizer = Tokenizer(models.WordPiece(small, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        return tokenizer

    monkeypatch.setattr(MiniLM, "tokenizer", lambda self: few())
    with record(Trace(), "rerank", "static") as entry:
        scores = StaticEmbedder().score("kings", ["queen", "town"])
    assert scores[0] > scores[1]
    assert [code for code, _ in told(entry.events) if code == "static.distilled"] == ["static.distilled"]
    monkeypatch.setattr(minilm, "_load", None)  # MiniLM is not needed any more
    with Session(), record(Trace(), "rerank", "static") as entry:
        assert np.array_equal(StaticEmbedder().score("kings", ["queen", "town"]), scores)
    assert not entry.events
    assert StaticEmbedder().identity == StaticEmbedder(str(default_folder())).identity
    assert StaticEmbedder().encode(["king"]).shape[1] <= DIMENSIONS
