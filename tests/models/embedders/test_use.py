from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from faults import fails, told
from use_files import PIECES, Arrays, write_use

from graphbrick import USE, Session
from graphbrick.core.trace import Trace, record
from graphbrick.models import use_encoder
from graphbrick.models.embedders import use
from graphbrick.models.use_encoder import UseEncoder

TEXTS = ["what is the capital", "kenya currency", "", "e", "kenya kenya kenya is the currency kenya capital", "日本"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Arrays]:
    folder = tmp_path_factory.mktemp("use")
    return folder, write_use(folder)


@pytest.fixture
def model(made: tuple[Path, Arrays], monkeypatch: pytest.MonkeyPatch) -> Iterator[Arrays]:
    """The arrays of the small model, which `USE` finds in the place of the real one."""
    monkeypatch.setattr(use, "resolve", lambda name: made[0])
    with Session():
        yield made[1]


def normed(x: npt.NDArray[np.float32], gain: npt.NDArray[np.float32], bias: npt.NDArray[np.float32]) -> np.ndarray:
    return (x - x.mean()) / np.sqrt(x.var() + 1e-6) * gain + bias


def one_by_one(ids: list[int], w: Arrays) -> np.ndarray:
    """The vector of one text, token by token: what the layers mean."""
    tokens = [w["table"][i] for i in ids]
    widths = (2, 3, 5)
    projected = [np.concatenate([t @ w[f"proj{n}"] + w[f"proj_b{n}"] for n in widths]) for t in tokens]
    gain, bias = (np.concatenate([w[f"{name}{n}"] for n in widths]) for name in ("ln_g", "ln_b"))
    projected = [normed(x, gain, bias) for x in projected]
    parts = [tokens]
    for i, (width, before) in enumerate(((2, 0), (3, 1), (5, 2))):
        x = [token[256 * i : 256 * (i + 1)] for token in projected]
        for layer in (1, 2):
            nothing = [np.zeros(256)]
            padded = nothing * before + x + nothing * width
            windows = [np.concatenate(padded[i : i + width]) for i in range(len(x))]
            made = [np.maximum(v @ w[f"w{layer}_{width}"] + w[f"b{layer}_{width}"], 0) for v in windows]
            x = [new + old for new, old in zip(made, x, strict=True)]
        parts.append(x)
    rows = [normed(np.concatenate(row), w["ln_g"], w["ln_b"]) for row in zip(*parts, strict=True)]
    mean = sum(row @ w["cnn_W"] + w["cnn_b"] for row in rows) / np.sqrt(len(rows))
    first = np.maximum(mean @ w["p1"] + np.maximum(mean @ w["d0"], 0) @ w["d1"], 0)
    last = np.tanh(first @ w["p3"] + np.maximum(first @ w["d2"], 0) @ w["d3"])
    return last / np.linalg.norm(last)


def test_vectors_are_those_of_the_layers_taken_one_text_at_a_time(model: Arrays) -> None:
    number = {piece: i for i, piece in enumerate(PIECES)}
    cut = [
        ["▁what", "▁is", "▁the", "▁capital"], ["▁kenya", "▁currency"], ["<unk>"], ["▁", "e"],
        [*["▁kenya"] * 3, "▁is", "▁the", "▁currency", "▁kenya", "▁capital"], ["▁", "<unk>"],
    ]  # fmt: skip
    expected = [one_by_one([1, *(number[piece] for piece in pieces), 2], model) for pieces in cut]
    found = USE().encode(TEXTS)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=2e-5)


def test_a_vector_does_not_depend_on_the_other_texts(model: Arrays, monkeypatch: pytest.MonkeyPatch) -> None:
    together = USE().encode(TEXTS * 30)
    monkeypatch.setattr(use_encoder, "_BATCH_TOKENS", 4)
    np.testing.assert_allclose(np.tile(USE().encode(TEXTS), (30, 1)), together, atol=2e-5)


def test_a_long_text_is_cut_with_an_event_and_tokens_are_counted(model: Arrays) -> None:
    with record(Trace(), "made", "made") as entry:
        vectors = USE().encode(["kenya " * 600, "kenya " * 700, "is"])
    assert np.array_equal(vectors[0], vectors[1])
    assert told(entry.events) == [("onnx.texts_cut", {"model": "USE", "tokens": 512, "cut": 2})]
    assert entry.tokens_in == 512 + 512 + 3


def test_the_model_must_be_fetched_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GRAPHBRICK_MODELS", str(tmp_path))
    with fails("models.not_fetched", name="use-multilingual-v3"):
        USE().encode(["Kenya"])
    assert "use-multilingual-v3 994fcc2e8ad0fe2c" in USE().identity  # known without its files


@pytest.mark.whole
@pytest.mark.parametrize("file", ["sp.model", "weights.npz"])
@pytest.mark.parametrize("content", [b"", b"\x0a\x05\x0a\x03abc", b"garbage" * 100])
def test_a_damaged_file_is_an_error_that_names_the_folder(tmp_path: Path, file: str, content: bytes) -> None:
    write_use(tmp_path)
    (tmp_path / file).write_bytes(content)
    with fails("use.damaged"):
        UseEncoder.load(tmp_path)
